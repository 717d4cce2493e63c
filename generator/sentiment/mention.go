package sentiment

import "reviewcast"

// AspectMention is a place in a text that judges or names an aspect.
type AspectMention struct {
	Start, End int32 // the words that name it
	Sentence   Span
	Score      float32 // of the polarity, signed
	certainty  float32 // that the aspect is meant, in log odds
	Aspect     int16   // index into Analyzer.Aspects
	Polarity   Polarity
	Origin     Origin
	Rule       Rule
	// Phrase identifies the phrase that matched, 0 when none did.
	Phrase int32
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int32 }

// Polarity is the polarity of one mention. Mentions are never mixed, votes may be.
type Polarity uint8

// The polarities of a mention.
const (
	Neutral Polarity = iota
	Positive
	Negative
	polarities
)

// Published returns the polarity as insights.json has it.
func (p Polarity) Published() reviewcast.Polarity {
	return [...]reviewcast.Polarity{reviewcast.Neutral, reviewcast.Positive, reviewcast.Negative}[p]
}

func (p Polarity) not() Polarity { return [...]Polarity{Neutral, Negative, Positive}[p] }

func polarityOf(sum float64) Polarity {
	switch {
	case sum >= neutralBelow:
		return Positive
	case sum <= -neutralBelow:
		return Negative
	}
	return Neutral
}

// Origin says what decided the polarity of a mention.
type Origin uint8

// The origins, in order of precedence.
const (
	FromEditor  Origin = iota // a phrase of insights.yaml
	FromTrade                 // a phrase that comes with reviewcast
	FromCues                  // the weighted cues of the sentence
	FromLexicon               // the opinion words around, weighted by distance
	FromStars                 // the sentence has no opinion, so the rating decides
)

func (o Origin) String() string {
	return [...]string{"editor", "trade", "cues", "lexicon", "stars"}[o]
}

// Rule says how a mention's polarity follows from what its origin says.
type Rule uint8

const (
	asWritten      Rule = iota
	afterNegation       // a negation before it
	asQuestion          // an open question
	conditional         // in an "if"
	counterfactual      // in an "if" that says it is not so: "if they ever …"
	sendsAway           // "look elsewhere" in the same sentence
	figures             // the figures of quote and bill
	noOpinion           // no opinion word in the sentence
	outweighed          // the cues of the sentence contradict the phrase
	plainFact           // the cues say that it is a fact without an opinion
)

func (r Rule) String() string {
	return [...]string{
		asWritten: "as it says", afterNegation: "a \"not\" before it turns it around", asQuestion: "asked, not said", conditional: "only supposed (\"if\")",
		counterfactual: "wished for, so it isn't so", sendsAway: "the sentence sends readers elsewhere", figures: "the figures of quote and bill",
		noOpinion: "nothing in the sentence is felt, so the stars speak", outweighed: "the words around it outweigh the phrase", plainFact: "its cues say it as a plain fact",
	}[r]
}

// HasFigures reports whether the mention compares a quoted price with the price
// charged.
func (m *AspectMention) HasFigures() bool { return m.Rule == figures }
