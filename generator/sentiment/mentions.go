package sentiment

import (
	"slices"

	"reviewcast"
)

// AspectMention is a place in a text that judges or names an aspect.
type AspectMention struct {
	Start, End int32 // the words that name it
	Sentence   Span
	Score      float32             // of the polarity, signed
	Aspect     int16               // index into Analyzer.Aspects
	Polarity   reviewcast.Polarity // never mixed, as votes may be
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

// opposite is what a negation makes of a polarity.
var opposite = map[reviewcast.Polarity]reviewcast.Polarity{reviewcast.Positive: reviewcast.Negative, reviewcast.Negative: reviewcast.Positive}

// valences are those of phrases with a polarity.
var valences = map[reviewcast.Polarity]float64{reviewcast.Positive: phraseValence, reviewcast.Negative: -phraseValence}

// polarityOf returns the polarity of a score, either way, from a limit on.
func polarityOf(score, limit float64) reviewcast.Polarity {
	switch {
	case score >= limit:
		return reviewcast.Positive
	case score <= -limit:
		return reviewcast.Negative
	}
	return reviewcast.Neutral
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

// Rule says how a mention's polarity follows from its words, or how a name was recognized, for people.
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

	byName        Rule = "named as the business's files name it"
	byFirstName   Rule = "the first name of one technician only"
	byCue         Rule = "also an ordinary word, but used as a person's name here"
	byMisspelling Rule = "one letter away from one name only"
	sharedName    Rule = "several bear this name: credited to nobody"
)

// countedScore is the score, either way, from which the opinion words around a term
// count. Below it they are a possible sign.
const countedScore = 0.35

// aspects finds the mentions of aspects in the text, sentence by sentence. w.opinions are the opinion words and
// phrases of the sentence.
func (w *worker) aspects(a *Analysis) {
	hits := w.match(a.Language)
	phrases := w.phraseOpinions
	for next := 0; next < len(w.tokens); {
		s := sentence{lo: next, hi: next}
		for s.hi < len(w.tokens) && w.tokens[s.hi].sentence == w.tokens[s.lo].sentence {
			s.has |= w.tokens[s.hi].flags
			s.hi++
		}
		next = s.hi
		n, _ := slices.BinarySearchFunc(hits, s.hi, func(m match, at int) int { return m.first() - at })
		s.hits, hits = hits[:n], hits[n:]
		w.opinions = w.opinions[:0]
		if a.Language == english {
			w.opinions = opinions(w.tokens, s.lo, s.hi, w.inPhrase, w.opinions)
		}
		for len(phrases) > 0 && phrases[0].at < s.hi {
			w.opinions, phrases = append(w.opinions, phrases[0]), phrases[1:]
		}
		sortOpinions(w.opinions)
		a.addTone(w.opinions)
		begin := len(a.Aspects)
		w.phraseMentions(s, a)
		w.termMentions(s, begin, a)
	}
}

// entriesOf calls do for every meaning of the sentence's phrases that applies to
// this language and has an aspect: the first of each aspect.
func (w *worker) entriesOf(s sentence, language string, do func(h match, e entry, m AspectMention)) {
	for _, h := range s.hits {
		var meant []int32 // the aspects that the phrase is about
		for _, p := range h.payloads {
			for _, e := range w.v.entries[p-1] {
				if e.aspect < 0 || e.meaning == ignores || !e.speaks(language) || slices.Contains(meant, e.aspect) {
					continue
				}
				meant = append(meant, e.aspect)
				do(h, e, AspectMention{
					Start: w.tokens[h.first()].start, End: w.tokens[h.last()].end,
					Sentence: w.sents[w.tokens[s.lo].sentence], contrasted: s.has&contrast != 0, exception: s.has&exception != 0,
					Aspect: int16(e.aspect), Polarity: reviewcast.Neutral, Phrase: p, Pattern: e.pattern, Origin: e.origin, Rule: asWritten,
				})
			}
		}
	}
}

// phraseMentions adds the mentions of phrases that have a polarity of their own.
func (w *worker) phraseMentions(s sentence, a *Analysis) {
	w.entriesOf(s, a.Language, func(h match, e entry, m AspectMention) {
		if !e.meaning.decides() {
			return
		}
		if e.meaning != states {
			m.Polarity, m.Rule = w.phrasePolarity(e, h)
		}
		m.Score = float32(valences[m.Polarity])
		w.setUse(s, h.first(), &m)
		a.Aspects = append(a.Aspects, m)
	})
}

// termMentions adds the mentions of terms that only name an aspect, unless a phrase in the same sentence has decided
// it. begin is the index of the sentence's first mention.
func (w *worker) termMentions(s sentence, begin int, a *Analysis) {
	phrases := a.Aspects[begin:]
	w.entriesOf(s, a.Language, func(h match, e entry, m AspectMention) {
		decided := func(p AspectMention) bool { return p.Aspect == m.Aspect && p.Use == Counted }
		if e.meaning.decides() || slices.ContainsFunc(phrases, decided) {
			return
		}
		m.Origin = FromLexicon
		first := h.first()
		sum, strongest := weighOpinions(w.tokens, w.opinions, e.aspect, first, h.last())
		if strongest != nil {
			m.Opinion = Span{w.tokens[strongest.at].start, w.tokens[strongest.last].end}
			m.OpinionWord = w.tokens[strongest.at].text
		}
		m.Score, m.Polarity = float32(sum), polarityOf(sum, neutralBelow)
		switch {
		case sum >= countedScore || sum <= -countedScore:
		case w.missing(first):
			m.Rule, m.Polarity = absent, reviewcast.Negative
			if w.tokens[h.last()].flags&burden != 0 {
				m.Polarity = reviewcast.Positive
			}
			m.Score = float32(valences[m.Polarity])
		case w.middling(h):
		default:
			m.Use, m.Rule = Possible, noOpinion
		}
		if w.supposed(first) {
			m.Rule = conditional
		}
		w.setUse(s, first, &m)
		a.Aspects = append(a.Aspects, m)
	})
}

// missing reports whether the text says that there is none of what token i names.
func (w *worker) missing(i int) bool {
	return slices.ContainsFunc(w.tokens[w.clauseStart(i, 2):i], func(t token) bool {
		return slices.Contains([]string{"no", "without", "lack", "lacking", "lacked", "lacks"}, t.text)
	})
}

// middling reports whether a word such as "average" is near the term and no other opinion is.
func (w *worker) middling(m match) bool {
	const reach = 3
	return slices.ContainsFunc(w.opinions, func(o opinion) bool {
		return o.valence == 0 && o.at >= m.first()-reach && o.at <= m.last()+reach &&
			w.tokens[o.at].clause == w.tokens[m.first()].clause
	})
}

// setUse excludes a mention that states nothing about this business today.
func (w *worker) setUse(s sentence, first int, m *AspectMention) {
	switch {
	case m.Rule == conditional:
		m.Use = Unused
	case w.isQuestion(s, first):
		m.Use, m.Rule = Unused, asQuestion
	default:
		if r := w.distant(first); r != asWritten {
			m.Use, m.Rule = Unused, r
		}
	}
}

// distance is a place from which a clause is about an earlier time or another business.
type distance struct {
	clause int32
	from   int // token
	rule   Rule
}

// distant returns earlier or elsewhere when token i is about an earlier time or
// about something that the business is compared with, and asWritten otherwise.
func (w *worker) distant(i int) Rule {
	clause := w.tokens[i].clause
	lo := w.clauseStart(i, maxDistance)
	if lo > 0 && slices.Contains([]string{"who", "which", "where"}, w.tokens[lo].text) {
		clause, lo = w.tokens[lo-1].clause, w.clauseStart(lo-1, maxDistance) // about the noun before: "the last plumber, who was rude"
	}
	for _, d := range w.distances {
		if d.clause == clause && d.from < i+maxDistance && (d.rule == earlier || d.from < i) {
			return d.rule
		}
	}
	// A "than" begins what something is compared with. "Other than that" and "more than ten" compare nothing.
	for k := max(lo, 1); k < i; k++ {
		if w.tokens[k].text == "than" && !slices.Contains([]string{"other", "more", "less", "rather"}, w.tokens[k-1].text) {
			return elsewhere
		}
	}
	return asWritten
}

// clauseStart returns the first token of the clause of token i, or one at a distance before it.
func (w *worker) clauseStart(i, distance int) int {
	for least := max(0, i-distance); i > least && w.tokens[i-1].clause == w.tokens[i].clause; {
		i--
	}
	return i
}

// isQuestion reports whether token i is in the clause of an open question. "How can
// they charge so much?" is not open: it has an opinion.
func (w *worker) isQuestion(s sentence, i int) bool {
	if w.tokens[s.hi-1].shape&asked == 0 || w.tokens[i].clause != w.tokens[s.hi-1].clause && w.tokens[s.lo].flags&auxiliary == 0 {
		return false
	}
	return !slices.Contains([]string{"how", "why", "what", "who", "where", "when", "seriously", "really"}, w.tokens[s.lo].text)
}

// sentence is a sentence of a text: its tokens, and the phrases in it.
type sentence struct {
	lo, hi int
	hits   []match
	has    flags // of its words
}
