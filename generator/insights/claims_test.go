package insights_test

import (
	"strings"
	"testing"

	"reviewcast/generator/insights"
)

func TestCheckClaim(t *testing.T) {
	ins := one(insights.Input{}, 5, "On time.", "On time!", "Late.", "Very late.")
	for _, c := range []struct {
		claim insights.Claim
		want  string // part of the message; "" when the claim holds
	}{
		{insights.Claim{Aspect: "punctuality"}, ""},
		{insights.Claim{Aspect: "punctuality", Measure: "positive_pct", Value: 50}, ""},
		{insights.Claim{Aspect: "punctuality", Measure: "positive_pct", Value: 46}, ""},
		{insights.Claim{Aspect: "punctuality", Measure: "positive_pct", Value: 90}, "was 90 when this was written and is 50 now"},
		{insights.Claim{Aspect: "punctuality", Measure: "mention_count", Value: 4}, ""},
		{insights.Claim{Aspect: "punctuality", Measure: "average_rating", Value: 5}, ""},
		{insights.Claim{Aspect: "punctuality", Measure: "review_count", Value: 5}, "is not a number of punctuality"},
		{insights.Claim{Measure: "review_count", Value: 4}, ""},
		{insights.Claim{Measure: "average_rating", Value: 1}, "was 1 when this was written and is 5 now"},
		{insights.Claim{Aspect: "puntuality"}, `there is no aspect "puntuality"`},
		{insights.Claim{Aspect: "warranty"}, "no review speaks of warranty"},
	} {
		f := insights.CheckClaim(ins, c.claim)
		switch {
		case f == nil && c.want != "":
			t.Errorf("%+v holds, want %q", c.claim, c.want)
		case f != nil && (c.want == "" || !strings.Contains(f.Message, c.want)):
			t.Errorf("%+v: %q, want %q", c.claim, f.Message, c.want)
		}
	}
}

// TestDraft holds that a draft shows dissent, cites reviews, and that its own
// claims hold.
func TestDraft(t *testing.T) {
	ins := one(insights.Input{}, 5, "On time.", "On time!", "They were late again.", "Very late.")
	draft := insights.Draft(ins, "Finch & Beaurivage")
	for _, want := range []string{"4 reviews mention it: 2 praise it, 2 criticize it", "They were late again.", "evidence_review_ids: [r", "{aspect: punctuality, positive_pct: 50, mention_count: 4}"} {
		if !strings.Contains(draft, want) {
			t.Errorf("no %q in:\n%s", want, draft)
		}
	}
}
