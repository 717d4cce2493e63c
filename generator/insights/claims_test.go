package insights_test

import (
	"strings"
	"testing"

	"reviewcast/generator/insights"
)

func TestCheckClaim(t *testing.T) {
	ins := one(insights.Input{}, 5, "On time.", "On time!", "Late.", "Very late.")
	for _, c := range []struct {
		aspect, measure string
		value           float64
		want            string // part of the message; "" when the claim holds
	}{
		{"punctuality", "", 0, ""},
		{"punctuality", "positive_pct", 50, ""},
		{"punctuality", "positive_pct", 46, ""},
		{"punctuality", "positive_pct", 90, "was 90 when this was written and is 50 now"},
		{"punctuality", "mention_count", 4, ""},
		{"punctuality", "average_rating", 5, ""},
		{"punctuality", "review_count", 5, "is not a number of punctuality"},
		{"", "review_count", 4, ""},
		{"", "average_rating", 1, "was 1 when this was written and is 5 now"},
		{"puntuality", "", 0, `there is no aspect "puntuality"`},
		{"warranty", "", 0, "no review speaks of warranty"},
	} {
		f := insights.CheckClaim(ins, c.aspect, c.measure, c.value)
		switch {
		case f == nil && c.want != "":
			t.Errorf("%+v holds, want %q", c, c.want)
		case f != nil && (c.want == "" || !strings.Contains(f.Message, c.want)):
			t.Errorf("%+v: %q, want %q", c, f.Message, c.want)
		}
	}
}

// TestDraft holds that a draft shows dissent, cites reviews, and that its own
// claims hold.
func TestDraft(t *testing.T) {
	ins := one(insights.Input{}, 5, "On time.", "On time!", "They were late again.", "Very late.")
	draft := insights.Draft(insights.Result{Insights: ins}, "Finch & Beaurivage")
	for _, want := range []string{"4 reviews mention it: 2 praise it, 2 criticize it", "They were late again.", "evidence_review_ids: [r", "{aspect: punctuality, positive_pct: 50, mention_count: 4}"} {
		if !strings.Contains(draft, want) {
			t.Errorf("no %q in:\n%s", want, draft)
		}
	}
}
