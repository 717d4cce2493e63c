package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"reviewcast"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestGolden holds every renderer against the bytes that were last looked at by a
// person. Run with -update after a change, and read the difference.
func TestGolden(t *testing.T) {
	for _, set := range []struct {
		name     string
		channel  Channel
		dataset  *reviewcast.Dataset
		insights *reviewcast.Insights
	}{
		{"sample", sampleChannel, sampleDataset(), sampleInsights()},
		{"empty", Channel{BaseURL: "https://reviews.example.com"}, emptyDataset(), emptyInsights()},
	} {
		t.Run(set.name, func(t *testing.T) {
			files, err := Files(withLines(Content{Channel: set.channel, Dataset: set.dataset, Insights: set.insights}))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				golden(t, filepath.Join("testdata", set.name, filepath.FromSlash(f.Path)), f.Body)
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		around := func(b []byte) []byte { return b[min(len(b), max(0, i-60)):min(len(b), i+60)] }
		t.Errorf("%s differs at byte %d (read the difference, then -update):\n got …%s…\nwant …%s…", name, i, around(got), around(want))
	}
}
