package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/bench/corpus"
)

// TestReviewsLayout holds reviews.json to the promise of the package comment: the
// edge cuts reviews out of the file by it.
func TestReviewsLayout(t *testing.T) {
	for _, n := range []int{0, 1, 2, 511, 1543} {
		d := corpus.Dataset(n)
		body, err := datasetFile(&d)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if !bytes.HasSuffix(body, []byte(`,"reviews":[]}`+"\n")) {
				t.Errorf("no reviews: body ends in %q", body[len(body)-40:])
			}
			continue
		}
		lines := strings.Split(string(body), "\n")
		if len(lines) != n+4 || !strings.HasPrefix(lines[1], `"aggregate_rating":`) || !strings.HasSuffix(lines[1], `,"reviews":[`) || lines[n+2] != "]}" || lines[n+3] != "" {
			t.Fatalf("%d reviews: %d lines, the first ends in %q, the last is %q", n, len(lines), lines[0][max(0, len(lines[0])-20):], lines[len(lines)-1])
		}
		for i, line := range lines[2 : n+2] {
			raw, comma := strings.CutSuffix(line, ",")
			if comma == (i == n-1) {
				t.Fatalf("%d reviews: line %d ends in a comma: %v", n, i+3, comma)
			}
			var r reviewcast.Review
			if err := json.Unmarshal([]byte(raw), &r); err != nil || r.ID != d.Reviews[i].ID {
				t.Fatalf("%d reviews: line %d holds %s (%v), want %s", n, i+3, r.ID, err, d.Reviews[i].ID)
			}
		}
	}
}

// genText makes the texts that customers write, and those that formats dread.
var genText = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{"<b>", "&amp;", "]]>", "</script>", "<!--", "\u200b", "\u202e", "\u2028", "\ufeff", "\t", "\n", " ", "😀", "é", "e\u0301", `"`, `\`, "'", "\ufffd"}),
		rapid.StringN(0, 20, -1),
	), 0, 8).Draw(t, "parts")
	s := strings.Join(parts, "")
	if at, _ := reviewcast.BadRune(s); at >= 0 {
		return "x" // never published
	}
	return s
})

func genReview(t *rapid.T) reviewcast.Review {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"drains", "marcus", "trier"}), 0, 3)
	r := reviewcast.Review{
		ID: rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,20}`).Draw(t, "id"), Author: genText.Draw(t, "author"),
		Rating: rapid.IntRange(1, 5).Draw(t, "rating"), Date: reviewcast.Date(rapid.StringMatching(`20[0-9]{2}-0[1-9]-[12][0-8]`).Draw(t, "date")),
		Title: rapid.Ptr(genText, true).Draw(t, "title"), Text: rapid.Ptr(genText, true).Draw(t, "text"),
		Language: "en", Source: "direct", Verified: true,
		Verification: reviewcast.Verification{Method: "job", VerifiedOn: "2026-01-01"},
		Mentions:     reviewcast.Mentions{Technicians: ids.Draw(t, "technicians"), Services: ids.Draw(t, "services"), ServiceAreas: ids.Draw(t, "areas")},
	}
	if rapid.Bool().Draw(t, "reply") {
		r.OwnerReply = &reviewcast.OwnerReply{Text: genText.Draw(t, "reply text"), Date: "2026-02-03"}
	}
	return r
}

// TestReviewsReadBack: what is written is what encoding/json reads, and no list
// is null.
func TestReviewsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := sampleDataset()
		d.Business.Description = genText.Draw(t, "description")
		d.Reviews = rapid.SliceOfN(rapid.Custom(genReview), 0, 5).Draw(t, "reviews")
		body, err := datasetFile(d)
		if err != nil {
			t.Fatal(err)
		}
		var got reviewcast.Dataset
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*d, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestInsightsReadBack(t *testing.T) {
	want := sampleInsights()
	for i := range 1024 + 1 {
		want.PerReview[fmt.Sprintf("r%d", i)] = reviewcast.ReviewInsight{Sentiment: reviewcast.Neutral, Score: float64(i) / 4096}
	}
	body, err := insightsFile(want)
	if err != nil {
		t.Fatal(err)
	}
	var got reviewcast.Insights
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(*want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	wantLines := 1 // and one for the opening of each list that isn't empty
	for _, n := range []int{len(want.Aspects), len(want.Entities.Technicians), len(want.Entities.Services), len(want.Entities.Problems),
		len(want.Entities.ServiceAreas), len(want.Topics), len(want.Temporal.Monthly), len(want.PerReview)} {
		if wantLines += n; n > 0 {
			wantLines++
		}
	}
	if lines := bytes.Count(body, []byte("\n")); lines != wantLines {
		t.Errorf("%d lines, want %d: each element has its own", lines, wantLines)
	}
}

// TestNoNull finds every null in the files of a business that has nothing: only
// members that may be null are.
func TestNoNull(t *testing.T) {
	want := map[string]bool{"rating_value": true, "lexicon_sha256": true, "earliest": true, "latest": true, "change": true, "standard_error": true, "summary": true, "pull_quote": true}
	var walk func(t *testing.T, member string, v any)
	walk = func(t *testing.T, member string, v any) {
		switch v := v.(type) {
		case nil:
			if !want[member] {
				t.Errorf("%s is null", member)
			}
		case map[string]any:
			for k, v := range v {
				walk(t, k, v)
			}
		case []any:
			for _, v := range v {
				walk(t, member, v)
			}
		}
	}
	files, err := Files(withLines(Content{Channel: Channel{BaseURL: "https://reviews.example.com"}, Dataset: emptyDataset(), Insights: &reviewcast.Insights{}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.MediaType != reviewcast.MediaJSON || f.Path == reviewcast.PathOpenAPI {
			continue
		}
		t.Run(f.Path, func(t *testing.T) {
			var v any
			if err := json.Unmarshal(f.Body, &v); err != nil {
				t.Fatal(err)
			}
			walk(t, "", v)
		})
	}
}

// TestBrokenText: no format puts another character in the place of a bad one.
func TestBrokenText(t *testing.T) {
	d := sampleDataset()
	d.Reviews[3].Author = "\xff"
	if _, err := ReviewLine(&d.Reviews[3]); err == nil {
		t.Error("a line takes text that isn't UTF-8")
	}
	if _, err := Files(Content{Channel: sampleChannel, Dataset: d, Insights: &reviewcast.Insights{}}); err == nil || !strings.HasPrefix(err.Error(), "render /") {
		t.Errorf("the files take text that isn't UTF-8: error %v", err)
	}
}

func BenchmarkReviews(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := corpus.Dataset(n)
			body, err := datasetFile(&d)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := datasetFile(&d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInsights(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := sampleInsights()
			for _, r := range corpus.Reviews(n) {
				in.PerReview[r.ID] = reviewcast.ReviewInsight{Sentiment: reviewcast.Positive, Score: 0.5, Aspects: map[string]reviewcast.Polarity{"punctuality": reviewcast.Positive, "pricing": reviewcast.Negative}}
			}
			for b.Loop() {
				if _, err := insightsFile(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
