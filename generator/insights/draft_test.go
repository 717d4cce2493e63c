package insights_test

import (
	"strings"
	"testing"

	"reviewcast/generator/insights"
)

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
