package snapshot_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"runtime"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// sizes are the numbers of reviews that everything is measured with.
var sizes = []int{1_000, 10_000, 100_000}

// BenchmarkOpen opens a directory that is in memory: what a reload costs but for
// reading the disk. It reports the bytes of reviews.json and of the heap that a
// snapshot keeps, as a multiple of them.
func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := snapshottest.Publish(b, corpus.Dataset(n))
			manifest := p.Manifest(b, 1)
			size := len(p[reviewcast.PathReviews])
			b.SetBytes(int64(size))
			before := heap()
			var s *snapshot.Snapshot
			for b.Loop() {
				var err error
				if s, err = snapshot.FromArtifacts(manifest, p, snapshot.Config{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(heap()-before+size)/float64(size), "heap/file")
			runtime.KeepAlive(s)
		})
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkParts opens the files of a directory on disk, with an encoded variant of
// reviews.json, and indexes them: the first is what a start or a reload costs before
// the files are served and announced, the second what search waits for.
func BenchmarkParts(b *testing.B) {
	for _, n := range sizes {
		p := snapshottest.Publish(b, corpus.Dataset(n))
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		if _, err := w.Write(p[reviewcast.PathReviews]); err != nil || w.Close() != nil {
			b.Fatal(err)
		}
		p[reviewcast.PathReviews+".gz"] = z.Bytes()
		dir := b.TempDir()
		p.Write(b, dir, 1)
		var f *snapshot.Files
		open := func(b *testing.B) {
			var err error
			if f, err = snapshot.OpenFiles(os.DirFS(dir), snapshot.Config{}); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint("files/", n), func(b *testing.B) {
			for b.Loop() {
				open(b)
			}
		})
		open(b)
		b.Run(fmt.Sprint("index/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Index(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSearch answers each of the queries as if for the first time, without what is
// remembered of an earlier one; matched says how many there are, cost what the edge
// charges for it. "again" is a costly query that is remembered.
func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		s := snapshottest.Publish(b, corpus.Dataset(n)).Open(b, 1)
		for _, q := range corpus.Queries {
			b.Run(fmt.Sprintf("%d/%s", n, q.Name), func(b *testing.B) {
				q.Limit = reviewcast.DefaultLimit
				b.ReportAllocs()
				var r snapshot.Result
				for b.Loop() {
					s.Forget()
					r = s.Search(q.Query)
				}
				s.Forget()
				b.ReportMetric(float64(r.Matched), "matched")
				b.ReportMetric(float64(s.Cost(q.Query)), "cost")
			})
			if q.Name == "no filter" {
				for _, q.Order = range []string{reviewcast.OrderOldest, reviewcast.OrderLowest} {
					b.Run(fmt.Sprintf("%d/%s", n, q.Order), func(b *testing.B) {
						for b.Loop() {
							s.Search(q.Query)
						}
					})
				}
			}
			if s.Cost(q.Query) > 0 {
				b.Run(fmt.Sprintf("%d/%s again", n, q.Name), func(b *testing.B) {
					for b.Loop() {
						s.Search(q.Query)
					}
				})
			}
		}
	}
}

// BenchmarkFacets counts all reviews, and those of a common phrase, by every value.
// BenchmarkAnalysis indexes the insights for it, once per snapshot.
func BenchmarkFacets(b *testing.B) {
	for _, n := range sizes {
		s := analysed(b, n).Open(b, 1)
		for name, text := range map[string]string{"all": "", "3 letters": "the"} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				q := reviewcast.Query{Text: text, Facets: true, Limit: 1}
				s.Search(q)
				for b.Loop() {
					s.Search(q)
				}
			})
		}
	}
}

func BenchmarkAnalysis(b *testing.B) {
	for _, n := range sizes {
		p := analysed(b, n)
		manifest := p.Manifest(b, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s, err := snapshot.FromArtifacts(manifest, p, snapshot.Config{})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := s.Analysis(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// analysed is the corpus with ten aspects, of which each review mentions two or three.
func analysed(b *testing.B, n int) snapshottest.Public {
	d := corpus.Dataset(n)
	p := snapshottest.Publish(b, d)
	polarities := []reviewcast.Polarity{reviewcast.Positive, reviewcast.Positive, reviewcast.Neutral, reviewcast.Negative, reviewcast.Mixed}
	in := reviewcast.Insights{Version: 1, PerReview: make(map[string]reviewcast.ReviewInsight, n)}
	for i := range 10 {
		in.Aspects = append(in.Aspects, reviewcast.Aspect{ID: fmt.Sprint("aspect-", i), Label: fmt.Sprint("Aspect ", i)})
	}
	for i, r := range d.Reviews {
		insight := reviewcast.ReviewInsight{Sentiment: polarities[i%5], Aspects: map[string]reviewcast.Polarity{}}
		for j := range 2 + i%2 {
			insight.Aspects[in.Aspects[(i/7+j*3)%10].ID] = polarities[(i+j)%5]
		}
		in.PerReview[r.ID] = insight
	}
	p[reviewcast.PathInsights] = snapshottest.Marshal(b, in)
	return p
}
