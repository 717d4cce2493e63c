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

// BenchmarkSearch answers each of the queries; matched says how many there are.
func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		s := snapshottest.Publish(b, corpus.Dataset(n)).Open(b, 1)
		for _, q := range corpus.Queries {
			b.Run(fmt.Sprintf("%d/%s", n, q.Name), func(b *testing.B) {
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
