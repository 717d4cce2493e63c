package insights

import (
	"time"

	"reviewcast"
)

// The trend compares two neighbouring windows and is withheld when either holds
// fewer than minTrendReviews: below that, one customer's bad day moves the mean
// by more than trendStep.
const (
	trendWindowDays = 90
	minTrendReviews = 8
	trendStep       = 0.15 // stars; less is steady
)

func dateRange(reviews []Review) reviewcast.DateRange {
	if len(reviews) == 0 {
		return reviewcast.DateRange{}
	}
	return reviewcast.DateRange{Earliest: &reviews[len(reviews)-1].Date, Latest: &reviews[0].Date}
}

// monthly gives every month between the earliest review and the latest, those
// without a review included, so that a chart needs no gaps filled.
func monthly(reviews []Review) []reviewcast.Month {
	out := []reviewcast.Month{}
	if len(reviews) == 0 {
		return out
	}
	type sums struct{ n, stars int }
	by := map[string]sums{}
	for _, r := range reviews {
		s := by[r.Date.Month()]
		by[r.Date.Month()] = sums{s.n + 1, s.stars + r.Rating}
	}
	first := reviews[len(reviews)-1].Date.Noon()
	last := reviews[0].Date.Month()
	for t := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC); ; t = t.AddDate(0, 1, 0) {
		name := t.Format("2006-01")
		if name > last {
			return out
		}
		m := reviewcast.Month{Month: name, ReviewCount: by[name].n, AverageRating: Mean(by[name].stars, by[name].n)}
		if m.ReviewCount > 0 {
			s := round((float64(by[name].stars)/float64(m.ReviewCount)-3)/2, 3)
			m.SentimentScore = &s
		}
		out = append(out, m)
	}
}

// trend compares the mean stars of the newest window, which ends on the day of
// the newest review, with those of the window before.
func trend(reviews []Review) reviewcast.Trend {
	t := reviewcast.Trend{Direction: "insufficient_data", WindowDays: trendWindowDays}
	if len(reviews) == 0 {
		return t
	}
	newest := reviews[0].Date.Noon()
	back := func(days int) reviewcast.Date {
		return reviewcast.Date(newest.AddDate(0, 0, -days).Format(time.DateOnly))
	}
	border, start := back(trendWindowDays), back(2*trendWindowDays)
	var n, stars [2]int
	for _, r := range reviews {
		if r.Date <= start {
			break
		}
		w := 0
		if r.Date <= border {
			w = 1
		}
		n[w]++
		stars[w] += r.Rating
	}
	if n[0] < minTrendReviews || n[1] < minTrendReviews {
		return t
	}
	change := round(float64(stars[0])/float64(n[0])-float64(stars[1])/float64(n[1]), 2)
	t.Change = &change
	switch {
	case change >= trendStep:
		t.Direction = "improving"
	case change <= -trendStep:
		t.Direction = "declining"
	default:
		t.Direction = "steady"
	}
	return t
}
