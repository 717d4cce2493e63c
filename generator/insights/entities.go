package insights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

type entitySum struct {
	reviewcast.Entity
	tally
	aspects      map[string]int // votes by the aspect's id
	quarterStars int            // of its newest quarter so far
}

// naming is how a review names an entity: whether its job record does, and how often its text.
type naming struct{ job, text int }

// entities counts places, technicians, services and problems, in one pass over the reviews, newest first.
func entities(a *sentiment.Analyzer, all []Analyzed) reviewcast.Entities {
	var sums [sentiment.Kinds][]entitySum
	var index [sentiment.Kinds]map[string]int32 // by id
	for k := range sentiment.Kinds {
		index[k] = map[string]int32{}
		for i, e := range a.Entities[k] {
			index[k][e.ID] = int32(i)
			sums[k] = append(sums[k], entitySum{
				Entity:  reviewcast.Entity{ID: e.ID, Name: e.Name, TopAspects: []string{}, ExampleReviewIDs: []string{}, Quarters: []reviewcast.Quarter{}},
				aspects: map[string]int{},
			})
		}
	}
	w := windowsOf(all)
	var whole tally
	for i := range all {
		r := &all[i]
		whole.add(r, w)
		named := map[*entitySum]naming{}
		for k := range sentiment.Kinds {
			for _, id := range k.Of(r.Job) {
				if at, ok := index[k][id]; ok {
					named[&sums[k][at]] = naming{job: 1}
				}
			}
		}
		for _, e := range r.Entities {
			if s := &sums[e.Kind][e.ID]; !e.Ambiguous() {
				named[s] = naming{named[s].job, named[s].text + 1}
			}
		}
		for s, n := range named {
			s.add(a, r, n, w)
		}
		for _, id := range r.Mentions.Technicians {
			sums[sentiment.Technician][index[sentiment.Technician][id]].addQuarter(a, r)
		}
	}
	publish := func(k sentiment.Kind) []reviewcast.Entity { return published(sums[k], whole.windows) }
	return reviewcast.Entities{
		Technicians: publish(sentiment.Technician), Services: publish(sentiment.Service),
		Problems: publish(sentiment.Problem), ServiceAreas: publish(sentiment.Area),
	}
}

func (e *entitySum) add(a *sentiment.Analyzer, r *Analyzed, n naming, w windows) {
	e.tally.add(r, w)
	e.FromJob += n.job
	e.MentionCount += n.job + n.text
	e.FromText += min(n.text, 1)
	for _, b := range r.Votes {
		e.aspects[a.Aspects[b.Aspect].ID]++
	}
	e.LastMentioned = cmp.Or(e.LastMentioned, &r.Date) // newest first
}

// addQuarter adds a review's votes to its quarter. Reviews come newest first.
func (e *entitySum) addQuarter(a *sentiment.Analyzer, r *Analyzed) {
	at := r.Date.Noon()
	name := fmt.Sprintf("%d-Q%d", at.Year(), (int(at.Month())+2)/3)
	if n := len(e.Quarters); n == 0 || e.Quarters[n-1].Quarter != name {
		e.Quarters, e.quarterStars = append(e.Quarters, reviewcast.Quarter{Quarter: name, Votes: []reviewcast.AspectVotes{}}), 0
	}
	q := &e.Quarters[len(e.Quarters)-1]
	q.ReviewCount++
	e.quarterStars += r.Rating
	q.AverageRating = reviewcast.Mean(e.quarterStars, q.ReviewCount)
	for _, v := range r.Votes {
		id := a.Aspects[v.Aspect].ID
		at, ok := slices.BinarySearchFunc(q.Votes, id, func(a reviewcast.AspectVotes, id string) int { return strings.Compare(a.ID, id) })
		if !ok {
			q.Votes = slices.Insert(q.Votes, at, reviewcast.AspectVotes{ID: id})
		}
		q.Votes[at].Add(v.Polarity)
	}
}

// published sorts by number of reviews, then by id. Entities that no review names are listed with zeros.
func published(sums []entitySum, windows [2]int) []reviewcast.Entity {
	const maxTopAspects = 3
	out := make([]reviewcast.Entity, len(sums))
	for i := range sums {
		s := &sums[i]
		s.ReviewCount, s.AverageRating, s.SentimentCounts = s.n, reviewcast.Mean(s.stars, s.n), s.counts
		s.ExampleReviewIDs = append(s.ExampleReviewIDs, s.examples...)
		s.TopAspects = most(s.aspects, maxTopAspects)
		s.Trend = shareTrend(windows, s.windows)
		slices.Reverse(s.Quarters)
		out[i] = s.Entity
	}
	slices.SortStableFunc(out, func(a, b reviewcast.Entity) int {
		return cmp.Or(cmp.Compare(b.ReviewCount, a.ReviewCount), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func ambiguous(an *sentiment.Analyzer, all []Analyzed) []*AmbiguousName {
	by := map[string]*AmbiguousName{} // by the folded name
	for i := range all {
		r := &all[i]
		for k := range r.Entities {
			m := &r.Entities[k]
			if !m.Ambiguous() {
				continue
			}
			written := r.textOf(m)[m.Start:m.End]
			key := sentiment.Fold(written)
			if by[key] == nil {
				by[key] = &AmbiguousName{Name: written, TechnicianIDs: an.Bearers(m)}
			}
			a := by[key]
			if n := len(a.ReviewIDs); n == 0 || a.ReviewIDs[n-1] != r.ID {
				a.ReviewIDs = append(a.ReviewIDs, r.ID)
			}
		}
	}
	return slices.SortedFunc(maps.Values(by), func(a, b *AmbiguousName) int { return strings.Compare(a.Name, b.Name) })
}

// Measured is the accuracy of the method on real reviews, as `make measure`
// computes it. CI compares the two where the reviews are at hand.
var Measured = reviewcast.Measured{
	Precision: 0.848, Recall: 0.707, Reviews: 152, Labels: 611,
	On: "airline lounges, with an editor's vocabulary; the half of the labelled reviews that nothing was changed for",
}

// confidence returns the 95 % interval of the positive share. Of the votes, a share of up to e is read wrongly, e
// being the upper bound of what was measured: the interval reaches from Wilson's lower bound with as many positive
// votes fewer to his upper bound with as many of the others more.
func confidence(c reviewcast.SentimentCounts, votes, phrased int, m reviewcast.Measured) reviewcast.Confidence {
	if votes == 0 {
		return reviewcast.Confidence{Low: 0, High: 1, Level: "none"}
	}
	_, e := reviewcast.Wilson((1-m.Precision)*float64(m.Labels), float64(m.Labels))
	positive, n := float64(c.PositiveCount), float64(votes)
	low, _ := reviewcast.Wilson(positive*(1-e), n)
	_, high := reviewcast.Wilson(positive+float64(c.NegativeCount)*e, n)
	out := reviewcast.Confidence{Low: sentiment.Round(low, 2), High: sentiment.Round(high, 2), Level: "low"}
	const highWidth, mediumWidth = 0.15, 0.35
	const phraseShare = 0.5 // of the votes, which phrases must have decided for a high level
	switch width := high - low; {
	case width <= highWidth && float64(phrased) >= phraseShare*n:
		out.Level = "high"
	case width <= mediumWidth:
		out.Level = "medium"
	}
	return out
}
