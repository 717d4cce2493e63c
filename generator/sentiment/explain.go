package sentiment

import (
	"cmp"
	"slices"

	"reviewcast"
)

// Explanation is everything found in one review, with reasons.
type Explanation struct {
	Review    *reviewcast.Review
	English   bool
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
	// Of an aspect: the polarity, its strength, and what decided it.
	Polarity reviewcast.Polarity
	Score    float64
	Origin   Origin
	// Phrase is the pattern that matched, as it is written in its list.
	Phrase string
	// Cues are the most important of its sentence, when cues decided.
	Cues []Hint
	Rule string // one sentence for people
}

// Explain analyzes a review and returns what it finds with reasons.
func (a *Analyzer) Explain(r *reviewcast.Review) Explanation {
	w := newWorker(a.vocabulary)
	w.hints = map[hintsOf][]Hint{}
	found := w.analyze(r, reviewcast.Mentions{})
	out := Explanation{Review: r, English: found.English, Sentiment: found.Insight.Sentiment, Score: found.Insight.Score}
	title, body := pointsOf(r.Title), pointsOf(r.Text)
	for i := range found.Entities {
		n := &found.Entities[i]
		m := Mention{Kind: n.Kind.String(), ID: a.entities[n.Kind][n.ID].ID, Title: n.Title, Rule: n.Rule.String()}
		text, points := r.Text, body
		if n.Title {
			text, points = r.Title, title
		}
		m.Words = (*text)[n.Start:n.End]
		if n.Ambiguous() {
			m.ID, m.IDs = "", a.Bearers(m.Words)
		}
		m.Start, m.End = points[n.Start], points[n.End]
		out.Mentions = append(out.Mentions, m)
	}
	for _, n := range found.Aspects {
		m := Mention{
			Kind: "aspect", ID: a.aspects[n.Aspect].ID, Words: (*r.Text)[n.Start:n.End],
			Polarity: n.Polarity.Published(), Score: Round(float64(n.Score), 2), Origin: n.Origin, Rule: n.Rule.String(),
		}
		if n.Phrase > 0 {
			for _, e := range a.entries[n.Phrase-1] {
				if e.aspect == int32(n.Aspect) {
					m.Phrase = e.pattern
				}
			}
		}
		if n.Origin == FromCues || n.Phrase == 0 && n.Rule != figures {
			m.Cues = w.hintsFor(n)
		}
		m.Start, m.End = body[n.Start], body[n.End]
		out.Mentions = append(out.Mentions, m)
	}
	slices.SortStableFunc(out.Mentions, func(a, b Mention) int {
		if a.Title != b.Title {
			if a.Title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}

// pointsOf returns the index of the code point that begins at each byte of a text.
func pointsOf(text *string) []int {
	if text == nil {
		return nil
	}
	points, n := make([]int, len(*text)+1), 0
	for i := range *text {
		points[i] = n
		n++
	}
	points[len(*text)] = n
	return points
}
