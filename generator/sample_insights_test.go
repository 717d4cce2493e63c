package generator

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reviewcast/generator/pages"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

var update = flag.Bool("update", false, "write the golden files")

// TestSampleInsights holds the insights of the sample business, which are what an
// editor sees change when the rules or the lists do. Every quote is its slice.
func TestSampleInsights(t *testing.T) {
	t.Parallel()
	b := NewBuilder(Config{ContentDir: "../content", PublicDir: t.TempDir(), Today: "2026-11-21", Lenient: true})
	res, err := b.Prepare(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ins := res.Insights
	texts := map[string][]rune{}
	for _, r := range res.Dataset.Reviews {
		if r.Text != nil {
			texts[r.ID] = []rune(*r.Text)
		}
	}
	for _, a := range ins.Aspects {
		for _, e := range a.Evidence {
			if got := string(texts[e.ReviewID][e.Start:e.End]); got != e.Quote {
				t.Errorf("%s: %q stands at %d to %d of %s, not %q", a.ID, got, e.Start, e.End, e.ReviewID, e.Quote)
			}
		}
	}
	got, err := json.MarshalIndent(ins, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "sample-insights.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got)+"\n", "\n")); diff != "" {
		t.Errorf("%s differs (read the difference, then go test ./generator -run SampleInsights -update):\n%s", path, diff)
	}
}

// TestShippedAspects compares the aspects that editors may extend with the shipped
// ones: source and sentiment don't know each other.
func TestShippedAspects(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, a := range sentiment.DefaultAspects {
		ids = append(ids, a.ID)
	}
	if diff := cmp.Diff(ids, source.ShippedAspects); diff != "" {
		t.Error(diff)
	}
}

// TestAspectTexts: the pages can say all of our aspects in other languages.
func TestAspectTexts(t *testing.T) {
	texts := pages.English()
	for _, a := range sentiment.DefaultAspects {
		if texts[a.Label] == "" {
			t.Errorf("locales/en.txt doesn't have %q", a.Label)
		}
	}
}
