package mcpserver

import (
	"encoding/json"
	"fmt"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
)

// BenchmarkView makes the agents' view of a new snapshot, as Run does at each change.
func BenchmarkView(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			d := corpus.Dataset(n)
			p := snapshottest.Publish(b, d)
			var in reviewcast.Insights
			if err := json.Unmarshal(read(b, "insights.json"), &in); err != nil {
				b.Fatal(err)
			}
			in.PerReview = make(map[string]reviewcast.ReviewInsight, n)
			for _, r := range d.Reviews {
				in.PerReview[r.ID] = reviewcast.ReviewInsight{Sentiment: reviewcast.Positive, Score: 0.7,
					Aspects: map[string]reviewcast.Polarity{"punctuality": reviewcast.Positive, "pricing": reviewcast.Neutral}}
			}
			p[reviewcast.PathInsights] = snapshottest.Marshal(b, in)
			s := p.Open(b, 1)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := newView(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
