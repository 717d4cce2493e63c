package sentiment

import (
	"slices"
	"strings"

	"reviewcast"
)

// worker analyzes one review after another and reuses its memory. It is not safe for concurrent use.
type worker struct {
	v    *vocabulary
	seen map[string]*word // as they are written

	// The text being read.
	tokens   []token
	sents    []Span
	taken    []bool // tokens that a name or a phrase has used
	inPhrase []bool // tokens of phrases and names: their valence does not count by itself
	named    []bool // tokens of places, people and editors' phrases: no topics

	// Of the current sentence, or of phrases in the whole text.
	opinions       []opinion
	phraseOpinions []opinion
	near           []opinion
	distances      []distance
	decided        []bool  // by aspect: a phrase of the sentence counts
	meant          []int32 // the aspects that a phrase is about

	topics []TopicKey
}

func newWorker(v *vocabulary) *worker {
	return &worker{v: v, seen: map[string]*word{}, decided: make([]bool, len(v.aspects))}
}

// Languages are the languages in which shipped phrases are known.
var Languages = []string{english, "es", "fr"}

const english = "en"

// languageOf returns the primary subtag of a language tag if it is one of Languages, and "" otherwise.
func languageOf(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if slices.Contains(Languages, primary) {
		return primary
	}
	return ""
}

func (w *worker) analyze(r *reviewcast.Review, job reviewcast.Mentions) *Analysis {
	a := &Analysis{Language: languageOf(r.Language)}
	if r.Title != nil {
		w.segment(*r.Title)
		a.Entities = w.entities(true, a.Entities)
		if a.Language == english {
			// No quote can show a title, so its words count for the review as a whole only.
			w.match(english)
			a.addTone(opinions(w.tokens, 0, len(w.tokens), w.inPhrase, w.opinions[:0]))
			a.addTone(w.phraseOpinions)
		}
	}
	if r.Text != nil {
		w.segment(*r.Text)
		a.Entities = w.entities(false, a.Entities)
		w.aspects(a)
		a.Topics = w.topicKeys()
	}
	a.Mentions = w.v.mentions(job, a.Entities)
	w.v.judge(r.Rating, a)
	return a
}

func (a *Analysis) addTone(opinions []opinion) {
	for _, o := range opinions {
		if o.valence > 0 {
			a.tone[0] += float32(o.valence)
		} else {
			a.tone[1] -= float32(o.valence)
		}
	}
}

// segment splits a text into tokens, clauses and sentences.
func (w *worker) segment(text string) {
	w.tokens = w.scan(text, w.tokens[:0])
	w.sents = sentencesOf(text, w.sents[:0])
	structure(w.tokens, w.sents)
	for _, marks := range []*[]bool{&w.taken, &w.inPhrase, &w.named} {
		*marks = append((*marks)[:0], make([]bool, len(w.tokens))...)
	}
}

// entities finds places, people, services and problems. The tokens of places and people
// have no other meaning: Grace is no praise. "Grace was rude" is about a technician.
func (w *worker) entities(title bool, dst []EntityMention) []EntityMention {
	dst = w.v.findNames(w.tokens, w.taken, title, dst)
	copy(w.inPhrase, w.taken)
	copy(w.named, w.taken)
	for i := range w.tokens {
		w.taken[i] = w.taken[i] && w.tokens[i].word != w.v.person
	}
	for k := Service; k <= Problem; k++ {
		for i := 0; i < len(w.tokens); i++ {
			if len(w.tokens[i].syms) == 0 {
				continue
			}
			m := w.v.things[k].longest(w.tokens, i, w.taken)
			if m.payloads[0] == 0 {
				continue
			}
			last := m.last()
			for _, id := range w.v.thingIDs[k][m.payloads[0]-1] {
				dst = append(dst, EntityMention{ID: id, Kind: k, Start: w.tokens[i].start, End: w.tokens[last].end, Title: title, Rule: byName})
			}
			i = last
		}
	}
	for i := range dst {
		if m := &dst[i]; m.Title == title {
			at, _ := slices.BinarySearchFunc(w.sents, m.Start, func(s Span, start int32) int { return int(s.End - start - 1) })
			m.Sentence = w.sents[at]
		}
	}
	return dst
}
