package insights

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// minDraftMentions is how many reviews must mention an aspect before a sentence
// about it is drafted: fewer are no basis for one.
const minDraftMentions = 3

//go:embed draft.txt
var draftText string

var draft = template.Must(template.New("draft").Funcs(template.FuncMap{"lower": strings.ToLower, "join": strings.Join, "answer": answer}).Parse(draftText))

// Draft writes what an editor may want to say, as YAML to cut from: FAQ answers and a summary in which every
// number is the counts', with the claims that let a later build tell when it has moved. It is a file for a person
// to read, change and accept; nothing publishes it.
func Draft(of Result, business string) string {
	in := of.Insights
	list := slices.DeleteFunc(slices.Clone(in.Aspects), func(a reviewcast.Aspect) bool { return a.MentionCount < minDraftMentions })
	slices.SortStableFunc(list, func(x, y reviewcast.Aspect) int { return cmp.Compare(y.MentionCount, x.MentionCount) })
	best := slices.SortedStableFunc(slices.Values(list), func(x, y reviewcast.Aspect) int { return cmp.Compare(y.Score, x.Score) })
	others := best[min(1, len(best)):]
	var b strings.Builder
	err := draft.Execute(&b, struct {
		*reviewcast.Insights
		Business     string
		Drift, Least int
		Aspects, Top []reviewcast.Aspect
		Best, Worst  []reviewcast.Aspect // at most one
		Ambiguous    []AmbiguousName
	}{in, business, int(MaxDrift * 100), minDraftMentions, list, list[:min(3, len(list))], best[:min(1, len(best))], others[max(0, len(others)-1):], of.Ambiguous})
	if err != nil {
		panic(err) // the template is embedded
	}
	return b.String()
}

// answer summarizes an aspect, dissent included, with a quote of each kind.
func answer(a reviewcast.Aspect) string {
	s := fmt.Sprintf("%d reviews mention it: %d praise it, %d criticize it", a.MentionCount, a.PositiveCount, a.NegativeCount)
	if rest := a.NeutralCount + a.MixedCount; rest > 0 {
		s += fmt.Sprintf(", %d do both or neither", rest)
	}
	s += "."
	for _, p := range []reviewcast.Polarity{reviewcast.Positive, reviewcast.Negative} {
		// Words are quoted only where a phrase decided: those quotes are right more often.
		i := slices.IndexFunc(a.Evidence, func(e reviewcast.Evidence) bool {
			return e.Polarity == p && e.Source != sentiment.FromLexicon.String()
		})
		if i >= 0 {
			s += " “" + strings.Join(strings.Fields(a.Evidence[i].Quote), " ") + "”"
		}
	}
	return s
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

// CheckClaim compares a number that the editors' words rest on, as it was when they wrote them, with the counts. The
// measure is "positive_pct", "mention_count" or "average_rating" of the aspect, or "review_count" or "average_rating" of
// all reviews when the aspect is "". With no measure, only that the aspect exists is claimed. It returns nil when the
// claim holds.
func CheckClaim(in *reviewcast.Insights, aspect, measure string, value float64) *Finding {
	of, numbers := "all reviews", numbersOfAll(in)
	if aspect != "" {
		ids := []string{}
		for _, a := range in.Aspects {
			ids = append(ids, a.ID)
		}
		i := slices.Index(ids, aspect)
		if i < 0 {
			return &Finding{true, fmt.Sprintf("there is no aspect %q", aspect), "the aspects are " + strings.Join(ids, ", ")}
		}
		a := &in.Aspects[i]
		if a.MentionCount == 0 {
			return &Finding{true, fmt.Sprintf("no review speaks of %s, so nothing can rest on it", aspect), "take the claim out, or extend the aspect's terms in insights.yaml"}
		}
		of, numbers = a.ID, map[string]float64{
			"positive_pct": a.PositivePct, "mention_count": float64(a.MentionCount), "average_rating": *a.AverageRating,
		}
	}
	now, known := numbers[measure]
	switch {
	case measure == "":
		return nil
	case !known:
		return &Finding{true, fmt.Sprintf("%s is not a number of %s", measure, of),
			"an aspect has positive_pct, mention_count and average_rating; all reviews have review_count and average_rating"}
	case math.Abs(now-value) > MaxDrift*math.Max(math.Abs(value), 1e-9):
		return &Finding{false, fmt.Sprintf("%s of %s was %g when this was written and is %g now", measure, of, value, now),
			fmt.Sprintf("read the words again, then write %s: %g", measure, now)}
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
