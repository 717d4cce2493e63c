package pages

import (
	"fmt"
	"testing"

	"reviewcast/generator/render"
)

// BenchmarkRender makes all pages.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			c := withLines(b, corpusContent(n))
			size := 0
			for b.Loop() {
				size = 0
				for _, body := range renderAll(b, c) {
					size += len(body)
				}
			}
			b.ReportMetric(float64(size)/1e6, "MB")
		})
	}
}

// BenchmarkFront is what a preview does after a save: it groups the reviews and makes
// the front page.
func BenchmarkFront(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			c := withLines(b, corpusContent(n))
			for b.Loop() {
				s, err := New(c)
				if err != nil {
					b.Fatal(err)
				}
				if files, err := s.Files("/index.html"); err != nil || len(files) != 2 {
					b.Fatal(len(files), err)
				}
			}
		})
	}
}

// withLines adds what other packages render.
func withLines(t testing.TB, c Content) Content {
	t.Helper()
	c.ReviewLines = nil
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
