package insights

import (
	"slices"
	"strings"

	"reviewcast"
)

// analysis is all that is found in one review. Offsets are in bytes.
type analysis struct {
	mentions []mention
	named    []named
	grams    []uint64 // hashes of the phrases of two and three words, each once
	// loudness is the sum of what praises (0) and blames (1) in title and text.
	loudness [2]float32
	english  bool
}

// mention is an aspect that a text speaks of.
type mention struct {
	start, end int32 // the words that name it
	sentence   span
	score      float32
	sure       float32 // of the aspect, in log odds
	aspect     int16
	polarity   feeling
	origin     origin
	entry      int32 // payload in vocabulary.entries
	rule       rule
}

// feeling is a polarity in one byte.
type feeling uint8

const (
	neutral feeling = iota
	positive
	negative
)

func (f feeling) polarity() reviewcast.Polarity {
	return [...]reviewcast.Polarity{reviewcast.Neutral, reviewcast.Positive, reviewcast.Negative}[f]
}

func (f feeling) not() feeling { return [...]feeling{neutral, negative, positive}[f] }

func feelingOf(sum float64) feeling {
	switch {
	case sum >= silence:
		return positive
	case sum <= -silence:
		return negative
	}
	return neutral
}

// origin is an Origin in one byte.
type origin uint8

const (
	byEditor origin = iota
	byTrade
	byCues
	byLexicon
	byStars
)

func (o origin) public() Origin {
	return [...]Origin{FromEditor, FromTrade, FromCues, FromLexicon, FromStars}[o]
}

// rule says what was done to what a phrase or the lexicon said.
type rule uint8

const (
	asSaid     rule = iota
	denied          // a "not" before it
	asQuestion      // it is asked, not said
	supposed        // it stands in an "if"
	wished          // "if they ever …": it isn't so
	warnedOff       // "look elsewhere" turns the sentence around
	compared        // the figures of quote and bill
	unsaid          // nothing in the sentence is felt
	outweighed      // a phrase says otherwise, and the cues around it know better
	plainFact       // the cues find that nothing is felt
)

// worker analyses one review after the other and reuses its memory. It is for one
// goroutine.
type worker struct {
	v     *vocabulary
	lexer *lexer
	// scratch
	tokens []token
	sents  []span
	taken  []bool
	spoken []bool
	named  []bool // tokens of places and people, and what editors ignore: no cues
	heard  []voice
	extra  []voice // of phrases
	near   []voice
	said   []said
	// of cues: sums by clause, what gets from one to the next, and where a row was
	// heard last
	clauses  [][slots]float32
	borders  []float64
	parts    []float64
	heardIn  []int64
	stamp    int64
	dilution float32            // what is asked of cues beyond enough
	hints    map[hintsOf][]Hint // nil: not asked for
	grams    []uint64
}

func newWorker(v *vocabulary) *worker { return &worker{v: v, lexer: newLexer(v.dict)} }

// isEnglish tells whether the word lists speak a review's language.
func isEnglish(tag string) bool {
	return len(tag) >= 2 && strings.EqualFold(tag[:2], "en") && (len(tag) == 2 || tag[2] == '-')
}

// analyze reads a review. What it finds depends on title, text, language and
// stars, and on the vocabulary.
func (w *worker) analyze(r *reviewcast.Review) analysis {
	a := analysis{english: isEnglish(r.Language)}
	if r.Title != nil {
		w.read(*r.Title)
		a.named = w.names(true, a.named)
		if a.english {
			w.listen(&a)
		}
	}
	if r.Text != nil {
		w.read(*r.Text)
		a.named = w.names(false, a.named)
		w.aspects(r.Rating, &a)
		a.grams = w.phrases()
	}
	return a
}

// read cuts a text up.
func (w *worker) read(text string) {
	w.tokens = w.lexer.scan(text, w.tokens[:0])
	w.sents = sentencesOf(text, w.sents[:0])
	structure(w.tokens, w.sents)
	n := len(w.tokens)
	if cap(w.taken) < n {
		w.taken, w.spoken, w.named = make([]bool, n, n*2), make([]bool, n, n*2), make([]bool, n, n*2)
	}
	w.taken, w.spoken, w.named = w.taken[:n], w.spoken[:n], w.named[:n]
	clear(w.taken)
	clear(w.spoken)
	clear(w.named)
}

// names finds places, people, services and problems. The tokens of places and
// people say nothing more: Grace is no praise.
func (w *worker) names(title bool, dst []named) []named {
	dst = w.v.findNames(w.tokens, w.taken, title, dst)
	copy(w.spoken, w.taken)
	copy(w.named, w.taken)
	for k := service; k <= problem; k++ {
		t := w.v.things[k]
		if t == nil {
			continue
		}
		for i := 0; i < len(w.tokens); i++ {
			if len(w.tokens[i].syms) == 0 {
				continue
			}
			m := t.longest(w.tokens, i, w.taken)
			if m.payload == 0 {
				continue
			}
			last := m.last()
			for _, id := range w.v.thingIDs[k][m.payload-1] {
				dst = append(dst, named{id: id, kind: k, start: w.tokens[i].start, end: w.tokens[last].end, title: title})
			}
			i = last
		}
	}
	return dst
}

// listen adds up what a title says, which no quote can show and which therefore
// counts for the review as a whole only.
func (w *worker) listen(a *analysis) {
	w.match(true)
	w.heard = append(voices(w.tokens, 0, len(w.tokens), w.spoken, w.heard[:0]), w.extra...)
	a.loudness = loudness(a.loudness, w.heard)
}

func loudness(sum [2]float32, heard []voice) [2]float32 {
	for _, v := range heard {
		if v.valence > 0 {
			sum[0] += float32(v.valence)
		} else {
			sum[1] -= float32(v.valence)
		}
	}
	return sum
}

// hit is a phrase found.
type hit struct {
	m       match
	feeling feeling
	rule    rule
}

// match finds the phrases, the longest first, marks their tokens as spoken, and
// leaves the voices of those with a polarity in w.extra.
func (w *worker) match(english bool) []hit {
	w.extra = w.extra[:0]
	hits := w.matchWith(w.v.own, english, nil)
	n := len(hits)
	hits = w.matchWith(w.v.phrases, english, hits)
	if n > 0 {
		slices.SortFunc(hits, func(a, b hit) int { return a.m.first() - b.m.first() })
		inOrder(w.extra)
	}
	return hits
}

func (w *worker) matchWith(phrases *trie, english bool, hits []hit) []hit {
	for i := range w.tokens {
		t := &w.tokens[i]
		if len(t.syms) == 0 || w.taken[i] {
			continue
		}
		m := phrases.longest(w.tokens, i, w.taken)
		if m.payload == 0 {
			continue
		}
		group := w.v.entries[m.payload-1]
		if !english && group[0].origin != FromEditor {
			continue
		}
		for _, at := range m.at[:m.words] {
			w.taken[at], w.spoken[at] = true, true
		}
		e := group[0]
		if e.meaning == ignores {
			if e.origin == FromEditor { // not even cues shall hear it
				for _, at := range m.at[:m.words] {
					w.named[at] = true
				}
			}
			continue
		}
		if n := len(hits); n > 0 && hits[n-1].m.last() > i && sameAspect(w.v.entries[hits[n-1].m.payload-1], group) {
			continue // within the gap of a longer phrase
		}
		h := hit{m: m}
		if e.meaning == praises || e.meaning == blames {
			h.feeling, h.rule = w.say(e, m)
			v := phraseValence
			if h.feeling == negative {
				v = -v
			}
			if h.feeling != neutral {
				w.extra = append(w.extra, voice{m.first(), m.last(), v, e.aspect})
			}
		}
		hits = append(hits, h)
	}
	return hits
}

func sameAspect(a, b []entry) bool {
	for _, x := range a {
		for _, y := range b {
			if x.aspect == y.aspect {
				return true
			}
		}
	}
	return false
}

// say gives what a phrase with a polarity means where it stands.
func (w *worker) say(e entry, m match) (feeling, rule) {
	f := positive
	if e.meaning == blames {
		f = negative
	}
	first := m.first()
	if !e.denies && negated(w.tokens, first) && !w.superlative(m) {
		return f.not(), denied
	}
	if f == positive {
		switch w.condition(first) {
		case wished:
			return negative, wished
		case supposed:
			return neutral, supposed
		}
	} else if w.condition(first) == supposed {
		return neutral, supposed
	}
	return f, asSaid
}

// superlative tells whether the "never" before a phrase makes it stronger: "has
// never run so quietly".
func (w *worker) superlative(m match) bool {
	first := m.first()
	if first == 0 || w.tokens[first-1].text != "never" {
		return false
	}
	for i := first; i <= m.last(); i++ {
		if w.tokens[i].text == "so" || w.tokens[i].text == "such" || w.tokens[i].text == "this" {
			return true
		}
	}
	return false
}

// condition tells whether token i stands in an "if" of its clause: supposed, or
// wished when it is said not to be so ("if they ever answered", "if only", "if
// the price had been fair", "I wish").
func (w *worker) condition(i int) rule {
	found := asSaid
	for k := i - 1; k >= 0 && i-k <= 12 && w.tokens[k].clause == w.tokens[i].clause; k-- {
		t := &w.tokens[k]
		if t.text == "ever" || t.text == "had" && found == asSaid {
			found = wished
			continue
		}
		if t.flags&hedge == 0 {
			continue
		}
		if k > 0 && (w.tokens[k-1].text == "even" || w.tokens[k-1].text == "as" || w.tokens[k-1].text == "wonder") {
			return asSaid
		}
		if t.text == "wish" || t.text == "wished" || found == wished || k+1 < len(w.tokens) && w.tokens[k+1].text == "only" {
			return wished
		}
		return supposed
	}
	return asSaid
}
