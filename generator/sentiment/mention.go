package sentiment

import "reviewcast"

// AspectMention is a place in a text that judges or names an aspect.
type AspectMention struct {
	Start, End int32 // the words that name it
	Sentence   Span
	Score      float32 // of the polarity, signed
	Aspect     int16   // index into Analyzer.Aspects
	Polarity   Polarity
	Origin     Origin
	Rule       Rule
	Use        Use
	contrasted bool // a "but" or its like is in the sentence
	exception  bool // a word such as "only" or "complaint" is in it
	// Phrase identifies the phrase or term that matched, and Pattern is how its list has it.
	Phrase  int32
	Pattern string
	// Opinion is the word that decides the polarity of a term, and OpinionWord its folded form; empty for a phrase.
	Opinion     Span
	OpinionWord string
}

// Use says whether a mention counts.
type Use uint8

// The uses of a mention.
const (
	Counted  Use = iota // it is part of the review's vote
	Possible            // its signs are too weak to count
	Unused              // it judges nothing: a question, another business, an earlier time
)

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

// valence is that of a phrase with the polarity.
func (p Polarity) valence() float64 { return [...]float64{0, phraseValence, -phraseValence}[p] }

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
	FromLexicon               // the opinion words around, weighted by distance
)

func (o Origin) String() string { return [...]string{"editor", "trade", "lexicon"}[o] }

// Rule says how a mention's polarity follows from its words, for people.
type Rule string

const (
	asWritten     Rule = "as it says"
	afterNegation Rule = "a negation before it reverses it"
	absent        Rule = "it is missing" // "no towels"
	asQuestion    Rule = "a question, not a statement"
	conditional   Rule = "supposed, wished, asked for or promised, not stated"
	earlier       Rule = "about an earlier time"
	elsewhere     Rule = "about something that it is compared with or that was hoped for"
	noOpinion     Rule = "named, but no clear opinion is near it"
	againstText   Rule = "it contradicts the rest of the text, and no phrase confirms it"
	againstStars  Rule = "it contradicts the stars, and no second sign supports it"
)
