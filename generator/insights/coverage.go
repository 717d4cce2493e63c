package insights

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"reviewcast/generator/sentiment"
)

// Coverage is what an editor's vocabulary finds in the reviews, and what it misses.
type Coverage struct {
	Aspects  []AspectCoverage
	Uncaught []Uncaught // frequent phrases that no term or phrase matches, most frequent first
}

// AspectCoverage is what the terms and phrases of one aspect match.
type AspectCoverage struct {
	ID    string
	Terms []*TermCoverage // the editor's, in their order, then the shipped ones that match
}

// TermCoverage is what one term or phrase matches.
type TermCoverage struct {
	Term     string
	Shipped  bool
	Reviews  int
	Examples []Example // the first ones, newest first
}

// Example is a sentence in which a term matches.
type Example struct{ ReviewID, Sentence string }

// Uncaught is a phrase that many reviews have and no term matches.
type Uncaught struct {
	Phrase  string
	Reviews int
}

// Cover reports what the vocabulary of in matches in its reviews.
func Cover(in Input) Coverage {
	const examples, maxUncaught = 5, 30 // of each term, and phrases
	a := sentiment.NewAnalyzer(in.Config)
	out := Coverage{Aspects: make([]AspectCoverage, len(a.Aspects))}
	type key struct {
		aspect int16
		term   string
	}
	found := map[key]*TermCoverage{}
	cover := func(aspect int16, term string, shipped bool) *TermCoverage {
		k := key{aspect, strings.TrimSpace(term)}
		if found[k] == nil {
			found[k] = &TermCoverage{Term: k.term, Shipped: shipped}
			out.Aspects[aspect].Terms = append(out.Aspects[aspect].Terms, found[k])
		}
		return found[k]
	}
	var own []int // how many terms are the editor's
	for i, t := range a.Aspects {
		out.Aspects[i].ID = t.ID
		for _, term := range slices.Concat(t.Terms, t.Positive, t.Negative, t.Neutral) {
			cover(int16(i), term, false)
		}
		own = append(own, len(out.Aspects[i].Terms))
	}
	uncaught := map[sentiment.TopicKey]*topicSum{}
	for _, r := range Compute(in).Reviews {
		if r.Text == nil {
			continue
		}
		counted := map[*TermCoverage]bool{}
		for k := range r.Aspects {
			m := &r.Aspects[k]
			c := cover(m.Aspect, m.Pattern, true)
			if counted[c] {
				continue
			}
			counted[c] = true
			if c.Reviews++; len(c.Examples) < examples {
				c.Examples = append(c.Examples, Example{r.ID, strings.Join(strings.Fields((*r.Text)[m.Sentence.Start:m.Sentence.End]), " ")})
			}
		}
		for _, key := range a.Unmatched(*r.Text, r.Analysis.Language) {
			if uncaught[key] == nil {
				uncaught[key] = &topicSum{key: key}
			}
			uncaught[key].add(&r, windows{})
		}
	}
	for i, c := range out.Aspects {
		slices.SortFunc(c.Terms[own[i]:], func(x, y *TermCoverage) int {
			return cmp.Or(cmp.Compare(y.Reviews, x.Reviews), strings.Compare(x.Term, y.Term))
		})
	}
	maps.DeleteFunc(uncaught, func(_ sentiment.TopicKey, s *topicSum) bool { return s.n == 1 }) // of a single review
	sums := slices.SortedFunc(maps.Values(uncaught), func(x, y *topicSum) int {
		return cmp.Or(cmp.Compare(y.n, x.n), cmp.Compare(x.key, y.key))
	})
	for _, s := range sums[:min(len(sums), maxUncaught)] {
		s.setLabel(a)
		out.Uncaught = append(out.Uncaught, Uncaught{s.label, s.n})
	}
	return out
}
