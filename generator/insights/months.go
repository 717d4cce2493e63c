package insights

import (
	"math"
	"time"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

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
	first := all[len(all)-1].Date.Noon()
	last := all[0].Date.Month()
	for t := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC); ; t = t.AddDate(0, 1, 0) {
		name := t.Format("2006-01")
		if name > last {
			return out
		}
		m := reviewcast.Month{Month: name, ReviewCount: by[name].n, AverageRating: Mean(by[name].stars, by[name].n)}
		if m.ReviewCount > 0 {
			s := sentiment.Round(by[name].score/float64(m.ReviewCount), 3)
			m.SentimentScore = &s
		}
		out = append(out, m)
	}
}

// windows are the first days of the newest window and of the one before.
type windows struct{ recent, before reviewcast.Date }

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
	switch {
	case day >= w.recent:
		return 0
	case day >= w.before:
		return 1
	}
	return -1
}

// trendSum sums values by window: 0 the newest, 1 the one before.
type trendSum struct {
	n       [2]int
	sum     [2]float64
	squares float64
}

// add adds a value of a day, if the day is in one of the windows.
func (t *trendSum) add(w windows, day reviewcast.Date, value float64) {
	k := w.of(day)
	if k < 0 {
		return
	}
	t.n[k]++
	t.sum[k] += value
	t.squares += value * value
}

// trend compares the means of two windows.
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
	change, se = sentiment.Round(change, 2), sentiment.Round(se, 2)
	out.Change, out.StandardError = &change, &se
	return out
}

// starTrend compares the mean stars of the newest window, which ends on the day
// of the newest review, with those of the window before.
func starTrend(all []Analyzed) reviewcast.Trend {
	var t trendSum
	w := windowsOf(all)
	for i := range all {
		t.add(w, all[i].Date, float64(all[i].Rating))
	}
	return t.trend()
}
