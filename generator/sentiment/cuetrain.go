package sentiment

// CueReader reads texts as Compute does and gives all that could be a cue in them.
// It is for the fit of lexicon/cues.txt, and for one goroutine.
type CueReader struct{ w *worker }

// CueUnit is what is read at once: a sentence, or a part of a very long one.
type CueUnit struct {
	Cues []CueSaid
	// Borders are what gets through of what is felt, from each clause to the next.
	Borders []float64
}

// CueSaid is a cue where it stands.
type CueSaid struct {
	Key    uint64
	Value  float64
	Clause int // from 0
}

// NewCueReader makes one. It knows no table: every word may be a cue's.
func NewCueReader() *CueReader {
	words := newCueWords()
	words.learn = true
	words.resolve()
	return &CueReader{newWorker(makeVocabulary(Config{}, words))}
}

// Read cuts a text up.
func (r *CueReader) Read(text string) (out []CueUnit) {
	w := r.w
	w.segment(text)
	for s := range w.sentences(w.match(true), true) {
		for lo := s.lo; lo < s.hi; {
			hi := unitEnd(w.tokens, lo, s.hi)
			u := CueUnit{Borders: borders(w.tokens[lo:hi], nil)}
			w.extractCues(lo, hi, s.hits)
			for _, c := range w.said {
				u.Cues = append(u.Cues, CueSaid{uint64(c.cue), float64(c.value), int(w.tokens[c.first].clause - w.tokens[lo].clause)})
			}
			out = append(out, u)
			lo = hi
		}
	}
	return out
}

// Name writes a cue as the table has it.
func (r *CueReader) Name(key uint64) string { return r.w.v.dict.cues.name(cueKey(key)) }
