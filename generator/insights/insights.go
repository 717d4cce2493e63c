// Package insights counts what package sentiment finds in reviews: shares with
// their intervals, trends, entities, topics, and the sentences behind each number.
//
// Everything is a function of the published reviews and the editors' vocabulary: no clock, no randomness, no
// network, and no number without a review behind it. Each review has one vote per aspect.
//
// [Compute] does it all. A caller that keeps the analyses of unchanged reviews calls [Analyze] for the others and
// [Count] for all. [Draft] writes sentences for an editor to accept, and [CheckClaim] compares what editors wrote
// with the counts. docs/insights.md is the manual for readers and editors.
package insights

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Input is everything that the insights are computed from.
type Input struct {
	sentiment.Config
	Reviews   []Review // published ones, in any order
	FAQ       []reviewcast.FAQ
	Summary   *string
	PullQuote *reviewcast.PullQuote
}

// Review is a published review and what its job record says.
type Review struct {
	*reviewcast.Review
	Job reviewcast.Mentions
}

// Analyzed is a review and what was found in it.
type Analyzed struct {
	Review
	*sentiment.Analysis
}

// Result is what [Count] returns.
type Result struct {
	// Insights has everything but FAQ, Summary and PullQuote, which [Compute] sets.
	Insights *reviewcast.Insights
	Reviews  []Analyzed // in published order
	// Ambiguous lists the names in texts that several technicians bear, so that
	// nobody is credited, for the editor; sorted by name.
	Ambiguous []AmbiguousName
}

// AmbiguousName is a name that several technicians bear.
type AmbiguousName struct {
	Name          string
	TechnicianIDs []string
	ReviewIDs     []string // newest first
}

// Compute analyzes and counts all reviews.
func Compute(in Input) Result {
	reviews := slices.Clone(in.Reviews)
	slices.SortFunc(reviews, func(a, b Review) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID)) })
	a := sentiment.NewAnalyzer(in.Config)
	res := Count(a, Analyze(a, reviews))
	res.Insights.FAQ, res.Insights.Summary, res.Insights.PullQuote = in.FAQ, in.Summary, in.PullQuote
	return res
}

// Analyze analyzes reviews on all cores. The result has their order.
func Analyze(a *sentiment.Analyzer, reviews []Review) []Analyzed {
	out := make([]Analyzed, len(reviews))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range reviews {
		g.Go(func() error {
			out[i] = Analyzed{r, a.Analyze(r.Review, r.Job)}
			return nil
		})
	}
	_ = g.Wait() // no analysis fails
	return out
}

// Count counts analyzed reviews, which are in published order: newest first, then by id. All were analyzed by a.
func Count(a *sentiment.Analyzer, all []Analyzed) Result {
	digest := a.LexiconSHA256()
	ins := &reviewcast.Insights{
		Version: 1,
		Method: reviewcast.Method{
			Name: MethodName, Version: MethodVersion, LexiconSHA256: &digest, Languages: sentiment.Languages,
			Measured: Measured,
		},
		ReviewCount: len(all),
		Temporal:    reviewcast.Temporal{Trend: starTrend(all)},
		PerReview:   make(map[string]reviewcast.ReviewInsight, len(all)),
	}
	if len(all) > 0 {
		ins.DateRange = reviewcast.DateRange{Earliest: &all[len(all)-1].Date, Latest: &all[0].Date}
	}
	var wg sync.WaitGroup // the parts read the same analyses and write different fields
	wg.Go(func() { ins.Topics = topics(a, all) })
	wg.Go(func() {
		for i := range all {
			ins.PerReview[all[i].ID] = all[i].Insight
			if all[i].Text != nil && all[i].Analysis.Language != "" {
				ins.Method.AnalysedCount++
			}
		}
	})
	ins.Aspects = aspects(a, all)
	ins.Entities = entities(a, all)
	ins.OverallSentiment = overall(all)
	ins.Temporal.Monthly = monthly(all)
	wg.Wait()
	return Result{Insights: ins, Reviews: all, Ambiguous: ambiguous(a, all)}
}

// The method, as insights.json names it. The version changes when the same texts and vocabulary give different numbers.
const (
	MethodName    = "phrases-lexicon"
	MethodVersion = "7"
)

func overall(all []Analyzed) reviewcast.OverallSentiment {
	var o reviewcast.OverallSentiment
	if len(all) == 0 {
		return o
	}
	var counts reviewcast.SentimentCounts
	sum := 0.0
	for i := range all {
		counts.Add(all[i].Insight.Sentiment)
		sum += all[i].Insight.Score
	}
	n := float64(len(all))
	pct := func(c int) float64 { return sentiment.Round(100*float64(c)/n, 1) }
	o.Score = sentiment.Round(sum/n, 3)
	o.PositivePct, o.NeutralPct, o.NegativePct = pct(counts.PositiveCount), pct(counts.NeutralCount), pct(counts.NegativeCount)
	return o
}

// Mean is sum/n with two decimals, nil when n is 0: the mean of nothing is not zero.
func Mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	m := sentiment.Round(float64(sum)/float64(n), 2)
	return &m
}
