package insights

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Claim is a number that the editors' words rest on, as it was when they wrote them. Measure is "positive_pct",
// "mention_count" or "average_rating" of the aspect, or "review_count" or "average_rating" of all reviews when
// Aspect is "". With no measure, only that the aspect exists is claimed.
type Claim struct {
	Aspect, Measure string
	Value           float64
}

// MaxDrift is the share by which a claim's number may have moved since it was written before the editor is told.
const MaxDrift = 0.10

// Finding is an error in a claim, or a warning.
type Finding struct {
	// Unknown reports whether the claim is about nothing that is counted: an error.
	// Otherwise its number has moved by more than MaxDrift.
	Unknown          bool
	Message, Suggest string
}

// CheckClaim compares a claim with the counts. It returns nil when the claim holds.
func CheckClaim(in *reviewcast.Insights, c Claim) *Finding {
	of, numbers := "all reviews", numbersOfAll(in)
	if c.Aspect != "" {
		ids := []string{}
		for _, a := range in.Aspects {
			ids = append(ids, a.ID)
		}
		i := slices.Index(ids, c.Aspect)
		if i < 0 {
			return &Finding{true, fmt.Sprintf("there is no aspect %q", c.Aspect), "the aspects are " + strings.Join(ids, ", ")}
		}
		a := &in.Aspects[i]
		if a.MentionCount == 0 {
			return &Finding{true, fmt.Sprintf("no review speaks of %s, so nothing can rest on it", c.Aspect), "take the claim out, or extend the aspect's terms in insights.yaml"}
		}
		of, numbers = a.ID, map[string]float64{
			"positive_pct": a.PositivePct, "mention_count": float64(a.MentionCount), "average_rating": *a.AverageRating,
		}
	}
	now, known := numbers[c.Measure]
	switch {
	case c.Measure == "":
		return nil
	case !known:
		return &Finding{true, fmt.Sprintf("%s is not a number of %s", c.Measure, of),
			"an aspect has positive_pct, mention_count and average_rating; all reviews have review_count and average_rating"}
	case math.Abs(now-c.Value) > MaxDrift*math.Max(math.Abs(c.Value), 1e-9):
		return &Finding{false, fmt.Sprintf("%s of %s was %g when this was written and is %g now", c.Measure, of, c.Value, now),
			fmt.Sprintf("read the words again, then write %s: %g", c.Measure, now)}
	}
	return nil
}

// numbersOfAll are the numbers of all reviews that claims may be about.
func numbersOfAll(in *reviewcast.Insights) map[string]float64 {
	stars, out := 0.0, map[string]float64{"review_count": float64(in.ReviewCount)}
	for _, m := range in.Temporal.Monthly {
		if m.AverageRating != nil {
			stars += *m.AverageRating * float64(m.ReviewCount)
		}
	}
	if in.ReviewCount > 0 {
		out["average_rating"] = sentiment.Round(stars/float64(in.ReviewCount), 2)
	}
	return out
}
