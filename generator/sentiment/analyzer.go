// Package sentiment reads one review: which aspects of the business it judges and
// how, and which people, services, places and problems it names.
//
// An [Analyzer] is compiled once from the editors' vocabulary and the shipped word lists. [Analyzer.Analyze] is a pure
// function of the review and the vocabulary: no clock, no randomness, no network. Its result can be kept as long as
// neither changes. Package insights counts the results.
//
// A text goes through these steps, one file each:
//
//	token.go, segment.go   words, sentences (UAX 29), clauses
//	names.go               names of places and people
//	pattern.go             phrases, by longest match over words and their regular forms, and what one means in its context
//	polarity.go            the opinion words around a term, weighted by distance
//	mentions.go            each phrase and term becomes a mention of an aspect
//	verdict.go             mentions become one vote per aspect, and the review's score
//
// The polarity of a mention comes from a phrase of the editors', a shipped phrase, or the opinion words around a term,
// in this order. A mention that states nothing about this business today, or only weakly, has no vote.
package sentiment

import (
	"slices"
	"sync"

	"reviewcast"
)

// Config is the vocabulary of an [Analyzer].
type Config struct {
	Business reviewcast.Business
	// ServiceAliases and AreaAliases are other names of services and areas, by id.
	ServiceAliases, AreaAliases map[string][]string
	Aspects                     []Term // nil: DefaultAspects
	Problems                    []Term
	// Ignore lists phrases that look like an aspect and are none ("late husband").
	Ignore []string
	Topics TopicRules
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

// Analyzer finds mentions in reviews. It is immutable and safe for concurrent use.
type Analyzer struct {
	*vocabulary
	workers sync.Pool // of *worker
}

// NewAnalyzer compiles a vocabulary. The Config isn't to be changed afterwards.
func NewAnalyzer(c Config) *Analyzer {
	v := newVocabulary(c)
	return &Analyzer{vocabulary: v, workers: sync.Pool{New: func() any { return newWorker(v) }}}
}

// Aspects returns the aspects of the vocabulary, in the editors' order.
// [AspectMention.Aspect] and [Vote.Aspect] index it.
func (a *Analyzer) Aspects() []Term { return a.aspects }

// Entities returns everything of a kind that the vocabulary has. [EntityMention.ID] indexes it.
func (a *Analyzer) Entities(k Kind) []reviewcast.Named { return a.entities[k] }

// LexiconSHA256 returns the hash of the shipped word lists, in hex.
func (a *Analyzer) LexiconSHA256() string { return shipped().sha256 }

// Analysis is everything found in one review. Offsets are in bytes.
type Analysis struct {
	Aspects  []AspectMention // in the text
	Entities []EntityMention // in title and text
	// Topics are the keys of the text's phrases of two and three words and of the editors' topics, sorted, each once.
	Topics []TopicKey
	// Votes has one entry for each aspect mentioned, in the order of the text.
	Votes []Vote
	// Possible are the aspects with weak signs only, as indexes into Analyzer.Aspects. They have no vote.
	Possible []int16
	// Mentions is the union of the job record and the unambiguous names in title and text.
	Mentions reviewcast.Mentions
	Insight  reviewcast.ReviewInsight
	// Language is the review's language if shipped phrases know it ("en", "es", "fr"),
	// and "" otherwise. Opinion words are known in English only.
	Language string
	// tone is the sum of the positive (0) and of the negative (1) valences in title and text.
	tone [2]float32
}

// Analyze finds everything in a review. The result depends on the review's title,
// text, language and rating, on its job record, and on the vocabulary.
func (a *Analyzer) Analyze(r *reviewcast.Review, job reviewcast.Mentions) *Analysis {
	w := a.workers.Get().(*worker)
	defer a.workers.Put(w)
	return w.analyze(r, job)
}

// mentions returns the union of the job record and the names found.
func (v *vocabulary) mentions(job reviewcast.Mentions, found []EntityMention) reviewcast.Mentions {
	union := func(k Kind) []string {
		ids := append([]string{}, k.Of(job)...)
		for _, e := range found {
			if e.Kind == k && !e.Ambiguous() {
				ids = append(ids, v.entities[k][e.ID].ID)
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	return reviewcast.Mentions{Technicians: union(Technician), Services: union(Service), ServiceAreas: union(Area)}
}
