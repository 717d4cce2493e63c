package sentiment

import "slices"

// match finds the phrases, the longest first, marks their tokens in w.taken and
// w.inPhrase, and sets w.phraseOpinions to those that have a polarity.
func (w *worker) match(language string) []match {
	w.phraseOpinions, w.distances = w.phraseOpinions[:0], w.distances[:0]
	hits := w.matchWith(w.v.own, language, nil)
	n := len(hits)
	hits = w.matchWith(w.v.phrases, language, hits)
	if n > 0 {
		slices.SortFunc(hits, func(a, b match) int { return a.first() - b.first() })
		sortOpinions(w.phraseOpinions)
	}
	return hits
}

func (w *worker) matchWith(phrases *trie, language string, hits []match) []match {
	for i := range w.tokens {
		t := &w.tokens[i]
		if len(t.syms) == 0 || w.taken[i] {
			continue
		}
		m := phrases.longest(w.tokens, i, w.taken)
		if m.payload == 0 {
			continue
		}
		e := w.v.entries[m.payload-1][0]
		if !e.speaks(language) {
			continue
		}
		for _, at := range m.at[:m.words] {
			w.taken[at], w.inPhrase[at] = true, true
			w.named[at] = w.named[at] || e.origin == FromEditor // editors' words are no topics
		}
		switch e.meaning {
		case ignores:
			continue
		case before, others:
			w.distances = append(w.distances, distance{t.clause, i, map[meaning]Rule{before: earlier, others: elsewhere}[e.meaning]})
			continue
		case praises, blames:
			if polarity, _ := w.phrasePolarity(e, m); polarity != Neutral {
				w.phraseOpinions = append(w.phraseOpinions, opinion{m.first(), m.last(), polarity.valence(), e.aspect})
			}
		}
		hits = append(hits, m)
	}
	return hits
}

// speaks reports whether the entry applies to texts in a language.
func (e *entry) speaks(language string) bool { return e.language == "" || e.language == language }

// phrasePolarity returns the polarity of a phrase in its context.
func (w *worker) phrasePolarity(e entry, m match) (Polarity, Rule) {
	f := Positive
	if e.meaning == blames {
		f = Negative
	}
	switch {
	case w.supposed(m.first()):
		return Neutral, conditional
	case !w.negates(m) && negated(w.tokens, m.first()):
		return f.not(), afterNegation
	}
	return f, asWritten
}

// negates reports whether a word of the phrase is a negation, so that one before it
// changes nothing: in "never no trouble", too.
func (w *worker) negates(m match) bool {
	return slices.ContainsFunc(m.at[:m.words], func(at int32) bool { return w.tokens[at].flags&negator != 0 })
}

// supposed reports whether token i is in an "if" or a wish of its clause, or asked for ("please").
func (w *worker) supposed(i int) bool {
	for k := i - 1; k >= 0 && i-k <= 12 && w.tokens[k].clause == w.tokens[i].clause; k-- {
		t := &w.tokens[k]
		if t.flags&hedge != 0 { // "even if", "as if", "no wonder if" suppose nothing
			return k == 0 || w.tokens[k-1].text != "even" && w.tokens[k-1].text != "as" && w.tokens[k-1].text != "wonder"
		}
	}
	return false
}
