package sentiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast"
)

// Explanation is everything found in one review, with reasons.
type Explanation struct {
	Review    *reviewcast.Review
	Language  string // see Analysis.Language
	Sentiment reviewcast.Polarity
	Score     float64
	Mentions  []Mention // in the order of title, then text
}

// Mention is one thing found in a review, and why.
type Mention struct {
	Kind string // "aspect", "technician", "service", "problem" or "service_area"
	// ID is the aspect or entity; IDs of all whom an ambiguous name may mean.
	ID  string
	IDs []string
	// Title reports whether it is in the title. Start and End count code points.
	Title      bool
	Start, End int
	Words      string
	// Of an aspect: the polarity, and what decided it.
	Polarity reviewcast.Polarity
	Origin   Origin
	// Phrase is the pattern that matched, as it is written in its list, Opinion the
	// word that judges a term, Label the aspect's.
	Phrase, Opinion, Label string
	Use                    Use
	Rule                   string // one sentence for people
}

var kindNames = [...]string{Area: "service_area", Technician: "technician", Service: "service", Problem: "problem"}

// Explain analyzes a review and returns what it finds with reasons.
func (a *Analyzer) Explain(r *reviewcast.Review) Explanation {
	found := a.Analyze(r, reviewcast.Mentions{})
	out := Explanation{Review: r, Language: found.Language, Sentiment: found.Insight.Sentiment, Score: found.Insight.Score}
	add := func(m Mention, text string, start, end int32) {
		m.Words, m.Start = text[start:end], utf8.RuneCountInString(text[:start])
		m.End = m.Start + utf8.RuneCountInString(m.Words)
		out.Mentions = append(out.Mentions, m)
	}
	texts := map[bool]*string{true: r.Title, false: r.Text} // by Title
	for i := range found.Entities {
		n := &found.Entities[i]
		m := Mention{Kind: kindNames[n.Kind], ID: a.Entities[n.Kind][n.ID].ID, Title: n.Title, Rule: string(n.Rule)}
		if n.Ambiguous() {
			m.ID, m.IDs = "", a.Bearers(n)
		}
		add(m, *texts[n.Title], n.Start, n.End)
	}
	for _, n := range found.Aspects {
		add(Mention{
			Kind: "aspect", ID: a.Aspects[n.Aspect].ID, Label: a.Aspects[n.Aspect].Label, Phrase: n.Pattern, Opinion: (*r.Text)[n.Opinion.Start:n.Opinion.End],
			Polarity: n.Polarity, Origin: n.Origin, Use: n.Use, Rule: string(n.Rule),
		}, *r.Text, n.Start, n.End)
	}
	part := map[bool]int{true: 0, false: 1} // by Title
	slices.SortStableFunc(out.Mentions, func(a, b Mention) int {
		return cmp.Or(cmp.Compare(part[a.Title], part[b.Title]), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// Reason says in one sentence why a mention of an aspect is what it is.
func (m *Mention) Reason() string {
	words := fmt.Sprintf("%q", strings.Join(strings.Fields(m.Words), " "))
	if m.Use != Counted {
		return fmt.Sprintf("%s is not counted for %s: %s", words, m.Label, m.Rule)
	}
	verb := map[reviewcast.Polarity]string{reviewcast.Positive: "praises", reviewcast.Negative: "criticizes", reviewcast.Neutral: "is neutral about"}[m.Polarity]
	why := ""
	switch {
	case m.Origin == FromEditor:
		why = fmt.Sprintf(", by the phrase %q of insights.yaml", m.Phrase)
	case m.Origin == FromTrade:
		why = ", a shipped phrase"
	case m.Opinion != "":
		words = fmt.Sprintf("%q beside %s", m.Opinion, words)
	}
	if m.Rule != string(asWritten) {
		why += "; " + m.Rule
	}
	return fmt.Sprintf("%s %s %s%s", words, verb, m.Label, why)
}

// Polarity applies the lexicon rule to bytes from to to of a text, as if they were a term of no aspect, to measure it
// on labelled corpora. It returns the polarity, and a score with its sign, which is 0 when there is no opinion at all.
func (a *Analyzer) Polarity(text string, from, to int) (reviewcast.Polarity, float64) {
	w := a.workers.Get().(*worker)
	defer a.workers.Put(w)
	w.segment(text)
	w.match(english)
	first := slices.IndexFunc(w.tokens, func(t token) bool { return int(t.end) > from })
	if first < 0 || int(w.tokens[first].start) >= to {
		return reviewcast.Neutral, 0
	}
	last := first
	for last+1 < len(w.tokens) && int(w.tokens[last+1].start) < to {
		last++
	}
	sum, _ := weighOpinions(w.tokens, sortOpinions(append(opinions(w.tokens, 0, len(w.tokens), w.inPhrase, w.opinions[:0]), w.phraseOpinions...)), anyAspect, first, last)
	return polarityOf(sum, neutralBelow), sum
}
