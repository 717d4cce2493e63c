//go:build !race

// Package changes measures what following a published set costs: the bytes of a
// client that asks every day, and of what a hub pushes.
package changes

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/generator"
)

const (
	days       = 30
	newADay    = 10
	editsADay  = 1
	brotliFast = 6 // the level at which servers compress as they go
)

// BenchmarkPolling publishes 30 days of a business with 10 new and 1 edited review a
// day, and counts the bytes that one client receives, headers included, when it asks
// nginx once a day: for /changes/latest.json, and for /reviews.json with gzip_static.
// The figures are bytes for the 30 days, not times.
func BenchmarkPolling(b *testing.B) {
	sizes := []int{2_000, 10_000}
	if os.Getenv("REVIEWS") != "" {
		sizes = []int{1_900}
	}
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				h := newHistory(b, n)
				server := h.serve(b)
				h.build(b)
				var changes, whole client
				brotlied, brotliedChange, pushedWhole, pushedChange := 0, 0, 0, 0
				for range days {
					h.day()
					h.build(b)
					changes.get(b, server+reviewcast.PathLatestChange)
					whole.get(b, server+reviewcast.PathReviews)
					brotlied += brotliSize(b, h.file(b, reviewcast.PathReviews))
					brotliedChange += brotliSize(b, h.file(b, reviewcast.PathLatestChange))
					pushedWhole += len(h.file(b, reviewcast.PathReviews))
					pushedChange += len(h.file(b, reviewcast.PathLatestChange))
				}
				b.ReportMetric(float64(changes.received.Load()), "changes-bytes")
				b.ReportMetric(float64(whole.received.Load()), "gzip-bytes")
				b.ReportMetric(float64(brotlied), "brotli-bytes")
				b.ReportMetric(100*float64(changes.received.Load())/float64(whole.received.Load()), "%-of-gzip")
				b.ReportMetric(100*float64(changes.received.Load())/float64(brotlied), "%-of-brotli")
				b.ReportMetric(float64(brotliedChange), "changes-brotli-bytes")
				if dir := os.Getenv("KEEP"); dir != "" {
					_ = os.CopyFS(dir, os.DirFS(h.public))
				}
				b.ReportMetric(float64(pushedWhole)/float64(pushedChange), "push-ratio")
			}
		})
	}
}

// history is a business that publishes once a day.
type history struct {
	content, public string
	reviews         []reviewcast.Review // those to come, then those that are there
	first           int                 // of those that are there
	now             time.Time
	rng             *rand.Rand
}

func newHistory(b testing.TB, n int) *history {
	dir := b.TempDir()
	h := &history{
		content: filepath.Join(dir, "content"), public: filepath.Join(dir, "public"),
		reviews: reviews(b, n+days*newADay), first: days * newADay,
		now: time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC), rng: rand.New(rand.NewPCG(1, 2)),
	}
	if err := os.MkdirAll(filepath.Join(h.content, "reviews"), 0o755); err != nil {
		b.Fatal(err)
	}
	business, err := json.Marshal(corpus.Business()) // JSON is YAML
	if err == nil {
		err = os.WriteFile(filepath.Join(h.content, "business.yaml"), business, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	return h
}

// day adds and edits reviews.
func (h *history) day() {
	h.first -= newADay
	h.now = h.now.Add(24 * time.Hour)
	for range editsADay {
		r := &h.reviews[h.first+newADay+h.rng.IntN(len(h.reviews)-h.first-newADay)]
		r.OwnerReply = &reviewcast.OwnerReply{Text: "Thank you, we will call you about it this week.", Date: r.Date}
	}
}

func (h *history) build(b testing.TB) {
	b.Helper()
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	for _, r := range h.reviews[h.first:] {
		if err := e.Encode(kept(r)); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(h.content, "reviews", "all.jsonl"), body.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	builder := generator.NewBuilder(generator.Config{
		ContentDir: h.content, PublicDir: h.public, BaseURL: "https://reviews.example.com",
		Today: "2027-01-01", Now: func() time.Time { return h.now },
	})
	if _, err := builder.Build(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// kept is a published review as an editor keeps it.
func kept(r reviewcast.Review) map[string]any {
	m := map[string]any{"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "language": r.Language, "source": r.Source,
		"verification": map[string]any{"method": r.Verification.Method, "verified_on": r.Verification.VerifiedOn}}
	for name, v := range map[string]*string{"title": r.Title, "text": r.Text, "source_url": r.SourceURL} {
		if v != nil {
			m[name] = *v
		}
	}
	if r.OwnerReply != nil {
		m["owner_reply"] = r.OwnerReply
	}
	return m
}

func (h *history) file(b testing.TB, path string) []byte {
	b.Helper()
	body, err := os.ReadFile(filepath.Join(h.public, path))
	if err != nil {
		b.Fatal(err)
	}
	return body
}

// serve starts nginx on the published directory.
func (h *history) serve(b *testing.B) string {
	b.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		b.Skip("nginx is not installed: apt-get install nginx-light")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	dir := b.TempDir()
	config := fmt.Sprintf(`daemon off; pid %[1]s/pid; error_log %[1]s/error.log; worker_processes 1;
events {}
http {
  access_log off; client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
  types { application/json json; }
  server { listen %[2]s; root %[3]s; gzip_static on; }
}
`, dir, address, h.public)
	name := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(name, []byte(config), 0o644); err != nil {
		b.Fatal(err)
	}
	// The working user of nginx has to reach the directory.
	for d := h.public; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755)
	}
	cmd := exec.Command(program, "-c", name, "-p", dir)
	if os.Getuid() == 0 {
		cmd.Args = append(cmd.Args, "-g", "user root;")
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // killed, nginx leaves its workers running
		_ = cmd.Wait()
	})
	for range 200 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address
		}
		time.Sleep(10 * time.Millisecond)
	}
	b.Fatal("nginx does not answer")
	return ""
}

// client counts what it receives on its connections, headers included.
type client struct{ received atomic.Int64 }

type countingConn struct {
	net.Conn
	received *atomic.Int64
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.received.Add(int64(n))
	return n, err
}

func (c *client) get(b *testing.B, url string) {
	b.Helper()
	var dialer net.Dialer
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		return countingConn{conn, &c.received}, err
	}}
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := transport.RoundTrip(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body := io.Reader(resp.Body)
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		if body, err = gzip.NewReader(resp.Body); err != nil {
			b.Fatal(err)
		}
	}
	if data, err := io.ReadAll(body); err != nil || resp.StatusCode != http.StatusOK || !json.Valid(data) {
		b.Fatalf("GET %s: %s, %v", url, resp.Status, err)
	}
}

func brotliSize(b *testing.B, body []byte) int {
	b.Helper()
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotliFast)
	if _, err := w.Write(body); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Len()
}
