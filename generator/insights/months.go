package insights

import (
	"time"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// A trend compares two neighbouring windows and is withheld when either holds
// fewer than minTrendReviews: below that, one customer's bad day moves the mean
// by more than the step that counts as a change.
const (
	trendWindowDays = 90
	minTrendReviews = 8
	starStep        = 0.15 // stars; less is steady
	scoreStep       = 0.1  // of an aspect's score, -1 to 1
)

func dateRange(all []Analyzed) reviewcast.DateRange {
	if len(all) == 0 {
		return reviewcast.DateRange{}
	}
	return reviewcast.DateRange{Earliest: &all[len(all)-1].Date, Latest: &all[0].Date}
}

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

func windowsTo(newest reviewcast.Date) windows {
	back := func(days int) reviewcast.Date {
		return reviewcast.Date(newest.Noon().AddDate(0, 0, 1-days).Format(time.DateOnly))
	}
	return windows{back(trendWindowDays), back(2 * trendWindowDays)}
}

// trendSum sums what moves, by window: 0 the newest, 1 the one before.
type trendSum struct {
	n   [2]int
	sum [2]float64
}

// add counts a value of a day; older ones than the two windows' don't count.
func (t *trendSum) add(w windows, day reviewcast.Date, value float64) {
	switch {
	case day >= w.recent:
		t.n[0]++
		t.sum[0] += value
	case day >= w.before:
		t.n[1]++
		t.sum[1] += value
	}
}

func (t *trendSum) trend(step float64) reviewcast.Trend {
	out := reviewcast.Trend{Direction: "insufficient_data", WindowDays: trendWindowDays}
	if t.n[0] < minTrendReviews || t.n[1] < minTrendReviews {
		return out
	}
	change := sentiment.Round(t.sum[0]/float64(t.n[0])-t.sum[1]/float64(t.n[1]), 2)
	out.Change = &change
	switch {
	case change >= step:
		out.Direction = "improving"
	case change <= -step:
		out.Direction = "declining"
	default:
		out.Direction = "steady"
	}
	return out
}

// starTrend compares the mean stars of the newest window, which ends on the day
// of the newest review, with those of the window before.
func starTrend(all []Analyzed) reviewcast.Trend {
	var t trendSum
	if len(all) > 0 {
		w := windowsTo(all[0].Date)
		for _, r := range all {
			if r.Date < w.before {
				break
			}
			t.add(w, r.Date, float64(r.Rating))
		}
	}
	return t.trend(starStep)
}
