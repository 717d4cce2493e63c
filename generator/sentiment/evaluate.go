package sentiment

import "reviewcast"

// Judge applies the lexicon rule to given words of a sentence, to measure it on
// labelled corpora. It is not safe for concurrent use.
type Judge struct{ w *worker }

// NewJudge returns a Judge. It knows no aspects, only the shipped phrases that praise or blame whatever is near them.
func NewJudge() *Judge { return &Judge{newWorker(newVocabulary(Config{Aspects: []Term{}}))} }

// Polarity returns the polarity of bytes from to to of a text, and a score with
// its sign. The score is 0 when there is no opinion at all.
func (j *Judge) Polarity(text string, from, to int) (reviewcast.Polarity, float64) {
	w := j.w
	w.segment(text)
	w.match(english)
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
	sum, _ := weighOpinions(w.tokens, sortOpinions(append(opinions(w.tokens, 0, len(w.tokens), w.inPhrase, w.opinions[:0]), w.phraseOpinions...)), first, last)
	return polarityOf(sum).Published(), sum
}
