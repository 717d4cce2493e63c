package insights_test

import (
	"fmt"
	"testing"

	"reviewcast/bench/corpus"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
)

// corpusInput is n made-up reviews, ready to count.
func corpusInput(n int) insights.Input {
	in := insights.Input{Config: sentiment.Config{Business: corpus.Business()}}
	reviews := corpus.Reviews(n)
	for i := range reviews {
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviews[i], Job: reviews[i].Mentions})
	}
	return in
}

// BenchmarkCompute shows a build's share: everything anew.
func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := corpusInput(n)
			b.ReportAllocs()
			for b.Loop() {
				insights.Compute(in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/review")
		})
	}
}

// BenchmarkCountOneChanged shows watch mode's share: one review of many changed.
func BenchmarkCountOneChanged(b *testing.B) {
	in := corpusInput(10_000)
	a := sentiment.NewAnalyzer(in.Config)
	kept := insights.Compute(in).Reviews
	for b.Loop() {
		kept[17].Analysis = a.Analyze(kept[17].Review.Review, kept[17].Job)
		insights.Count(a, kept)
	}
}
