package sentiment

import (
	"cmp"
	"math"
	"slices"
)

// How cues stand beside phrases and words: chosen on sentences that nothing was
// fitted to (docs/insights.md).
const (
	// enough is the sum, in log odds, from which a sentence speaks of an aspect that
	// no phrase finds in it; nameThreshold that for one which a shipped name finds
	// ("price"), phraseThreshold for one which a shipped phrase settles.
	threshold       = -1.6
	nameThreshold   = -1.5
	phraseThreshold = -2
	// overrulesPhrase is the sum from which cues know better than a shipped phrase whether
	// it is praise or blame.
	overrulesPhrase = 1
	// factThreshold is the sum from which a fact is stated, and nothing felt.
	factThreshold = -0.5
	// weakTone is the sum, either way, below which the stars are asked, where no word
	// of the sentence praises or blames.
	weakTone = 1
	// dilution is how much surer of an aspect it must be for each further sentence of a
	// text, up to maxDilution: a short text is about something, a long one is mostly
	// story.
	dilution    = 0.8
	maxDilution = 2.4
	// starConflictPenalty is how much surer of an aspect cues alone must be for what they say
	// against the stars: blame in a review of four or five, praise in one of one or two.
	starConflictPenalty = 2
	// apart is how much surer of one sentence than of another it must be for what they
	// say not to be mixed.
	mixedMargin = 1
	// phraseCertainty is the sum of a shipped phrase that settles the matter, and the most
	// that cues have; figuresCertainty that of quote and bill, which outweigh words, and
	// editorCertainty that of an editor's phrase, which comes before everything.
	phraseCertainty  = 9
	figuresCertainty = 2 * phraseCertainty
	editorCertainty  = 1e6
	// starsCertainty is that of what only the stars say.
	starsCertainty = -1e6
)

// scoreCues adds to the mentions of a sentence what its cues say, and mends those
// that phrases and names have left there, from begin on.
func (w *worker) scoreCues(s sentence, stars int, begin int, a *Analysis) {
	for lo := s.lo; lo < s.hi; {
		hi := unitEnd(w.tokens, lo, s.hi)
		w.extractCues(lo, hi, s.hits)
		w.borders = borders(w.tokens[lo:hi], w.borders[:0])
		w.sumClauses(lo, hi)
		for aspect, slot := range w.v.cueAspects {
			if slot >= 0 {
				w.scoreAspect(lo, hi, int16(aspect), slot, stars, begin, a)
			}
		}
		lo = hi
	}
}

// sumClauses adds the weights of w.said up by clause, in w.clauses: a cue counts once a
// clause.
func (w *worker) sumClauses(lo, hi int) {
	table := w.v.cues
	first := w.tokens[lo].clause
	n := int(w.tokens[hi-1].clause-first) + 1
	w.clauses = slices.Grow(w.clauses[:0], n)[:n]
	clear(w.clauses)
	if len(w.lastSeen) < len(table.starts) {
		w.lastSeen = make([]int64, len(table.starts))
	}
	stamp := w.stamp + 1 // rows that were never opinions have 0
	w.stamp += int64(n)
	for _, s := range w.said {
		clause := int64(w.tokens[s.first].clause - first)
		if s.value == 1 && w.lastSeen[s.row] == stamp+clause {
			continue
		}
		w.lastSeen[s.row] = stamp + clause
		sums := &w.clauses[clause]
		for _, c := range table.row(s.row) {
			sums[c.slot] += c.weight * s.value
		}
	}
}

// scoreAspect settles what the cues of a unit say about one aspect.
func (w *worker) scoreAspect(lo, hi int, aspect int16, slot int8, stars, begin int, a *Analysis) {
	sum := w.v.cues.bias[slotAspect+slot]
	best := 0
	for i := range w.clauses {
		sum += w.clauses[i][slotAspect+slot]
		if w.clauses[i][slotAspect+slot] > w.clauses[best][slotAspect+slot] {
			best = i
		}
	}
	if sum < phraseThreshold && len(a.Aspects) == begin {
		return
	}
	tone, plain := w.tone(best, int(slot))
	f := toneOf(tone)
	if plain >= factThreshold {
		f = Neutral
	}
	found, byTheStars := false, false
	if w.hints != nil {
		w.hint(lo, aspect, int(slot))
	}
	kept := a.Aspects[:begin]
	for _, m := range a.Aspects[begin:] {
		if m.Aspect != aspect || m.Start < w.tokens[lo].start || m.Start >= w.tokens[hi-1].end {
			kept = append(kept, m)
			continue
		}
		editors := w.v.entries[m.Phrase-1][0].origin == FromEditor
		switch {
		case m.Origin == FromEditor:
		case m.Origin == FromTrade:
			if sum < phraseThreshold+w.dilution {
				continue
			}
			if m.Polarity == Positive && tone < -overrulesPhrase || m.Polarity == Negative && tone > overrulesPhrase ||
				m.Polarity == Neutral && m.Rule != asWritten && f != Neutral {
				m.Polarity, m.Origin, m.Rule, m.Score = f, FromCues, outweighed, tone
			}
		case sum < nameThreshold+w.dilution:
			if !editors {
				continue
			}
		case m.Origin == FromStars && tone < weakTone && tone > -weakTone:
		default:
			// The name stands there, and the words around it are weighed by distance, which
			// cues are not: both are asked.
			m.Polarity, m.Origin, m.Rule = f, FromCues, plainFact
			if m.Score += tone; f != Neutral {
				m.Polarity, m.Rule = toneOf(m.Score), asWritten
			}
		}
		found = true
		switch m.certainty = min(sum, phraseCertainty); m.Origin {
		case FromEditor:
			m.certainty = editorCertainty
		case FromTrade:
			m.certainty = phraseCertainty
		}
		kept = append(kept, m)
	}
	a.Aspects = kept
	if f != Neutral && stars != 3 && stars > 0 && tone < weakTone && tone > -weakTone && len(w.opinions) == 0 {
		f = Negative
		if stars > 3 {
			f = Positive
		}
		byTheStars = true
	}
	need := threshold + w.dilution
	if f == Negative && stars > 3 || f == Positive && stars < 3 {
		need += starConflictPenalty
	}
	if found || sum < need {
		return
	}
	m := AspectMention{Sentence: w.sents[w.tokens[lo].sentence], Aspect: aspect, Polarity: f, Origin: FromCues, Score: tone, certainty: min(sum, phraseCertainty)}
	first, last := w.strongestCue(lo, best, int(slot))
	m.Start, m.End = w.tokens[first].start, w.tokens[last].end
	switch {
	case byTheStars:
		m.Origin, m.Rule = FromStars, noOpinion
	case f == Neutral:
		m.Rule = plainFact
	}
	a.Aspects = append(a.Aspects, m)
}

func toneOf(sum float32) Polarity {
	if sum < 0 {
		return Negative
	}
	return Positive
}

// tone sums what is felt around the clause that speaks of an aspect, and whether
// it is a plain fact. It leaves in w.parts how much of each clause is opinions.
func (w *worker) tone(best, slot int) (tone, plain float32) {
	w.parts = slices.Grow(w.parts[:0], len(w.clauses))[:len(w.clauses)]
	clear(w.parts)
	w.parts[best] = 1
	for i := best + 1; i < len(w.clauses) && w.parts[i-1] > minShare; i++ {
		w.parts[i] = w.parts[i-1] * w.borders[i-1]
	}
	for i := best - 1; i >= 0 && w.parts[i+1] > minShare; i-- {
		w.parts[i] = w.parts[i+1] * w.borders[i]
	}
	bias := &w.v.cues.bias
	t, p := float64(bias[slotAnyTone]+bias[slotTone+slot]), float64(bias[slotAnyPlain]+bias[slotPlain+slot])
	for i, part := range w.parts {
		s := &w.clauses[i]
		t += part * float64(s[slotAnyTone]+s[slotTone+slot])
		p += part * float64(s[slotAnyPlain]+s[slotPlain+slot])
	}
	return float32(t), float32(p)
}

// Hint is what a cue says about a mention of an aspect, in log odds: whether the
// aspect is meant, and whether it is praised (above 0) or blamed.
type Hint struct {
	Cue          string
	Aspect, Tone float64
}

// maxHints is how many cues explain a mention: the weightiest.
const maxHints = 5

// hintsOf tells which hints belong to which mention.
type hintsOf struct {
	unit   int32 // its first byte
	aspect int16
}

// hint keeps the weightiest cues of a unit for an aspect, for Explain. It is called
// when tone has set the parts.
func (w *worker) hint(lo int, aspect int16, slot int) {
	table := w.v.cues
	at := map[int32]int{}
	var list []Hint
	for _, s := range w.said {
		part := float32(w.parts[w.tokens[s.first].clause-w.tokens[lo].clause])
		var h Hint
		for _, c := range table.row(s.row) {
			switch int(c.slot) {
			case slotAspect + slot:
				h.Aspect = float64(c.weight * s.value)
			case slotTone + slot, slotAnyTone:
				h.Tone += float64(c.weight * s.value * part)
			}
		}
		if i, ok := at[s.row]; !ok {
			at[s.row] = len(list)
			h.Cue = table.words.name(s.cue)
			list = append(list, h)
		} else if s.value != 1 {
			list[i].Aspect += h.Aspect
			list[i].Tone += h.Tone
		}
	}
	weight := func(h Hint) float64 { return math.Abs(h.Aspect) + math.Abs(h.Tone) }
	slices.SortStableFunc(list, func(a, b Hint) int { return cmp.Compare(weight(b), weight(a)) })
	w.hints[hintsOf{w.tokens[lo].start, aspect}] = list[:min(maxHints, len(list))]
}

// hintsFor gives the cues of the unit that a mention begins in.
func (w *worker) hintsFor(m AspectMention) (list []Hint) {
	from := int32(-1)
	for k, hints := range w.hints {
		if k.aspect == m.Aspect && k.unit <= m.Start && k.unit > from {
			from, list = k.unit, hints
		}
	}
	return list
}

// strongestCue gives the first and last token of the cue that speaks loudest for an
// aspect in a clause: what a reader will see marked.
func (w *worker) strongestCue(lo, clause, slot int) (first, last int32) {
	most := float32(math.Inf(-1))
	for _, s := range w.said {
		if int(w.tokens[s.first].clause-w.tokens[lo].clause) != clause {
			continue
		}
		own := float32(0)
		for _, c := range w.v.cues.row(s.row) {
			if int(c.slot) == slotAspect+slot {
				own = c.weight * s.value
			}
		}
		if own > most {
			first, last, most = s.first, s.last, own
		}
	}
	return first, last
}
