package pages

import (
	"fmt"
	"slices"
	"testing"

	"reviewcast/generator/render"
)

// BenchmarkRender makes all pages anew, and BenchmarkRenderAgain after one review has
// changed, with a memo and the lines of the reviews at hand.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			c := withLines(b, corpusContent(n))
			size := 0
			for b.Loop() {
				size = 0
				for _, body := range renderAll(b, c, nil) {
					size += len(body)
				}
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}

func BenchmarkRenderAgain(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			c := withLines(b, corpusContent(n))
			memo := &Memo{}
			renderAll(b, c, memo)
			i := 0
			for b.Loop() {
				i++
				d := *c.Dataset
				d.Reviews = slices.Clone(d.Reviews)
				d.Reviews[n/2].Text = pointer(fmt.Sprintf("Take %d.", i))
				c.Dataset = &d
				line, err := render.ReviewLine(&d.Reviews[n/2])
				if err != nil {
					b.Fatal(err)
				}
				c.ReviewLines[n/2] = line
				renderAll(b, c, memo)
			}
		})
	}
}

// withLines adds what a builder keeps from build to build.
func withLines(t testing.TB, c Content) Content {
	t.Helper()
	for i := range c.Dataset.Reviews {
		line, err := render.ReviewLine(&c.Dataset.Reviews[i])
		if err != nil {
			t.Fatal(err)
		}
		c.ReviewLines = append(c.ReviewLines, line)
	}
	var err error
	if c.OpenAPI, err = render.OpenAPI(c.Channel, c.Dataset); err != nil {
		t.Fatal(err)
	}
	return c
}
