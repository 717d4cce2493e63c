// Package insights counts what package sentiment finds in reviews: shares with
// their intervals, trends, entities, topics, and the sentences behind each number.
//
// Everything is a function of the published reviews and the editors' vocabulary: no clock, no randomness, no
// network, and no number without a review behind it. Each review has one vote per aspect.
//
// [Compute] does it all. A caller that keeps the analyses of unchanged reviews calls [Count] for all. [Draft] writes
// sentences for an editor to accept. docs/insights.md is the manual for readers and editors.
package insights

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Input is everything that the insights are computed from.
type Input struct {
	sentiment.Config
	Reviews []Review // published ones, in any order
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
	Insights *reviewcast.Insights // has everything but FAQ, Summary and PullQuote, which nothing is computed from
	Reviews  []Analyzed           // in published order
	// Ambiguous lists the names in texts that several technicians bear, so that
	// nobody is credited, for the editor; sorted by name.
	Ambiguous []*AmbiguousName
}

// AmbiguousName is a name that several technicians bear.
type AmbiguousName struct {
	Name          string
	TechnicianIDs []string
	ReviewIDs     []string // newest first
}

// Compute analyzes and counts all reviews, on all cores.
func Compute(in Input) Result {
	reviews := slices.SortedFunc(slices.Values(in.Reviews), func(a, b Review) int { return reviewcast.Compare(a.Review, b.Review) })
	a := sentiment.NewAnalyzer(in.Config)
	analyzed := make([]Analyzed, len(reviews))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range reviews {
		g.Go(func() error {
			analyzed[i] = Analyzed{r, a.Analyze(r.Review, r.Job)}
			return nil
		})
	}
	_ = g.Wait() // no analysis fails
	return Count(a, analyzed)
}

// Count counts analyzed reviews, which are in published order: newest first, then by id. All were analyzed by a.
func Count(a *sentiment.Analyzer, all []Analyzed) Result {
	ins := &reviewcast.Insights{
		Version: 1,
		Method: reviewcast.Method{
			// The version changes when the same texts and vocabulary give different numbers.
			Name: "phrases-lexicon", Version: "7", LexiconSHA256: new(a.LexiconSHA256()), Languages: sentiment.Languages,
			Measured: Measured,
		},
		ReviewCount: len(all),
		PerReview:   make(map[string]reviewcast.ReviewInsight, len(all)),
	}
	if len(all) > 0 {
		ins.DateRange = reviewcast.DateRange{Earliest: &all[len(all)-1].Date, Latest: &all[0].Date}
	}
	var wg sync.WaitGroup // the parts read the same analyses and write different fields
	wg.Go(func() { ins.Topics = topics(a, all) })
	wg.Go(func() { sum(ins, all) })
	ins.Aspects = aspects(a, all)
	ins.Entities = entities(a, all)
	ins.Temporal.Monthly = monthly(all)
	wg.Wait()
	return Result{Insights: ins, Reviews: all, Ambiguous: ambiguous(a, all)}
}

// sum sets what is known of each review, the sentiment of all, and the trend of their stars.
func sum(ins *reviewcast.Insights, all []Analyzed) {
	var counts reviewcast.SentimentCounts
	var stars trendSum
	score, w := 0.0, windowsOf(all)
	for i := range all {
		r := &all[i]
		ins.PerReview[r.ID] = r.Insight
		if r.Text != nil && r.Analysis.Language != "" {
			ins.Method.AnalysedCount++
		}
		counts.Add(r.Insight.Sentiment)
		score += r.Insight.Score
		stars.add(w, r.Date, float64(r.Rating))
	}
	n := max(len(all), 1)
	pct := func(c int) float64 { return reviewcast.Quotient(100*c, n, 1) }
	ins.OverallSentiment = reviewcast.OverallSentiment{
		Score: sentiment.Round(score/float64(n), 3), PositivePct: pct(counts.PositiveCount),
		NeutralPct: pct(counts.NeutralCount), NegativePct: pct(counts.NegativeCount),
	}
	ins.Temporal.Trend = stars.trend()
}

// A trend compares two neighbouring windows. It is withheld when either has fewer than minTrendReviews, and called
// only when the change exceeds trendErrors standard errors: one in twenty changes does by coincidence.
const (
	trendWindowDays = 90
	minTrendReviews = 8
	trendErrors     = 1.96
)

// monthly returns every month between the earliest review and the latest, those
// without a review included, so that a chart needs no gaps filled.
func monthly(all []Analyzed) []reviewcast.Month {
	out := []reviewcast.Month{}
	if len(all) == 0 {
		return out
	}
	type sums struct {
		n, stars int
		score    float64
	}
	by := map[string]sums{}
	for i := range all {
		r := &all[i]
		s := by[r.Date.Month()]
		by[r.Date.Month()] = sums{s.n + 1, s.stars + r.Rating, s.score + r.Insight.Score}
	}
	first, last := reviewcast.Date(all[len(all)-1].Date.Month()+"-01").Noon(), all[0].Date.Month()
	for t := first; t.Format("2006-01") <= last; t = t.AddDate(0, 1, 0) {
		name := t.Format("2006-01")
		m := reviewcast.Month{Month: name, ReviewCount: by[name].n, AverageRating: reviewcast.Mean(by[name].stars, by[name].n)}
		if m.ReviewCount > 0 {
			m.SentimentScore = new(sentiment.Round(by[name].score/float64(m.ReviewCount), 3))
		}
		out = append(out, m)
	}
	return out
}

// windows are the first days of the newest window and of the one before.
type windows [2]reviewcast.Date

// windowsOf returns the windows of reviews in published order.
func windowsOf(all []Analyzed) windows {
	if len(all) == 0 {
		return windows{}
	}
	back := func(days int) reviewcast.Date {
		return reviewcast.Date(all[0].Date.Noon().AddDate(0, 0, 1-days).Format(time.DateOnly))
	}
	return windows{back(trendWindowDays), back(2 * trendWindowDays)}
}

// of returns 0 for a day in the newest window, 1 for one in the window before, and -1 for an earlier one.
func (w windows) of(day reviewcast.Date) int {
	return slices.IndexFunc(w[:], func(first reviewcast.Date) bool { return day >= first })
}

// tally is what is counted of the reviews in which something is, the newest first.
type tally struct {
	n, stars int
	windows  [2]int // how many are in the newest window and in the one before
	counts   reviewcast.SentimentCounts
	examples []string
}

func (t *tally) add(r *Analyzed, w windows) {
	t.n++
	t.stars += r.Rating
	t.counts.Add(r.Insight.Sentiment)
	if k := w.of(r.Date); k >= 0 {
		t.windows[k]++
	}
	if len(t.examples) < maxExamples {
		t.examples = append(t.examples, r.ID)
	}
}

// trendSum sums values by window: 0 the newest, 1 the one before.
type trendSum struct {
	n       [2]int
	sum     [2]float64
	squares float64
}

// add adds a value of a day, if the day is in one of the windows.
func (t *trendSum) add(w windows, day reviewcast.Date, value float64) {
	if k := w.of(day); k >= 0 {
		t.n[k]++
		t.sum[k] += value
		t.squares += value * value
	}
}

func (t *trendSum) trend() reviewcast.Trend { return t.called("improving", "declining", 0) }

// shareTrend compares the share of a window's reviews that something is in; n are all reviews by window, with those
// that it is in. Counts move by whole reviews, so the change must exceed its error by half a review (F. Yates, 1934).
func shareTrend(n, with [2]int) reviewcast.Trend {
	t := trendSum{n: n, sum: [2]float64{float64(with[0]), float64(with[1])}, squares: float64(with[0] + with[1])}
	return t.called("rising", "falling", (1/float64(n[0])+1/float64(n[1]))/2)
}

// called compares the means of the windows. The standard error is that of the difference under the hypothesis that
// both windows are samples of the same values, so it uses the variance of all of them.
func (t *trendSum) called(up, down string, slack float64) reviewcast.Trend {
	out := reviewcast.Trend{Direction: "insufficient_data", WindowDays: trendWindowDays}
	if t.n[0] < minTrendReviews || t.n[1] < minTrendReviews {
		return out
	}
	recent, before := float64(t.n[0]), float64(t.n[1])
	change := t.sum[0]/recent - t.sum[1]/before
	n := recent + before
	mean := (t.sum[0] + t.sum[1]) / n
	variance := max(0, (t.squares-n*mean*mean)/(n-1))
	se := math.Sqrt(variance * (1/recent + 1/before))
	switch {
	case math.Abs(change) <= trendErrors*se+slack || sentiment.Round(change, 2) == 0:
		out.Direction = "steady"
	case change > 0:
		out.Direction = up
	default:
		out.Direction = down
	}
	out.Change, out.StandardError = new(sentiment.Round(change, 2)), new(sentiment.Round(se, 2))
	return out
}
