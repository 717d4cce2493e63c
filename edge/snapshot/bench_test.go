package snapshot_test

import (
	"fmt"
	"runtime"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/edge/snapshot"
	"reviewcast/edge/snapshot/snapshottest"
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

// queries is the mix of searches that the targets are measured with.
var queries = []struct {
	name string
	reviewcast.Query
}{
	{"rare word", reviewcast.Query{Text: "Rémy, Oregon"}},
	{"part number", reviewcast.Query{Text: "wi-4821"}},
	{"street", reviewcast.Query{Text: "worthmere lane"}},
	{"absent", reviewcast.Query{Text: "xylophone"}},
	{"two rare words", reviewcast.Query{Text: "crawl space. we live on mer"}},
	{"common phrase", reviewcast.Query{Text: "on time"}},
	{"commoner phrase", reviewcast.Query{Text: "the technician"}},
	{"common ending", reviewcast.Query{Text: "ing "}},
	{"1 letter", reviewcast.Query{Text: "e"}},
	{"1 space", reviewcast.Query{Text: " "}},
	{"2 letters", reviewcast.Query{Text: "er"}},
	{"3 letters", reviewcast.Query{Text: "the"}},
	{"4 letters", reviewcast.Query{Text: " the"}},
	{"no filter", reviewcast.Query{}},
	{"stars", reviewcast.Query{Rating: 2}},
	{"at least 4 stars", reviewcast.Query{MinRating: 4}},
	{"technician", reviewcast.Query{Technician: "dana"}},
	{"month", reviewcast.Query{Since: "2026-03-01", Until: "2026-03-31"}},
	{"everything", reviewcast.Query{Text: "on time", MinRating: 4, Since: "2025-01-01", Technician: "marcus", Service: "Leak Repair"}},
	{"200 code points", reviewcast.Query{Text: "the water pressure is better than it has ever been. we have used them for years and they have never let us down. the water pressure is better than it has ever been. we have used them for years and th"}},
}

// BenchmarkSearch answers each of the queries; matched says how many there are.
func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		s := snapshottest.Publish(b, corpus.Dataset(n)).Open(b, 1)
		for _, q := range queries {
			b.Run(fmt.Sprintf("%d/%s", n, q.name), func(b *testing.B) {
				q.Limit = reviewcast.DefaultLimit
				b.ReportAllocs()
				var r snapshot.Result
				for b.Loop() {
					r = s.Search(q.Query)
				}
				b.ReportMetric(float64(r.Matched), "matched")
			})
		}
	}
}
