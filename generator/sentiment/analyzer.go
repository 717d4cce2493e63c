// Package sentiment reads one review: which aspects of the business it judges and
// how, and which people, services, places and problems it names.
//
// An [Analyzer] is compiled once from the editors' vocabulary and the shipped word lists. [Analyzer.Analyze] is a pure
// function of the review and the vocabulary: no clock, no randomness, no network. Its result can be kept as long as
// neither changes. Package insights counts the results.
//
// A text goes through these steps, one file each:
//
//	token.go      words, sentences (UAX 29), clauses
//	names.go      names of places and people
//	pattern.go    phrases, by longest match over words and their regular forms, and what one means in its context
//	polarity.go   the opinion words around a term, weighted by distance
//	mentions.go   each phrase and term becomes a mention of an aspect
//	verdict.go    mentions become one vote per aspect, and the review's score
//
// The polarity of a mention comes from a phrase of the editors', a shipped phrase, or the opinion words around a term,
// in this order. A mention that states nothing about this business today, or only weakly, has no vote.
package sentiment

import (
	"slices"
	"strings"
	"sync"

	"reviewcast"
)

// Config is the vocabulary of an [Analyzer].
type Config struct {
	Business                    reviewcast.Business
	ServiceAliases, AreaAliases map[string][]string // other names of services and areas, by id
	Aspects                     []Term              // nil: DefaultAspects
	Problems                    []Term
	Ignore                      []string // lists phrases that look like an aspect and are none ("late husband")
	Topics                      TopicRules
}

// Term is an aspect or a problem of the vocabulary.
type Term struct {
	ID, Label string
	// Extends is the id of a shipped aspect whose terms and phrases this aspect has,
	// too. "": none, whatever the aspect's own id is.
	Extends string
	// Terms name the aspect; its polarity is read from the words around them. They
	// match in their regular forms; in quotation marks, as they are written.
	Terms []string
	// Positive, Negative and Neutral are the editors' phrases. They decide the
	// polarity alone and take precedence over everything shipped. Aspects only.
	Positive, Negative, Neutral []string
}

// Analyzer finds mentions in reviews. It is immutable and safe for concurrent use. Of its vocabulary it shows the Aspects,
// the Entities by kind and the EditorTopics, which the fields of an [Analysis] index.
type Analyzer struct {
	*vocabulary
	workers sync.Pool // of *worker
}

// NewAnalyzer compiles a vocabulary. The Config isn't to be changed afterwards.
func NewAnalyzer(c Config) *Analyzer {
	v := newVocabulary(c)
	return &Analyzer{vocabulary: v, workers: sync.Pool{New: func() any { return &worker{v: v, seen: map[string]*word{}} }}}
}

// LexiconSHA256 returns the hash of the shipped word lists, in hex.
func (a *Analyzer) LexiconSHA256() string { return shipped().sha256 }

// Analysis is everything found in one review. Offsets are in bytes.
type Analysis struct {
	Aspects  []AspectMention // in the text
	Entities []EntityMention // in title and text
	// Topics are the keys of the text's phrases of two and three words and of the editors' topics, sorted, each once.
	Topics   []TopicKey
	Votes    []Vote              // has one entry for each aspect mentioned, in the order of the text
	Possible []int16             // the aspects with weak signs only, as indexes into Analyzer.Aspects; they have no vote
	Mentions reviewcast.Mentions // the union of the job record and the unambiguous names in title and text
	Insight  reviewcast.ReviewInsight
	// Language is the review's language if shipped phrases know it ("en", "es", "fr"),
	// and "" otherwise. Opinion words are known in English only.
	Language string
	tone     [2]float32 // the sum of the positive (0) and of the negative (1) valences in title and text
}

// Analyze finds everything in a review. The result depends on the review's title,
// text, language and rating, on its job record, and on the vocabulary.
func (a *Analyzer) Analyze(r *reviewcast.Review, job reviewcast.Mentions) *Analysis {
	w := a.workers.Get().(*worker)
	defer a.workers.Put(w)
	found := &Analysis{}
	if primary, _, _ := strings.Cut(strings.ToLower(r.Language), "-"); slices.Contains(Languages, primary) {
		found.Language = primary
	}
	if r.Title != nil {
		w.segment(*r.Title)
		found.Entities = w.entities(true, found.Entities)
		if found.Language == english {
			// No quote can show a title, so its words count for the review as a whole only.
			w.match(english)
			found.addTone(opinions(w.tokens, 0, len(w.tokens), w.inPhrase, w.opinions[:0]))
			found.addTone(w.phraseOpinions)
		}
	}
	if r.Text != nil {
		w.segment(*r.Text)
		found.Entities = w.entities(false, found.Entities)
		w.aspects(found)
		found.Topics = w.topicKeys()
	}
	found.Mentions = a.mentions(job, found.Entities)
	a.judge(r.Rating, found)
	return found
}

// mentions returns the union of the job record and the names found.
func (v *vocabulary) mentions(job reviewcast.Mentions, found []EntityMention) reviewcast.Mentions {
	union := func(k Kind) []string {
		ids := append([]string{}, k.Of(job)...)
		for _, e := range found {
			if e.Kind == k && !e.Ambiguous() {
				ids = append(ids, v.Entities[k][e.ID].ID)
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	return reviewcast.Mentions{Technicians: union(Technician), Services: union(Service), ServiceAreas: union(Area)}
}

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
	distances      []distance
}

// Languages are the languages in which shipped phrases are known.
var Languages = []string{english, "es", "fr"}

const english = "en"

func (a *Analysis) addTone(opinions []opinion) {
	for _, o := range opinions {
		a.tone[0] += float32(max(o.valence, 0))
		a.tone[1] += float32(max(-o.valence, 0))
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
	dst = w.findNames(title, dst)
	copy(w.inPhrase, w.taken)
	copy(w.named, w.taken)
	for i := range w.tokens {
		w.taken[i] = w.taken[i] && w.tokens[i].word != w.v.person
	}
	for k := Service; k <= Problem; k++ {
		for i := 0; i < len(w.tokens); i++ {
			m := w.v.things[k].longest(w.tokens, i, w.taken)
			if m.words == 0 {
				continue
			}
			for _, id := range w.v.thingIDs[k][m.payloads[0]-1] {
				dst = append(dst, EntityMention{ID: id, Kind: k, Start: w.tokens[i].start, End: w.tokens[m.last()].end,
					Sentence: w.sents[w.tokens[i].sentence], Title: title, Rule: byName})
			}
			i = m.last()
		}
	}
	return dst
}
