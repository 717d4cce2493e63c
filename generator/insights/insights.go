// Package insights counts what the reviews say: aggregate sentiment, who and
// what is named, how the months compare. Everything is a function of the
// published reviews and of the editors' vocabulary: no clock, no chance, no
// model that nobody can inspect, and no number without a review behind it.
//
// Compute is the whole package. It also gives back the mentions of each review,
// which become part of the dataset.
package insights

import (
	"cmp"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"

	"reviewcast"
)

// Input is all that the insights rest on.
type Input struct {
	Business reviewcast.Business
	// ServiceAliases and AreaAliases are other names of services and areas, by id.
	ServiceAliases, AreaAliases map[string][]string
	Aspects                     []Term // nil: DefaultAspects
	Problems                    []Term
	Reviews                     []Review // published ones, newest first
	FAQ                         []reviewcast.FAQ
	Summary                     *string
	PullQuote                   *reviewcast.PullQuote
}

// Review is a published review and what its job record says.
type Review struct {
	*reviewcast.Review
	Job reviewcast.Mentions
}

// Term is an aspect or a problem of the vocabulary.
type Term struct {
	ID, Label string
	Terms     []string
}

// Result is what Compute finds.
type Result struct {
	Insights *reviewcast.Insights
	// Mentions are those of Input.Reviews, in the same order: the union of the
	// job record and the unambiguous names in title and text.
	Mentions []reviewcast.Mentions
}

// Compute counts. It reads its input and changes nothing of it.
func Compute(in Input) Result {
	if in.Aspects == nil {
		in.Aspects = DefaultAspects
	}
	found := findAll(newNames(in), in.Reviews)
	res := Result{Mentions: make([]reviewcast.Mentions, len(in.Reviews))}
	for i, r := range in.Reviews {
		res.Mentions[i] = reviewcast.Mentions{
			Technicians:  union(r.Job.Technicians, found[i][technician]),
			Services:     union(r.Job.Services, found[i][service]),
			ServiceAreas: union(r.Job.ServiceAreas, found[i][area]),
		}
	}
	res.Insights = &reviewcast.Insights{
		Version:          1,
		Method:           reviewcast.Method{Name: "stars", Version: "1"},
		ReviewCount:      len(in.Reviews),
		DateRange:        dateRange(in.Reviews),
		OverallSentiment: overall(in.Reviews),
		Aspects:          aspects(in.Aspects),
		Entities: reviewcast.Entities{
			Technicians:  entities(in, technician, found),
			Services:     entities(in, service, found),
			Problems:     []reviewcast.Entity{},
			ServiceAreas: entities(in, area, found),
		},
		Topics:    []reviewcast.Topic{},
		Temporal:  reviewcast.Temporal{Monthly: monthly(in.Reviews), Trend: trend(in.Reviews)},
		PerReview: perReview(in.Reviews),
		FAQ:       in.FAQ,
		Summary:   in.Summary,
		PullQuote: in.PullQuote,
	}
	return res
}

// findAll looks for names in every review, on all cores: each review is found on
// its own, so the split never shows.
func findAll(n *names, reviews []Review) []found {
	out := make([]found, len(reviews))
	var wg sync.WaitGroup
	const batch = 512
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for lo := w * batch; lo < len(reviews); lo += workers * batch {
				for i := lo; i < min(lo+batch, len(reviews)); i++ {
					out[i] = n.find(reviews[i].Review)
				}
			}
		})
	}
	wg.Wait()
	return out
}

// polarity is that of the stars: until the text itself is read, they are the only
// thing that the customer has said beyond doubt, and Method says so.
func polarity(rating int) reviewcast.Polarity {
	switch {
	case rating > 3:
		return reviewcast.Positive
	case rating < 3:
		return reviewcast.Negative
	}
	return reviewcast.Neutral
}

// score maps 1 to 5 stars onto -1 to 1.
func score(rating int) float64 { return float64(rating-3) / 2 }

func perReview(reviews []Review) map[string]reviewcast.ReviewInsight {
	m := make(map[string]reviewcast.ReviewInsight, len(reviews))
	for _, r := range reviews {
		m[r.ID] = reviewcast.ReviewInsight{
			Sentiment: polarity(r.Rating), Score: score(r.Rating), Aspects: map[string]reviewcast.Polarity{},
		}
	}
	return m
}

func overall(reviews []Review) reviewcast.OverallSentiment {
	var o reviewcast.OverallSentiment
	if len(reviews) == 0 {
		return o
	}
	var counts reviewcast.SentimentCounts
	sum := 0.0
	for _, r := range reviews {
		count(&counts, polarity(r.Rating))
		sum += score(r.Rating)
	}
	n := float64(len(reviews))
	pct := func(c int) float64 { return round(100*float64(c)/n, 1) }
	o.Score = round(sum/n, 3)
	o.PositivePct, o.NeutralPct, o.NegativePct = pct(counts.PositiveCount), pct(counts.NeutralCount), pct(counts.NegativeCount)
	return o
}

func count(c *reviewcast.SentimentCounts, p reviewcast.Polarity) {
	switch p {
	case reviewcast.Positive:
		c.PositiveCount++
	case reviewcast.Neutral:
		c.NeutralCount++
	case reviewcast.Negative:
		c.NegativeCount++
	case reviewcast.Mixed:
		c.MixedCount++
	}
}

// aspects lists the vocabulary. Nothing is said about an aspect that nothing was
// found for: its count is 0 and its confidence none.
func aspects(vocabulary []Term) []reviewcast.Aspect {
	out := make([]reviewcast.Aspect, 0, len(vocabulary))
	for _, t := range vocabulary {
		out = append(out, reviewcast.Aspect{
			ID: t.ID, Label: t.Label, Confidence: reviewcast.Confidence{Level: "none"},
			TopPhrases: []string{}, ExampleReviewIDs: []string{}, Evidence: []reviewcast.Evidence{},
		})
	}
	return out
}

// maxExamples is how many review ids stand as examples of an entity: enough to
// read on, and the newest.
const maxExamples = 5

// entities counts one kind of entity, the most reviewed first, then by id.
// Those that nobody names are listed too, with zeros.
func entities(in Input, k kind, texts []found) []reviewcast.Entity {
	out := []reviewcast.Entity{}
	index := map[string]int{}
	for id, name := range k.all(in.Business) {
		index[id] = len(out)
		out = append(out, reviewcast.Entity{ID: id, Name: name, TopAspects: []string{}, ExampleReviewIDs: []string{}})
	}
	stars := make([]int, len(out))
	for i, r := range in.Reviews {
		job, text := k.of(r.Job), texts[i][k]
		for _, id := range union(job, text) {
			at, known := index[id]
			if !known {
				continue
			}
			e := &out[at]
			e.ReviewCount++
			stars[at] += r.Rating
			count(&e.SentimentCounts, polarity(r.Rating))
			if slices.Contains(job, id) {
				e.FromJob++
				e.MentionCount++
			}
			if n := times(text, id); n > 0 {
				e.FromText++
				e.MentionCount += n
			}
			if e.LastMentioned == nil { // newest first
				e.LastMentioned = &r.Date
			}
			if len(e.ExampleReviewIDs) < maxExamples {
				e.ExampleReviewIDs = append(e.ExampleReviewIDs, r.ID)
			}
		}
	}
	for i := range out {
		out[i].AverageRating = Mean(stars[i], out[i].ReviewCount)
	}
	slices.SortStableFunc(out, func(a, b reviewcast.Entity) int {
		return cmp.Or(cmp.Compare(b.ReviewCount, a.ReviewCount), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func times(ids []string, id string) (n int) {
	for _, s := range ids {
		if s == id {
			n++
		}
	}
	return n
}

// union gives the sorted set of both lists, never nil.
func union(a, b []string) []string {
	set := map[string]bool{}
	for _, s := range a {
		set[s] = true
	}
	for _, s := range b {
		set[s] = true
	}
	if len(set) == 0 {
		return []string{}
	}
	return slices.Sorted(maps.Keys(set))
}

// Mean is sum/n with two decimals, nil when n is 0: an average of nothing is not
// zero.
func Mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	m := round(float64(sum)/float64(n), 2)
	return &m
}

func round(f float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(f*p) / p
}
