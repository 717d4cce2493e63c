package sentiment

import (
	"iter"
	"unicode/utf8"
)

// aspects finds the mentions of aspects in the text, sentence by sentence.
func (w *worker) aspects(stars int, a *Analysis) {
	w.dilution = min(dilution*float32(max(w.sentencesWithWords()-1, 0)), maxDilution)
	for s := range w.sentences(w.match(a.English), a.English) {
		a.addTone(w.opinions)
		begin := len(a.Aspects)
		w.phraseMentions(s, a)
		w.termMentions(s, stars, begin, a)
		if a.English {
			w.scoreCues(s, stars, begin, a)
		}
		if len(a.Aspects) > begin && w.sendsAway(s.lo, s.hi) {
			for i := range a.Aspects[begin:] {
				if m := &a.Aspects[begin+i]; m.Polarity == Positive || m.Rule == conditional {
					m.Polarity, m.Rule = Negative, sendsAway
				}
			}
		}
	}
	w.compareFigures(a)
}

// sentencesWithWords counts the sentences that contain a word: a line of symbols
// does not make a text longer.
func (w *worker) sentencesWithWords() (n int) {
	last := int32(-1)
	for i := range w.tokens {
		t := &w.tokens[i]
		if r, _ := utf8.DecodeRuneInString(t.text); t.sentence != last && wordRune(r) {
			n, last = n+1, t.sentence
		}
	}
	return n
}

// entriesOf calls do for every meaning of the sentence's phrases that applies to
// this language and has an aspect.
func (w *worker) entriesOf(s sentence, english bool, do func(h hit, e entry, m AspectMention)) {
	for _, h := range s.hits {
		for _, e := range w.v.entries[h.m.payload-1] {
			if e.aspect < 0 || e.meaning == ignores || !english && e.origin != FromEditor {
				continue
			}
			do(h, e, AspectMention{
				Start: w.tokens[h.m.first()].start, End: w.tokens[h.m.last()].end,
				Sentence: w.sents[w.tokens[s.lo].sentence], Aspect: int16(e.aspect), Phrase: h.m.payload, Origin: e.origin,
			})
		}
	}
}

// phraseMentions adds the mentions of phrases that have a polarity of their own.
func (w *worker) phraseMentions(s sentence, a *Analysis) {
	question := w.isQuestion(s.lo, s.hi)
	w.entriesOf(s, a.English, func(h hit, e entry, m AspectMention) {
		if !e.meaning.decides() {
			return
		}
		if e.meaning != states {
			m.Polarity, m.Rule = w.phrasePolarity(e, h.m)
		}
		if question && m.Polarity != Neutral {
			m.Polarity, m.Rule = Neutral, asQuestion
		}
		m.Score = [...]float32{0, phraseValence, -phraseValence}[m.Polarity]
		a.Aspects = append(a.Aspects, m)
	})
}

// termMentions adds the mentions of terms that only name an aspect, unless a
// phrase in the same sentence has decided it. begin is the index of the sentence's
// first mention.
func (w *worker) termMentions(s sentence, stars, begin int, a *Analysis) {
	question, phrases := w.isQuestion(s.lo, s.hi), len(a.Aspects)
	w.entriesOf(s, a.English, func(h hit, e entry, m AspectMention) {
		if e.meaning.decides() {
			return
		}
		for _, decided := range a.Aspects[begin:phrases] {
			if decided.Aspect == m.Aspect {
				return
			}
		}
		sum := w.termPolarity(e, h.m)
		m.Score, m.Origin, m.Polarity = float32(sum), FromLexicon, polarityOf(sum)
		switch {
		case question:
			m.Polarity, m.Rule = Neutral, asQuestion
		case m.Polarity == Positive && w.condition(h.m.first()) == counterfactual:
			m.Polarity, m.Rule = Negative, counterfactual
		case m.Polarity == Neutral && len(w.opinions) == 0 && stars != 3 && e.meaning == names && stars > 0:
			m.Origin, m.Rule, m.Polarity = FromStars, noOpinion, Negative
			if stars > 3 {
				m.Polarity = Positive
			}
		}
		if e.meaning == maybe && m.Polarity == Neutral {
			return
		}
		a.Aspects = append(a.Aspects, m)
	})
}

// termPolarity applies the lexicon rule to a term. The phrases of other aspects
// are left out. A term that names the aspect only sometimes ("people") is judged
// by its own clause.
func (w *worker) termPolarity(e entry, m match) float64 {
	w.near = w.near[:0]
	for _, o := range inRange(w.opinions, m.first(), m.last()) {
		if o.aspect != anyAspect && o.aspect != e.aspect ||
			e.meaning == maybe && w.tokens[o.at].clause != w.tokens[m.first()].clause {
			continue
		}
		w.near = append(w.near, o)
	}
	return weighOpinions(w.tokens, w.near, m.first(), m.last())
}

// isQuestion reports whether a sentence is an open question. "How can they charge
// so much?" is not: it has an opinion.
func (w *worker) isQuestion(lo, hi int) bool {
	if w.tokens[hi-1].shape&asked == 0 {
		return false
	}
	switch w.tokens[lo].text {
	case "how", "why", "what", "who", "where", "when", "seriously", "really":
		return false
	}
	return true
}

// sendsAway reports whether a sentence says "look elsewhere" or similar.
func (w *worker) sendsAway(lo, hi int) bool {
	for i := lo + 1; i < hi; i++ {
		if w.tokens[i].text == "elsewhere" {
			switch w.tokens[i-1].text {
			case "look", "go", "try", "call", "shop", "stay", "somewhere", "looking":
				return true
			}
		}
	}
	return false
}

// sentence is a sentence of a text: its tokens, and the phrases in it.
type sentence struct {
	lo, hi int
	hits   []hit
}

// sentences splits the tokens by sentence, and sets w.opinions to the opinion
// words and phrases of each.
func (w *worker) sentences(hits []hit, english bool) iter.Seq[sentence] {
	return func(yield func(sentence) bool) {
		next, phrases := 0, w.phraseOpinions
		for lo := 0; lo < len(w.tokens); {
			hi := lo + 1
			for hi < len(w.tokens) && w.tokens[hi].sentence == w.tokens[lo].sentence {
				hi++
			}
			from := next
			for next < len(hits) && hits[next].m.first() < hi {
				next++
			}
			w.opinions = w.opinions[:0]
			if english {
				w.opinions = opinions(w.tokens, lo, hi, w.inPhrase, w.opinions)
			}
			for len(phrases) > 0 && phrases[0].at < hi {
				w.opinions, phrases = append(w.opinions, phrases[0]), phrases[1:]
			}
			sortOpinions(w.opinions)
			if !yield(sentence{lo, hi, hits[from:next]}) {
				return
			}
			lo = hi
		}
	}
}
