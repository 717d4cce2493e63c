package edge

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// discard is a ResponseWriter that counts: benchmarks measure the handler, not a
// recorder's copy.
type discard struct {
	header http.Header
	status int
	bytes  int64
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.bytes += int64(len(p))
	return len(p), nil
}

// BenchmarkServe answers requests without a network: what the handler costs.
// bytes are those of the body.
func BenchmarkServe(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		d := corpus.Dataset(n)
		p := snapshottest.Publish(b, d)
		var zipped bytes.Buffer
		zw := gzip.NewWriter(&zipped)
		zw.Write(p[reviewcast.PathReviews])
		zw.Close()
		p[reviewcast.PathReviews+".gz"] = zipped.Bytes()
		c := Config{Snapshots: &snapshot.Holder{}}
		snapshottest.Swap(c.Snapshots, p.Open(b, 1))
		h := newEdge(b, 0, c)

		page := string(d.Reviews[min(n-1, 50)].Date) // as the client that polls asks
		for _, tt := range []struct {
			name, path, coding string
			conditional        bool
		}{
			{"file/304", reviewcast.PathReviews, "", true},
			{"file/200", reviewcast.PathReviews, "", false},
			{"file/200 gzip", reviewcast.PathReviews, "gzip", false},
			{"since page/304", reviewcast.PathSince + page, "", true},
			{"since page/200", reviewcast.PathSince + page, "", false},
			{"since page/200 gzip", reviewcast.PathSince + page, "gzip", false},
			{"since all/304", reviewcast.PathSince + "2000-01-01", "", true},
			{"since all/200", reviewcast.PathSince + "2000-01-01", "", false},
			{"since all/200 gzip", reviewcast.PathSince + "2000-01-01", "gzip", false},
			{"search rare/200", reviewcast.PathSearch + "?query=worthmere+lane", "", false},
			{"search page/200", reviewcast.PathSearch + "?rating=5", "", false},
			{"search page/200 gzip", reviewcast.PathSearch + "?rating=5", "gzip", false},
			{"search page/304", reviewcast.PathSearch + "?rating=5", "", true},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, tt.name), func(b *testing.B) {
				r := httptest.NewRequest("GET", tt.path, nil)
				if tt.coding != "" {
					r.Header.Set("Accept-Encoding", tt.coding)
				}
				w := &discard{header: http.Header{}}
				h.ServeHTTP(w, r) // makes what is made once
				if tt.conditional {
					r.Header.Set("If-None-Match", w.header.Get("ETag"))
				}
				b.ReportAllocs()
				for b.Loop() {
					clear(w.header)
					w.bytes = 0
					h.ServeHTTP(w, r)
				}
				if want := map[bool]int{true: 304, false: 200}[tt.conditional]; w.status != want {
					b.Fatalf("status %d, want %d", w.status, want)
				}
				b.ReportMetric(float64(w.bytes), "bytes")
			})
		}
	}
}
