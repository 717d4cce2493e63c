package sentiment

import (
	"math"
	"slices"
)

// The lexicon rule: every opinion word of a sentence counts for the terms around it, the more the nearer it is. The
// constants were chosen on MAMS's validation split and the tuning half of the gold sentences, and measured on others;
// docs/insights.md has the results.
const (
	halfDistance = 2.5 // the distance, in words, at which a word counts half
	// acrossComma and acrossContrast are the share that counts across the border of a clause, and across a "but".
	acrossComma    = 0.45
	acrossContrast = 0.12
	scope          = 4 // how many words after it a negation reaches, within its clause
	// negation is the factor of a negated word: "not good" is less bad than good
	// is good (Hutto and Gilbert, VADER, 2014).
	negation      = -0.74
	phraseValence = 2.4 // the valence of a phrase for the things around it
	// maxDistance is the distance, in words, from which nothing counts: the time for a
	// sentence of 10,000 words must not be quadratic.
	maxDistance  = 64
	neutralBelow = 0.06 // the absolute sum below which a mention is neutral
)

// opinion is a word or phrase with a valence.
type opinion struct {
	at, last int // tokens
	valence  float64
	aspect   int32 // of a phrase; anyAspect: whatever is near
}

const anyAspect = -1

// opinions returns the opinion words of tokens lo to hi, which are whole sentences.
// inPhrase marks the tokens of phrases, which count as a whole.
func opinions(tokens []token, lo, hi int, inPhrase []bool, dst []opinion) []opinion {
	for i := lo; i < hi; i++ {
		t := &tokens[i]
		v := float64(t.valence)
		switch {
		case inPhrase[i] || v == 0 && t.flags&middling == 0:
			continue
		case t.flags&middling != 0:
			v = 0
		case negated(tokens, i):
			v *= negation
		}
		dst = append(dst, opinion{i, i, v, anyAspect})
	}
	return dst
}

// nearNegations reach the next two words only, but for a list.
var nearNegations = []string{"no", "without", "zero", "lack", "lacks", "lacked", "lacking"}

// notNegated undo the negation before them: "not only good", "nothing but praise".
var notNegated = []string{"only", "just", "merely", "but", "doubt", "wonder", "matter", "longer", "more", "other", "except", "believe", "imagine"}

// negated reports whether a negation before token i reaches it: in its clause, or
// through a list, as in "not clean, tidy or quiet".
func negated(tokens []token, i int) bool {
	list, emphatic := inAlternatives(tokens, i), false // "never so rude" is very rude
	for back := 1; back <= scope && i-back >= 0; back++ {
		t, next := &tokens[i-back], &tokens[i-back+1]
		emphatic = emphatic || next.text == "so" || next.text == "such"
		switch {
		case back > 1 && !list && next.valence != 0 && next.flags&negator == 0,
			back > 2 && !list && slices.Contains(nearNegations, t.text),
			t.clause != next.clause && !(list && next.gap == comma && next.flags&contrast == 0 && t.sentence == next.sentence):
			return false
		case t.flags&negator != 0:
			return !(back > 1 && slices.Contains(notNegated, next.text)) && !(emphatic && t.text == "never")
		}
	}
	return false
}

// inAlternatives reports whether token i is in a list that goes on with "or" or "nor".
func inAlternatives(tokens []token, i int) bool {
	return slices.ContainsFunc(tokens[max(0, i-1):min(len(tokens), i+scope+1)], func(t token) bool {
		return (t.text == "or" || t.text == "nor") && t.sentence <= tokens[i].sentence
	})
}

// sortOpinions sorts opinions as they stand in the text.
func sortOpinions(opinions []opinion) []opinion {
	slices.SortStableFunc(opinions, func(a, b opinion) int { return a.at - b.at })
	return opinions
}

// weighOpinions sums the opinions, sorted, within maxDistance of tokens from to last, weighted by distance and by the
// clause borders between. The phrases of other aspects are left out, but for single opinion words: clean washrooms are
// good washrooms. The second result is the opinion that weighs most, nil when there is none.
func weighOpinions(tokens []token, opinions []opinion, aspect int32, from, last int) (sum float64, strongest *opinion) {
	most := 0.0
	at, _ := slices.BinarySearchFunc(opinions, from-maxDistance, func(v opinion, at int) int { return v.at - at })
	for ; at < len(opinions) && opinions[at].at <= last+maxDistance; at++ {
		v := &opinions[at]
		if v.aspect != anyAspect && v.aspect != aspect && (v.at < v.last || tokens[v.at].valence == 0) {
			continue
		}
		if v.at <= last && v.last >= from {
			if v.at < v.last { // a phrase around the term is about it
				sum += v.valence
			}
			continue // but a word is no opinion about itself: "work" is no praise
		}
		lo, hi := last, v.at
		if v.last < from {
			lo, hi = v.last, from
		}
		d := float64(hi - lo)
		w := 1 / (1 + (d-1)/halfDistance)
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
		if weight := math.Abs(v.valence * w); weight > most {
			most, strongest = weight, v
		}
	}
	return sum, strongest
}
