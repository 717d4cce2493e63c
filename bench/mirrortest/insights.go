package mirrortest

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"reviewcast"
)

// words are the sentences that mention an aspect.
var words = []struct {
	aspect, sentence string
	polarity         reviewcast.Polarity
}{
	{"punctuality", "He came on time.", reviewcast.Positive},
	{"punctuality", "They were late again.", reviewcast.Negative},
	{"pricing", "A fair price.", reviewcast.Positive},
	{"pricing", "Far too expensive.", reviewcast.Negative},
}

// Insights counts a dataset by the rules of the contract, with two aspects.
func Insights(ds *reviewcast.Dataset) *reviewcast.Insights {
	in := &reviewcast.Insights{
		Version: 1, Method: reviewcast.Method{Name: "test", Version: "1", Languages: []string{"en"}}, ReviewCount: len(ds.Reviews),
		Topics: []reviewcast.Topic{}, FAQ: []reviewcast.FAQ{}, PerReview: map[string]reviewcast.ReviewInsight{},
		Entities: reviewcast.Entities{Technicians: []reviewcast.Entity{}, Services: []reviewcast.Entity{}, Problems: []reviewcast.Entity{}, ServiceAreas: []reviewcast.Entity{}},
	}
	in.Temporal.Monthly = []reviewcast.Month{}
	in.Temporal.Trend = reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}
	for i := range ds.Reviews {
		perReview(in, &ds.Reviews[i])
	}
	if n := len(ds.Reviews); n > 0 {
		in.DateRange = reviewcast.DateRange{Earliest: &ds.Reviews[n-1].Date, Latest: &ds.Reviews[0].Date}
	}
	overall(in, ds)
	monthly(in, ds)
	in.Aspects = []reviewcast.Aspect{aspect(in, ds, "punctuality"), aspect(in, ds, "pricing"), aspect(in, ds, "cleanliness")}
	in.Entities.Technicians = append(in.Entities.Technicians, technician(in, ds, "marcus"))
	return in
}

func perReview(in *reviewcast.Insights, r *reviewcast.Review) {
	found := reviewcast.ReviewInsight{Sentiment: reviewcast.Neutral, Score: round(float64(r.Rating-3)/2, 3), Aspects: map[string]reviewcast.Polarity{}, Source: "stars"}
	switch {
	case r.Rating > 3:
		found.Sentiment = reviewcast.Positive
	case r.Rating < 3:
		found.Sentiment = reviewcast.Negative
	}
	for _, w := range words {
		if r.Text == nil || !strings.Contains(*r.Text, w.sentence) {
			continue
		}
		if was, ok := found.Aspects[w.aspect]; ok && was != w.polarity {
			found.Aspects[w.aspect] = reviewcast.Mixed
		} else {
			found.Aspects[w.aspect] = w.polarity
		}
	}
	in.PerReview[r.ID] = found
}

func count(c *reviewcast.SentimentCounts, p reviewcast.Polarity) {
	*map[reviewcast.Polarity]*int{reviewcast.Positive: &c.PositiveCount, reviewcast.Neutral: &c.NeutralCount, reviewcast.Negative: &c.NegativeCount, reviewcast.Mixed: &c.MixedCount}[p]++
}

func overall(in *reviewcast.Insights, ds *reviewcast.Dataset) {
	n := float64(len(ds.Reviews))
	if n == 0 {
		return
	}
	var c reviewcast.SentimentCounts
	score := 0.0
	for i := range ds.Reviews {
		found := in.PerReview[ds.Reviews[i].ID]
		count(&c, found.Sentiment)
		score += found.Score
	}
	pct := func(k int) float64 { return reviewcast.Quotient(100*k, int(n), 1) }
	in.OverallSentiment = reviewcast.OverallSentiment{Score: round(score/n, 3), PositivePct: pct(c.PositiveCount), NeutralPct: pct(c.NeutralCount), NegativePct: pct(c.NegativeCount)}
}

func monthly(in *reviewcast.Insights, ds *reviewcast.Dataset) {
	if len(ds.Reviews) == 0 {
		return
	}
	first, last := in.DateRange.Earliest.Noon(), in.DateRange.Latest.Month()
	for t := time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC); t.Format("2006-01") <= last; t = t.AddDate(0, 1, 0) {
		m := reviewcast.Month{Month: t.Format("2006-01")}
		stars, score := 0, 0.0
		for _, r := range ds.Reviews {
			if r.Date.Month() == m.Month {
				m.ReviewCount++
				stars += r.Rating
				score += in.PerReview[r.ID].Score
			}
		}
		if m.AverageRating = reviewcast.Mean(stars, m.ReviewCount); m.ReviewCount > 0 {
			s := round(score/float64(m.ReviewCount), 3)
			m.SentimentScore = &s
		}
		in.Temporal.Monthly = append(in.Temporal.Monthly, m)
	}
}

func aspect(in *reviewcast.Insights, ds *reviewcast.Dataset, id string) reviewcast.Aspect {
	a := reviewcast.Aspect{
		ID: id, Label: id, Confidence: reviewcast.Confidence{High: 1, Level: "none"}, TopPhrases: []string{}, ExampleReviewIDs: []string{}, Evidence: []reviewcast.Evidence{},
		Monthly: []reviewcast.AspectMonth{}, Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
	}
	texts, textStars, stars := 0, 0, 0
	for _, r := range ds.Reviews {
		if r.Text == nil {
			continue
		}
		texts, textStars = texts+1, textStars+r.Rating
		p, ok := in.PerReview[r.ID].Aspects[id]
		if !ok {
			continue
		}
		a.MentionCount++
		stars += r.Rating
		count(&a.SentimentCounts, p)
		if len(a.ExampleReviewIDs) < 5 {
			a.ExampleReviewIDs = append(a.ExampleReviewIDs, r.ID)
			a.Evidence = append(a.Evidence, quote(&r, id)...)
		}
	}
	a.AverageRating, a.AverageRatingWithout = reviewcast.Mean(stars, a.MentionCount), reviewcast.Mean(textStars-stars, texts-a.MentionCount)
	if texts > 0 {
		a.NotMentionedPct = reviewcast.Quotient(100*(texts-a.MentionCount), texts, 1)
	}
	if n := float64(a.MentionCount); n > 0 {
		a.PositivePct = reviewcast.Quotient(100*a.PositiveCount, int(n), 1)
		a.Score = reviewcast.Quotient(a.PositiveCount-a.NegativeCount, int(n), 3)
	}
	return a
}

func quote(r *reviewcast.Review, aspect string) []reviewcast.Evidence {
	for _, w := range words {
		if at := strings.Index(*r.Text, w.sentence); w.aspect == aspect && at >= 0 {
			start := utf8.RuneCountInString((*r.Text)[:at])
			return []reviewcast.Evidence{{ReviewID: r.ID, Start: start, End: start + utf8.RuneCountInString(w.sentence), Quote: w.sentence, Polarity: w.polarity, Source: "editor"}}
		}
	}
	return nil
}

func technician(in *reviewcast.Insights, ds *reviewcast.Dataset, id string) reviewcast.Entity {
	e := reviewcast.Entity{ID: id, Name: id, TopAspects: []string{}, ExampleReviewIDs: []string{},
		Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}, Quarters: []reviewcast.Quarter{}}
	stars := 0
	for _, r := range ds.Reviews {
		if !slices.Contains(r.Mentions.Technicians, id) {
			continue
		}
		e.ReviewCount, e.MentionCount, e.FromText = e.ReviewCount+1, e.MentionCount+1, e.FromText+1
		stars += r.Rating
		count(&e.SentimentCounts, in.PerReview[r.ID].Sentiment)
		if e.LastMentioned == nil {
			e.LastMentioned = &r.Date
		}
		if len(e.ExampleReviewIDs) < 5 {
			e.ExampleReviewIDs = append(e.ExampleReviewIDs, r.ID)
		}
	}
	e.AverageRating = reviewcast.Mean(stars, e.ReviewCount)
	return e
}

func round(f float64, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(f*p)/p + 0 // never -0
}
