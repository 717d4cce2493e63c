package insights

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// TestTrendOfNothing shuffles ratings and votes over the dates 2,000 times, so that
// nothing changes: at most 6.5 % of the trends are called.
func TestTrendOfNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 2))
	day := time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC)
	w := windowsOf([]Analyzed{{Review: Review{Review: &reviewcast.Review{Date: reviewcast.Date(day.Format(time.DateOnly))}}}})
	for _, c := range []struct {
		name   string
		n      int
		values []float64
	}{
		{"stars, few", 20, []float64{5, 5, 5, 5, 4, 4, 3, 1}},
		{"stars, many", 200, []float64{5, 5, 5, 5, 4, 4, 3, 1}},
		{"aspect, few", 20, []float64{1, 1, 1, -1, 0}},
		{"aspect, many", 200, []float64{1, 1, 1, -1, 0}},
		{"aspect, nearly all praise", 60, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, called, enough := make([]float64, c.n), 0, 0
			for i := range values {
				values[i] = c.values[i%len(c.values)]
			}
			for range 2000 {
				random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
				var sum trendSum
				for i, v := range values {
					at := day.AddDate(0, 0, -i*2*trendWindowDays/len(values))
					sum.add(w, reviewcast.Date(at.Format(time.DateOnly)), v)
				}
				switch sum.trend().Direction {
				case "improving", "declining":
					called++
					enough++
				case "steady":
					enough++
				}
			}
			if enough != 2000 {
				t.Fatalf("%d of 2000 shuffles have enough reviews", enough)
			}
			if share := float64(called) / 2000; share > 0.065 {
				t.Errorf("%.1f %% of the trends are called although nothing changes", 100*share)
			}
		})
	}
}

// TestShareOfNothing shuffles in which reviews a topic is: at most 6.5 % of its
// changes are called.
func TestShareOfNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 3))
	for _, c := range []struct{ n, with int }{{20, 4}, {100, 4}, {100, 8}, {200, 13}, {400, 100}} {
		called := 0
		for range 2000 {
			var with [2]int
			for _, at := range random.Perm(c.n)[:c.with] {
				with[at%2]++
			}
			if d := shareTrend([2]int{c.n / 2, c.n / 2}, with).Direction; d == "rising" || d == "falling" {
				called++
			}
		}
		if share := float64(called) / 2000; share > 0.065 {
			t.Errorf("%d of %d reviews: %.1f %% of the changes are called although nothing changes", c.with, c.n, 100*share)
		}
	}
	if got := shareTrend([2]int{50, 50}, [2]int{12, 2}); got.Direction != "rising" || *got.Change != 0.2 {
		t.Errorf("12 of 50 after 2 of 50: %+v", got)
	}
}

// TestTrendOfChange calls a change that is there.
func TestTrendOfChange(t *testing.T) {
	var all []Analyzed
	for i := range 40 {
		rating := 5
		if i >= 20 {
			rating = 2 + i%2
		}
		date := time.Date(2026, 6, 30, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -i*4)
		all = append(all, Analyzed{Review: Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("r%02d", i), Rating: rating, Date: reviewcast.Date(date.Format(time.DateOnly)),
		}}, Analysis: &sentiment.Analysis{}})
	}
	ins := reviewcast.Insights{PerReview: map[string]reviewcast.ReviewInsight{}}
	sum(&ins, all)
	trend := ins.Temporal.Trend
	if trend.Direction != "improving" || *trend.Change < 1 || *trend.StandardError <= 0 {
		t.Errorf("%+v, want a rise", trend)
	}
}

// TestConfidence holds the interval against its definition: it includes Wilson's,
// it widens with reading errors, and its level needs width and phrases.
func TestConfidence(t *testing.T) {
	m := reviewcast.Measured{Precision: 0.97, Recall: 0.7, Reviews: 300, Labels: 600}
	counts := reviewcast.SentimentCounts{PositiveCount: 780, NegativeCount: 20}
	good := confidence(counts, 800, 600, m)
	low, high := reviewcast.Wilson(780, 800)
	if good.Low > low || good.High < high-0.005 || good.Level != "high" {
		t.Errorf("%+v of 780 of 800, Wilson's interval is %.3f to %.3f", good, low, high)
	}
	for _, c := range []struct {
		phrased int
		p       float64
		want    string
	}{{100, 0.97, "medium"}, {600, 0.8, "medium"}, {600, 0.5, "low"}} {
		m.Precision = c.p
		if got := confidence(counts, 800, c.phrased, m); got.Level != c.want {
			t.Errorf("%+v: level %s, want %s (%+v)", c, got.Level, c.want, got)
		}
	}
	if got := confidence(reviewcast.SentimentCounts{}, 0, 0, m); got.Level != "none" || got.Low != 0 || got.High != 1 {
		t.Errorf("of no votes: %+v", got)
	}
}

// TestCover counts what terms match, and lists what none does.
func TestCover(t *testing.T) {
	texts := []string{"The boarding was slow. Leg room was bad.", "Fast boarding, no leg room.", "On board all was well."}
	in := Input{Config: sentiment.Config{Aspects: []sentiment.Term{{ID: "boarding", Label: "Boarding", Terms: []string{`"boarding"`, "gate"}}}}}
	for i := range texts {
		in.Reviews = append(in.Reviews, Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("r%d", i), Rating: 3, Date: "2026-03-01", Language: "en", Text: &texts[i],
		}})
	}
	got := Cover(in)
	terms := got.Aspects[0].Terms
	if len(terms) != 2 || terms[0].Reviews != 2 || terms[1].Reviews != 0 {
		t.Errorf("%+v", got)
	}
	if want := (Example{"r0", "The boarding was slow."}); len(terms[0].Examples) != 2 || terms[0].Examples[0] != want {
		t.Errorf("examples %+v, want %+v first", terms[0].Examples, want)
	}
	if len(got.Uncaught) != 1 || got.Uncaught[0] != (Uncaught{"leg room", 2}) {
		t.Errorf("matched by no term: %+v", got.Uncaught)
	}
}
