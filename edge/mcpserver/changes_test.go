package mcpserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reviewcast"
)

func TestNewChanges(t *testing.T) {
	version := func(added, changed, withdrawn []string) reviewcast.Change {
		c := reviewcast.Change{Reviews: reviewcast.ReviewChanges{Added: added, Changed: changed}}
		for _, id := range withdrawn {
			c.Reviews.Withdrawn = append(c.Reviews.Withdrawn, reviewcast.WithdrawnReview{ID: id, Reason: reviewcast.ReasonLegal})
		}
		return c
	}
	got := newChanges([]reviewcast.Change{
		version([]string{"new", "short-lived"}, []string{"edited", "gone"}, []string{"returns"}),
		version([]string{"returns"}, []string{"new"}, []string{"short-lived", "gone"}),
	})
	want := changes{Notice: notice, Versions: 2, Added: []string{"new"}, Changed: []string{"edited", "returns"},
		Withdrawn: []reviewcast.WithdrawnReview{{ID: "gone", Reason: reviewcast.ReasonLegal}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
