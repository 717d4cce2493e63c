package sentiment_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// score is what the shipped aspects find in a file of labelled texts.
type score struct{ labels, found, right int }

// goldScores are the scores of every file in testdata/gold. A change to a rule or a list
// moves them: what goes up or down is seen here, and in the commit that does it.
var goldScores = map[string]score{
	"check-1.jsonl":           {241, 125, 105},
	"check-2.jsonl":           {245, 129, 98},
	"check-3.jsonl":           {309, 161, 129},
	"check-4.jsonl":           {291, 69, 39},
	"check-5.jsonl":           {249, 101, 74},
	"dev-1.jsonl":             {65, 45, 36},
	"dev-2.jsonl":             {63, 40, 30},
	"dev-3.jsonl":             {62, 41, 35},
	"dev-4.jsonl":             {58, 17, 11},
	"held.jsonl":              {246, 130, 102},
	"home-plain-2.jsonl":      {129, 121, 117},
	"home-plain-3-held.jsonl": {223, 173, 149},
	"home-plain-3.jsonl":      {232, 202, 193},
	"home-plain-4-held.jsonl": {188, 155, 138},
	"home-plain-4.jsonl":      {206, 181, 166},
	"home-plain-5.jsonl":      {236, 186, 174},
	"home-plain.jsonl":        {90, 87, 80},
	"tune.jsonl":              {249, 163, 131},
}

// TestGold scores the labelled texts, as make eval does: a vote is right when its
// aspect has a label with its polarity.
func TestGold(t *testing.T) {
	files, err := filepath.Glob("testdata/gold/*.jsonl")
	if err != nil || len(files) != len(goldScores) {
		t.Errorf("%d files, %d scores, %v", len(files), len(goldScores), err)
	}
	an := sentiment.NewAnalyzer(sentiment.Config{})
	for _, file := range files {
		if got, want := scoreOf(t, an, file), goldScores[filepath.Base(file)]; got != want {
			t.Errorf("%q: {%d, %d, %d}, not %d", filepath.Base(file), got.labels, got.found, got.right, want)
		}
	}
}

func scoreOf(t *testing.T, an *sentiment.Analyzer, file string) (s score) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var item struct {
			Text   string
			Stars  int
			Labels []struct{ Aspect, Polarity string }
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		votes := an.Analyze(review(cmp.Or(item.Stars, 3), item.Text), reviewcast.Mentions{}).Insight.Aspects
		s.labels += len(item.Labels)
		s.found += len(votes)
		for _, l := range item.Labels {
			if string(votes[l.Aspect]) == l.Polarity {
				s.right++
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return s
}
