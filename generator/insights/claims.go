package insights

import (
	"fmt"
	"math"
	"strings"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// Claim is a number that the editors' words rest on, as it was when they wrote
// them. Measure is "positive_pct", "mention_count" or "average_rating" of the
// aspect, or "review_count" or "average_rating" of all reviews when Aspect is "".
// With no measure, only that the aspect exists is claimed.
type Claim struct {
	Aspect, Measure string
	Value           float64
}

// MaxDrift is the share by which a claim's number may have moved since it was
// written before the editor is told.
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
	var a *reviewcast.Aspect
	if c.Aspect != "" {
		ids := []string{}
		for i := range in.Aspects {
			if in.Aspects[i].ID == c.Aspect {
				a = &in.Aspects[i]
			}
			ids = append(ids, in.Aspects[i].ID)
		}
		if a == nil {
			return &Finding{true, fmt.Sprintf("there is no aspect %q", c.Aspect), "the aspects are " + strings.Join(ids, ", ")}
		}
		if a.MentionCount == 0 {
			return &Finding{true, fmt.Sprintf("no review speaks of %s, so nothing can rest on it", c.Aspect), "take the claim out, or extend the aspect's terms in insights.yaml"}
		}
	}
	now, known := measure(in, a, c.Measure)
	switch {
	case c.Measure == "":
		return nil
	case !known:
		return &Finding{true, fmt.Sprintf("%s is not a number of %s", c.Measure, of(a)),
			"an aspect has positive_pct, mention_count and average_rating; all reviews have review_count and average_rating"}
	case math.Abs(now-c.Value) > MaxDrift*math.Max(math.Abs(c.Value), 1e-9):
		return &Finding{false, fmt.Sprintf("%s of %s was %g when this was written and is %g now", c.Measure, of(a), c.Value, now),
			fmt.Sprintf("read the words again, then write %s: %g", c.Measure, now)}
	}
	return nil
}

func of(a *reviewcast.Aspect) string {
	if a == nil {
		return "all reviews"
	}
	return a.ID
}

// measure returns the number that a claim is about.
func measure(in *reviewcast.Insights, a *reviewcast.Aspect, name string) (float64, bool) {
	if a != nil {
		switch name {
		case "positive_pct":
			return a.PositivePct, true
		case "mention_count":
			return float64(a.MentionCount), true
		case "average_rating":
			return *a.AverageRating, true
		}
		return 0, false
	}
	switch name {
	case "review_count":
		return float64(in.ReviewCount), true
	case "average_rating":
		stars, n := 0.0, 0
		for _, m := range in.Temporal.Monthly {
			if m.AverageRating != nil {
				stars += *m.AverageRating * float64(m.ReviewCount)
				n += m.ReviewCount
			}
		}
		if n == 0 {
			return 0, false
		}
		return sentiment.Round(stars/float64(n), 2), true
	}
	return 0, false
}
