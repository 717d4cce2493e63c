package generator

import (
	"fmt"
	"math"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/source"
)

// claimProblems compares what the editors claim with the counts: an error for a claim about nothing, a warning for a
// number that has moved by more than [insights.MaxDrift]. A claim without a measure says only that the aspect exists.
func claimProblems(content *source.Content, counted *reviewcast.Insights) (problems []diagnostic.Problem) {
	aspects := map[string]*reviewcast.Aspect{}
	var ids []string
	for i := range counted.Aspects {
		ids = append(ids, counted.Aspects[i].ID)
		aspects[ids[i]] = &counted.Aspects[i]
	}
	stars, published := 0, source.Published(content.Reviews)
	for _, r := range published {
		stars += r.Rating
	}
	ofAll := map[string]float64{"review_count": float64(len(published))}
	if mean := reviewcast.Mean(stars, len(published)); mean != nil {
		ofAll["average_rating"] = *mean
	}
	for _, c := range content.Claims {
		unknown := func(message, suggestion string) {
			problems = append(problems, c.At.Error("claim-unknown", message, suggestion))
		}
		of, numbers := "all reviews", ofAll
		if a := aspects[c.Aspect]; a != nil && a.MentionCount > 0 {
			of, numbers = a.ID, map[string]float64{
				"positive_pct": a.PositivePct, "mention_count": float64(a.MentionCount), "average_rating": *a.AverageRating,
			}
		} else if a != nil {
			unknown(fmt.Sprintf("no review speaks of %s, so nothing can rest on it", a.ID), "take the claim out, or extend the aspect's terms in insights.yaml")
			continue
		} else if c.Aspect != "" {
			unknown(fmt.Sprintf("there is no aspect %q", c.Aspect), "the aspects are "+strings.Join(ids, ", "))
			continue
		}
		now, known := numbers[c.Measure]
		switch {
		case c.Measure == "":
		case !known:
			unknown(fmt.Sprintf("%s is not a number of %s", c.Measure, of),
				"an aspect has positive_pct, mention_count and average_rating; all reviews have review_count and average_rating")
		case math.Abs(now-c.Value) > insights.MaxDrift*math.Max(math.Abs(c.Value), 1e-9):
			problems = append(problems, c.At.Warning("claim-moved", fmt.Sprintf("%s of %s was %g when this was written and is %g now", c.Measure, of, c.Value, now),
				fmt.Sprintf("read the words again, then write %s: %g", c.Measure, now)))
		}
	}
	return problems
}
