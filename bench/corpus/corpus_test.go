package corpus_test

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// TestReviews checks the properties of the corpus that benchmarks rely on.
func TestReviews(t *testing.T) {
	const n = 1_000
	reviews := corpus.Reviews(n)
	if again := corpus.Reviews(n); !reflect.DeepEqual(reviews, again) {
		t.Fatal("two calls made different reviews")
	}
	if !slices.IsSortedFunc(reviews, func(a, b reviewcast.Review) int {
		return cmp.Or(strings.Compare(string(b.Date), string(a.Date)), strings.Compare(a.ID, b.ID))
	}) {
		t.Error("reviews are not sorted: newest first, then id")
	}
	ids := map[string]bool{}
	words, texts, onTime, size := 0, 0, 0, 0
	for _, r := range reviews {
		if ids[r.ID] || !reviewcast.ValidID(r.ID) || !r.Date.Valid() {
			t.Errorf("review %q of %s: id taken or invalid, or no such date", r.ID, r.Date)
		}
		ids[r.ID] = true
		if r.Text != nil {
			texts++
			words += len(strings.Fields(*r.Text))
			if strings.Contains(*r.Text, "on time") {
				onTime++
			}
			if at, _ := reviewcast.BadRune(*r.Text); at >= 0 || strings.Contains(*r.Text, "{") {
				t.Errorf("review %s has a text that could not be published: %q", r.ID, *r.Text)
			}
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		size += len(raw)
	}
	t.Logf("%d texts, %d words and %d bytes of JSON on average, %.1f %% say \"on time\"",
		texts, words/texts, size/n, 100*float64(onTime)/n)
	between := func(what string, got, low, high int) {
		if got < low || got > high {
			t.Errorf("%s: %d, want %d to %d", what, got, low, high)
		}
	}
	between("texts of 1,000", texts, 900, 960)
	between("mean words of a text", words/texts, 50, 70)
	between(`texts with "on time" of 1,000`, onTime, 120, 170)
}

func TestDataset(t *testing.T) {
	for _, n := range []int{0, 1, 100} {
		d := corpus.Dataset(n)
		if d.ReviewCount != n || d.AggregateRating.RatingCount != n || len(d.Reviews) != n {
			t.Errorf("Dataset(%d) counts %d reviews, %d ratings and holds %d", n, d.ReviewCount, d.AggregateRating.RatingCount, len(d.Reviews))
		}
		if (d.AggregateRating.RatingValue == nil) != (n == 0) {
			t.Errorf("Dataset(%d): mean %v", n, d.AggregateRating.RatingValue)
		}
	}
}

// BenchmarkReviews measures the setup of a benchmark with 100,000 reviews.
func BenchmarkReviews(b *testing.B) {
	for b.Loop() {
		corpus.Reviews(1_000)
	}
}
