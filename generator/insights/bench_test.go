package insights_test

import (
	"fmt"
	"testing"

	"reviewcast/bench/corpus"
	"reviewcast/generator/insights"
)

// corpusInput is n made-up reviews, ready to count.
func corpusInput(n int) insights.Input {
	in := insights.Input{Business: corpus.Business()}
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

// BenchmarkComputeOneChanged shows watch mode's share: one review of many changed.
func BenchmarkComputeOneChanged(b *testing.B) {
	in := corpusInput(10_000)
	in.Cache = &insights.Cache{}
	insights.Compute(in)
	texts := []string{"They came on time.", "They came late."}
	changed := *in.Reviews[17].Review
	in.Reviews[17].Review = &changed
	i := 0
	for b.Loop() {
		i++
		changed.Text = &texts[i%2]
		insights.Compute(in)
	}
	if in.Cache.Analyzed != 1 {
		b.Fatalf("%d reviews were analysed for one that changed", in.Cache.Analyzed)
	}
}
