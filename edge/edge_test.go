package edge

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// newEdge makes the handler over a directory of n made-up reviews.
func newEdge(t testing.TB, n int, c Config) http.Handler {
	t.Helper()
	c.BaseURL = snapshottest.BaseURL
	if c.Snapshots == nil {
		c.Snapshots = &snapshot.Holder{}
		snapshottest.Swap(c.Snapshots, snapshottest.Publish(t, corpus.Dataset(n)).Open(t, 1))
	}
	return New(c)
}

// TestSwap: the answer follows the snapshot, and a since answer that the change
// doesn't touch keeps its entity tag, in both codings.
func TestSwap(t *testing.T) {
	var snapshots snapshot.Holder
	h := newEdge(t, 0, Config{Snapshots: &snapshots})
	d := corpus.Dataset(100)
	publish := func() { snapshottest.Swap(&snapshots, snapshottest.Publish(t, d).Open(t, 1)) }
	ask := func(path, coding, tag string) (int, string) {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", coding)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Header().Get("ETag")
	}
	publish()
	since := reviewcast.PathSince + string(d.Reviews[50].Date)
	_, file := ask(reviewcast.PathReviews, "identity", "")
	_, plain := ask(since, "identity", "")
	_, gzip := ask(since, "gzip", "")

	d.Reviews[70].Text = new("An older review, told otherwise.")
	publish()
	if code, tag := ask(reviewcast.PathReviews, "identity", file); code != 200 || tag == file {
		t.Errorf("reviews.json after a change: %d %s", code, tag)
	}
	for coding, tag := range map[string]string{"identity": plain, "gzip": gzip} {
		if code, _ := ask(since, coding, tag); code != 304 {
			t.Errorf("since in %s, after a change outside its range: %d", coding, code)
		}
	}
	d.Reviews[30].Text = new("A newer review, told otherwise.")
	publish()
	for coding, tag := range map[string]string{"identity": plain, "gzip": gzip} {
		if code, _ := ask(since, coding, tag); code != 200 {
			t.Errorf("since in %s, after a change within its range: %d", coding, code)
		}
	}
}

// TestCaps counts to the byte.
func TestCaps(t *testing.T) {
	h := newEdge(t, 1, Config{})
	ask := func(r *http.Request) (int, string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != 200 {
			var body reviewcast.ErrorBody
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Status != w.Code {
				t.Errorf("%d has the body %s", w.Code, w.Body)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%d has the header %v", w.Code, w.Header())
			}
		}
		return w.Code, ""
	}
	const path = "/reviews.json?"
	for over, want := range []int{200, 414} {
		r := httptest.NewRequest("GET", path+strings.Repeat("x", maxURL-len(path)+over), nil)
		if code, _ := ask(r); code != want {
			t.Errorf("an address of %d bytes: %d, want %d", len(r.RequestURI), code, want)
		}
	}
	for over, want := range []int{200, 431} {
		r := httptest.NewRequest("GET", "/reviews.json", nil)
		r.Header.Set("X-A", "")
		r.Header.Set("X-A", strings.Repeat("x", maxHeader-headerSize(r)+over))
		if code, _ := ask(r); code != want {
			t.Errorf("a header of %d bytes: %d, want %d", headerSize(r), code, want)
		}
	}
}

// TestPanic: a fault before the answer is a 500 whose id is in the log; one in the
// middle cuts the connection.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	c := Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Snapshots: &snapshot.Holder{}, AccessLog: true}
	c.Hub = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "half" {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		}
		panic("at the disco")
	})
	srv := httptest.NewServer(newEdge(t, 0, c))
	defer srv.Close()

	resp, err := http.Post(srv.URL+reviewcast.PathHub, "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	id := resp.Header.Get("X-Request-Id")
	if resp.StatusCode != 500 || id == "" || !strings.Contains(string(body), id) || strings.Contains(string(body), "disco") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}

	resp, err = http.Post(srv.URL+reviewcast.PathHub+"?half", "text/plain", nil)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		t.Error("half an answer came as a whole one")
	}
	srv.Close() // waits for the handlers, which write the log
	for _, want := range []string{"id=" + id, "at the disco", "panic after the response had begun", "msg=request method=POST path=/api/websub/hub status=500"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log.String())
		}
	}
}

// TestAdmin: what keeps an edge from answering makes it unready, what only a part lacks
// degraded.
func TestAdmin(t *testing.T) {
	var snapshots snapshot.Holder
	var hub error
	h := Admin(&snapshots, map[string]func() error{"hub": func() error { return hub }})
	ask := func(path string, code int, body string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != code || strings.TrimSpace(w.Body.String()) != body {
			t.Errorf("GET %s: %d %s, want %d %s", path, w.Code, w.Body, code, body)
		}
	}
	ask("/healthz", 200, `{"status":"up"}`)
	ask("/readyz", 503, `{"status":"not ready","parts":{"files":"nothing published yet","hub":"ok","search":"no index yet"}}`)
	s := snapshottest.Publish(t, corpus.Dataset(3)).Open(t, 42)
	snapshots.Files.Swap(s.Files)
	ask("/readyz", 503, `{"status":"not ready","sequence":42,"parts":{"files":"ok","hub":"ok","search":"no index yet"}}`)
	snapshots.Indexed.Swap(s)
	ask("/readyz", 200, `{"status":"ready","sequence":42,"search_sequence":42,"reviews":3,"parts":{"files":"ok","hub":"ok","search":"ok"}}`)
	hub = errors.New("the state doesn't answer")
	ask("/readyz", 200, `{"status":"degraded","sequence":42,"search_sequence":42,"reviews":3,"parts":{"files":"ok","hub":"the state doesn't answer","search":"ok"}}`)
}

// TestFilesFirst: files are served from a new version at once, and queries from the one
// before until the index is there. Each answer names its version.
func TestFilesFirst(t *testing.T) {
	h := &snapshot.Holder{}
	e := newEdge(t, 0, Config{Snapshots: h})
	ask := func(path string, code int, sequence string) {
		t.Helper()
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := w.Header().Get("Reviewcast-Sequence"); w.Code != code || got != sequence || code == 503 && w.Header().Get("Retry-After") == "" {
			t.Errorf("GET %s: %d of version %q, want %d of %q; %v", path, w.Code, got, code, sequence, w.Header())
		}
	}
	one, two := snapshottest.Publish(t, corpus.Dataset(3)).Open(t, 1), snapshottest.Publish(t, corpus.Dataset(4)).Open(t, 2)
	ask("/reviews.json", 503, "")
	h.Files.Swap(one.Files)
	ask("/reviews.json", 200, "1")
	ask("/api/reviews/search", 503, "")
	ask("/api/reviews/since/2020-01-01", 503, "")
	h.Indexed.Swap(one)
	h.Files.Swap(two.Files)
	ask("/reviews.json", 200, "2")
	ask("/api/reviews/search", 200, "1")
	ask("/api/reviews/since/2020-01-01", 200, "1")
	h.Indexed.Swap(two)
	ask("/api/reviews/search", 200, "2")
}

// TestGzipOnRequest: a file without encoded variants is compressed here, with a tag of
// its own.
func TestGzipOnRequest(t *testing.T) {
	e := newEdge(t, 100, Config{})
	ask := func(accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", "/reviews.json", nil)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		return w
	}
	plain, first, second := ask("br"), ask("gzip"), ask("gzip")
	z, err := gzip.NewReader(first.Body)
	if err != nil {
		t.Fatal(first.Header(), err)
	}
	body, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(body, plain.Body.Bytes()) {
		t.Errorf("other bytes, %v", err)
	}
	if tag := first.Header().Get("Etag"); tag == plain.Header().Get("Etag") || tag != second.Header().Get("Etag") || first.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("headers %v, of the plain file %v", first.Header(), plain.Header())
	}
}

// TestMetrics: requests are counted by kind and result.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	h := newEdge(t, 10, Config{Metrics: registry, RateSearch: 0.1})
	for _, path := range []string{"/reviews.json", "/nothing", "/api/reviews/search", "/api/reviews/search", "/api/reviews/since/2026-01-01", "/mcp", "/api/websub/hub"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	r := httptest.NewRequest("GET", "/reviews.json", nil)
	r.Header.Set("If-None-Match", "*")
	h.ServeHTTP(httptest.NewRecorder(), r)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, kind := range []string{"file", "search", "since", "mcp", "hub"} {
		for _, status := range []string{"ok", "not_modified", "client_error", "refused", "server_error"} {
			n := map[string]int{"file ok": 1, "file client_error": 1, "file not_modified": 1, "search ok": 1, "search refused": 1,
				"since refused": 1, "mcp client_error": 1, "hub client_error": 1}[kind+" "+status]
			want := fmt.Sprintf("reviewcast_http_requests_total{kind=%q,result=%q} %d\n", kind, status, n)
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("metrics lack %s", want)
			}
		}
	}
}
