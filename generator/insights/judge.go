package insights

import "reviewcast"

// Judge measures the lexicon rule on sentences of others. It is for one goroutine.
type Judge struct{ w *worker }

// NewJudge makes one. It knows no aspects: only the shipped phrases that praise or
// blame whatever stands beside them.
func NewJudge() *Judge { return &Judge{newWorker(newVocabulary(Input{Aspects: []Term{}}))} }

// Polarity tells what a text says about its words at bytes from to to. The score's
// sign is that of the feeling; it is 0 when nothing is felt at all.
func (j *Judge) Polarity(text string, from, to int) (reviewcast.Polarity, float64) {
	w := j.w
	w.read(text)
	w.match(true)
	first, last := -1, 0
	for i, t := range w.tokens {
		if int(t.end) > from && int(t.start) < to {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return reviewcast.Neutral, 0
	}
	lo, hi := 0, len(w.tokens)
	sum := felt(w.tokens, inOrder(append(voices(w.tokens, lo, hi, w.spoken, w.heard[:0]), w.extra...)), first, last)
	return feelingOf(sum).polarity(), sum
}
