package edge

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"reviewcast/bench/corpus"
	"reviewcast/edge/snapshot"
	"reviewcast/edge/snapshot/snapshottest"
)

// newEdge makes the handler over a directory of n made-up reviews.
func newEdge(t testing.TB, n int, c Config) http.Handler {
	t.Helper()
	c.BaseURL = snapshottest.BaseURL
	if c.Snapshots == nil {
		c.Snapshots = &snapshot.Holder{}
		c.Snapshots.Swap(snapshottest.Publish(t, corpus.Dataset(n)).Open(t, 1))
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestServesEverything(t *testing.T) {
	h := newEdge(t, 50, Config{})
	for _, path := range []string{"/", "/reviews.json", "/manifest.json", "/feed.xml", "/api/reviews/search?query=on+time", "/api/reviews/since/2026-01-01"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK || w.Header().Get("ETag") == "" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("GET %s: %d %v", path, w.Code, w.Header())
		}
	}
}
