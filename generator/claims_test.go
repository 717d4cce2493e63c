package generator

import (
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/generator/source"
)

func TestClaims(t *testing.T) {
	counted := &reviewcast.Insights{
		Aspects: []reviewcast.Aspect{{ID: "punctuality", MentionCount: 4, PositivePct: 50, AverageRating: new(5.0)}, {ID: "warranty"}},
	}
	five := &source.Review{Review: reviewcast.Review{Rating: 5}, Published: true}
	for _, tt := range []struct {
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
		content := &source.Content{Reviews: []*source.Review{five, five, five, five, {}}, Claims: []source.Claim{{Aspect: tt.aspect, Measure: tt.measure, Value: tt.value}}}
		said := ""
		for _, p := range claimProblems(content, counted) {
			said += p.Message
		}
		if said == "" != (tt.want == "") || !strings.Contains(said, tt.want) {
			t.Errorf("%+v: %q", tt, said)
		}
	}
}
