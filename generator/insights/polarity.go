package insights

import (
	"math"
	"slices"
)

// The rule for what is felt about a thing, in one sentence: every word that
// praises or blames speaks for the things around it, the nearer the louder. The
// figures were chosen on MAMS's validation split and the tuning half of the gold
// sentences, and measured on others; docs/insights.md has the results.
const (
	// reach is the distance, in words, at which a word speaks half as loud.
	reach = 2.5
	// acrossComma and acrossContrast are what gets through the border of a clause,
	// and through a "but".
	acrossComma    = 0.45
	acrossContrast = 0.12
	// scope is how many words a "not" reaches back from, within its clause.
	scope = 4
	// negation is what a "not" makes of a word: "not good" is less bad than good
	// is good (Hutto and Gilbert, VADER, 2014).
	negation = -0.74
	// emphasis is what capitals add.
	emphasis = 0.5
	// tooMuch is the valence of "too" before a word that is neither good nor bad.
	tooMuch = -1.5
	// phraseValence is the valence of a phrase for the things around it.
	phraseValence = 2.4
	// earshot is the distance, in words, from which nothing is heard any more: a
	// sentence of 10,000 words must not cost their square.
	earshot = 64
	// silence is the sum below which nothing is felt.
	silence = 0.12
)

// voice is a word or phrase that praises or blames.
type voice struct {
	at, last int // tokens
	valence  float64
	aspect   int32 // what a phrase speaks of; anyAspect: whatever is near
}

const anyAspect = -1

// voices gives what praises and blames in tokens lo to hi, which are whole
// sentences. spoken marks the tokens of phrases, which speak as one.
func voices(tokens []token, lo, hi int, spoken []bool, dst []voice) []voice {
	for i := lo; i < hi; i++ {
		t := &tokens[i]
		if spoken[i] {
			continue
		}
		v := float64(t.valence)
		if t.text == "too" && v == 0 && i+1 < hi && tokens[i+1].gap == tight && tokens[i+1].valence >= 0 &&
			tokens[i+1].flags&(subject|stopword|numeric) == 0 && !negated(tokens, i) {
			dst = append(dst, voice{i + 1, i + 1, tooMuch, anyAspect})
			i++
			continue
		}
		if t.flags&middling != 0 {
			dst = append(dst, voice{i, i, 0, anyAspect})
			continue
		}
		if v == 0 || t.flags&negator != 0 && t.valence == 0 {
			continue
		}
		if t.shape&shouted != 0 && len(t.text) > 2 {
			v += math.Copysign(emphasis, v)
		}
		for back, weight := 1, 1.0; back <= 2 && i-back >= lo; back, weight = back+1, weight*0.9 {
			b := &tokens[i-back]
			if b.clause != t.clause {
				break
			}
			v += math.Copysign(float64(b.boost)*weight, v) * sign(b.boost)
		}
		if negated(tokens, i) {
			v *= negation
		}
		dst = append(dst, voice{i, i, v, anyAspect})
	}
	return dst
}

func sign(f float32) float64 {
	if f < 0 {
		return -1
	}
	return 1
}

// negated tells whether a "not" before token i, in its clause, reaches it.
func negated(tokens []token, i int) bool {
	for back := 1; back <= scope && i-back >= 0; back++ {
		t := &tokens[i-back]
		if t.clause != tokens[i].clause {
			return false
		}
		if t.flags&negator == 0 {
			continue
		}
		if back > 1 { // "not only good", "nothing but praise" say it louder
			switch tokens[i-back+1].text {
			case "only", "just", "merely", "but", "doubt", "wonder", "matter", "longer":
				return false
			}
		}
		return true
	}
	return false
}

// within gives the voices in earshot of tokens from to last. They are in the order
// of the text.
func within(heard []voice, from, last int) []voice {
	lo, _ := slices.BinarySearchFunc(heard, from-earshot, func(v voice, at int) int { return v.at - at })
	hi, _ := slices.BinarySearchFunc(heard, last+earshot+1, func(v voice, at int) int { return v.at - at })
	return heard[lo:hi]
}

// inOrder sorts voices as they stand in the text.
func inOrder(heard []voice) []voice {
	slices.SortStableFunc(heard, func(a, b voice) int { return a.at - b.at })
	return heard
}

// felt sums what the voices in earshot say of tokens from to last.
func felt(tokens []token, heard []voice, from, last int) float64 {
	sum := 0.0
	for _, v := range within(heard, from, last) {
		if v.at <= last && v.last >= from {
			if v.at < v.last { // a phrase around the thing speaks of it
				sum += v.valence
			}
			continue // but a word says nothing of itself: "work" is no praise
		}
		lo, hi := last, v.at
		if v.last < from {
			lo, hi = v.last, from
		}
		d := float64(hi - lo)
		w := 1 / (1 + (d-1)/reach)
		commas := 0
		for k := lo + 1; k <= hi; k++ {
			if tokens[k].clause == tokens[k-1].clause {
				continue
			}
			if tokens[k].flags&contrast != 0 || tokens[k].gap == stop {
				w *= acrossContrast
			} else if commas++; commas <= 3 {
				w *= acrossComma
			}
		}
		sum += v.valence * w
	}
	return sum
}
