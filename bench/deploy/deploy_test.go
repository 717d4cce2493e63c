//go:build !race

// Package deploy measures how long a finished deploy takes to reach every answer: two
// edges that follow the site and share a PostgreSQL database (TEST_POSTGRES_URL), with
// a ping to one of them at the deploy, and without any. REVIEWCAST names the program;
// without it one is built.
//
//	go test -run '^$' -bench Deploy -benchtime 3x -timeout 30m ./bench/deploy
package deploy

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/storetest"
)

// BenchmarkDeploy reports the longest times of the rounds.
func BenchmarkDeploy(b *testing.B) {
	for _, n := range []int{2_000, 100_000} {
		for _, ping := range []bool{true, false} {
			b.Run(fmt.Sprintf("reviews=%d/ping=%t", n, ping), func(b *testing.B) { deploys(b, n, ping) })
		}
	}
}

func deploys(b *testing.B, n int, ping bool) {
	s := newSite(b, n)
	var search, mcp, delivery time.Duration
	round := 0
	for b.Loop() {
		round++
		b.StopTimer()
		s.build(n + round)
		want := s.manifest()
		s.delivered.Store(nil)
		b.StartTimer()
		began := time.Now()
		s.live.Store(&s.built)
		if ping {
			s.ping()
		}
		var waits sync.WaitGroup
		times := make([]time.Duration, 2*len(s.edges)+1)
		for i, edge := range s.edges {
			waits.Go(func() { times[2*i] = s.until(began, func() bool { return s.searched(edge) >= want.Sequence }) })
			waits.Go(func() { times[2*i+1] = s.until(began, func() bool { return s.called(edge) == n+round }) })
		}
		latest, _ := want.File(reviewcast.PathLatestChange)
		waits.Go(func() {
			times[len(times)-1] = s.until(began, func() bool { got := s.delivered.Load(); return got != nil && *got == latest.SHA256 })
		})
		waits.Wait()
		search, mcp, delivery = max(search, times[0], times[2]), max(mcp, times[1], times[3]), max(delivery, times[4])
	}
	b.ReportMetric(search.Seconds(), "search-s")
	b.ReportMetric(mcp.Seconds(), "mcp-s")
	b.ReportMetric(delivery.Seconds(), "delivery-s")
}

type site struct {
	*testing.B
	bin, dir, url, built string
	all                  []reviewcast.Review
	live                 atomic.Pointer[string] // the directory that is deployed
	delivered            atomic.Pointer[string] // sha256 of the last push
	edges                []string
	versions             int
}

func newSite(b *testing.B, n int) *site {
	s := &site{B: b, dir: b.TempDir(), all: corpus.Reviews(n + 100)}
	if s.bin = os.Getenv("REVIEWCAST"); s.bin == "" {
		s.bin = filepath.Join(s.dir, "reviewcast")
		s.run(exec.Command("go", "build", "-o", s.bin, "reviewcast/cmd/reviewcast"))
	}
	s.run(exec.Command(s.bin, "init", "--empty", filepath.Join(s.dir, "content")))
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServer(http.Dir(*s.live.Load())).ServeHTTP(w, r)
	}))
	b.Cleanup(origin.Close)
	s.url = origin.URL
	s.build(n)
	s.live.Store(&s.built)
	callback := httptest.NewTLSServer(http.HandlerFunc(s.subscriber))
	b.Cleanup(callback.Close)
	cert := filepath.Join(s.dir, "cert.pem")
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: callback.Certificate().Raw}), 0o600); err != nil {
		b.Fatal(err)
	}
	state := storetest.Postgres(b)
	for i := range 2 {
		s.edges = append(s.edges, s.start(cert, state, fmt.Sprintf("copy-%d", i)))
	}
	for _, edge := range s.edges {
		s.until(time.Now(), func() bool { return s.searched(edge) > 0 })
	}
	s.post(url.Values{"hub.mode": {"subscribe"}, "hub.callback": {callback.URL}, "hub.topic": {s.url + reviewcast.PathLatestChange}})
	s.until(time.Now(), func() bool {
		out, err := exec.Command(s.bin, "hub", "list", "--state", state).Output()
		return err == nil && bytes.Contains(out, []byte("up to date"))
	})
	return s
}

func (s *site) run(cmd *exec.Cmd) {
	s.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// build builds the next version, with the first n reviews.
func (s *site) build(n int) {
	s.Helper()
	var lines bytes.Buffer
	for _, r := range s.all[:n] {
		text := ""
		if r.Text != nil {
			text = *r.Text
		}
		line, err := json.Marshal(map[string]any{"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "text": text,
			"source": "direct", "verification": map[string]any{"method": "receipt", "verified_on": r.Date}})
		if err != nil {
			s.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	reviews := filepath.Join(s.dir, "content", "reviews")
	if err := errors.Join(os.MkdirAll(reviews, 0o755), os.WriteFile(filepath.Join(reviews, "all.jsonl"), lines.Bytes(), 0o600)); err != nil {
		s.Fatal(err)
	}
	s.versions++
	args := []string{"build", "--quiet", "--content", filepath.Join(s.dir, "content"), "--base-url", s.url, "--encodings", "none"}
	if s.built != "" {
		args = append(args, "--previous", s.built)
	}
	s.built = filepath.Join(s.dir, fmt.Sprintf("v%d", s.versions))
	s.run(exec.Command(s.bin, append(args, "--public", s.built)...))
}

func (s *site) manifest() *reviewcast.Manifest {
	body, err := os.ReadFile(filepath.Join(s.built, "manifest.json"))
	if err != nil {
		s.Fatal(err)
	}
	m, err := reviewcast.ParseManifest(body)
	if err != nil {
		s.Fatal(err)
	}
	return m
}

// start starts an edge and returns its address.
func (s *site) start(cert, state, name string) string {
	s.Helper()
	edge, err := edgetest.Start(edgetest.Config{Program: s.bin, Env: []string{"SSL_CERT_FILE=" + cert},
		Args: append(edgetest.Follow(s.url, filepath.Join(s.dir, name)), "--state", state)})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = edge.Stop(os.Kill) })
	return edge.URL
}

func (s *site) subscriber(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	if body, err := io.ReadAll(r.Body); err == nil {
		hash := reviewcast.SHA256(body)
		s.delivered.Store(&hash)
	}
}

// post posts a form to the hub of the first edge.
func (s *site) post(form url.Values) {
	s.Helper()
	r, err := http.PostForm(s.edges[0]+reviewcast.PathHub, form)
	if err != nil {
		s.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusAccepted {
		s.Fatal(form, r.Status)
	}
}

func (s *site) ping() {
	s.post(url.Values{"hub.mode": {"publish"}, "hub.url": {s.url + reviewcast.PathReviews}})
}

// until waits until done reports true, and returns the time since began.
func (s *site) until(began time.Time, done func() bool) time.Duration {
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.Error("never")
			break
		}
	}
	return time.Since(began)
}

// searched returns the version that a search is answered from.
func (s *site) searched(edge string) (sequence int64) {
	r, err := http.Get(edge + reviewcast.PathSearch + "?limit=1")
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = fmt.Sscan(r.Header.Get("Reviewcast-Sequence"), &sequence) // 0 without a version
	return sequence
}

// called returns how many reviews an agent is told that there are.
func (s *site) called(edge string) int {
	r, err := edgetest.SearchCall(edge, 1)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	var got struct {
		Result struct{ StructuredContent struct{ Matched int } }
	}
	_ = json.NewDecoder(resp.Body).Decode(&got) // 0 without an answer
	return got.Result.StructuredContent.Matched
}
