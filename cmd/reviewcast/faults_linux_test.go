package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/mirrortest"
)

// The tests of this file make what is around an edge fail: .ci/run runs them, with
// FAULTS=1. Each serves a made-up site, and checks while the fault lasts that every
// answer is of one version.

// faultSite is a site, an edge that follows it, and every version that was published.
type faultSite struct {
	*deployment
	site     *mirrortest.Site
	moments  *rand.Rand // used by the test's own goroutine
	good     mirrortest.Origin
	answers  atomic.Pointer[http.HandlerFunc] // the origin
	mu       sync.Mutex
	versions map[int64]mirrortest.Files
	checked  atomic.Int64
	took     []time.Duration // of manifest.json
}

// faults skips the test unless it is asked for.
func faults(t *testing.T) {
	if os.Getenv("FAULTS") == "" {
		t.Skip("FAULTS is not set")
	}
}

func newFaultSite(t *testing.T, reviews int, args ...string) *faultSite {
	faults(t)
	moments := edgetest.Rand(t)
	s := &faultSite{site: mirrortest.New(moments.Uint64(), reviews), moments: moments, versions: map[int64]mirrortest.Files{}}
	s.deployment = &deployment{T: t, program: binary(t), dir: t.TempDir(), base: mirrortest.BaseURL}
	s.serve(s.good.ServeHTTP)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.answers.Load())(w, r) }))
	t.Cleanup(server.Close)
	s.args = slices.Concat(edgetest.Follow(server.URL, filepath.Join(s.dir, "copy")), []string{"--base-url", mirrortest.BaseURL, "--origin-every", "1s", "--admin-listen", "127.0.0.1:0"}, args)
	s.publish()
	return s
}

// pause waits for a random time.
func (s *faultSite) pause(most time.Duration) {
	time.Sleep(time.Duration(s.moments.Int64N(int64(most))))
}

// serve makes h the origin.
func (s *faultSite) serve(h http.HandlerFunc) { s.answers.Store(&h) }

// publish publishes a version that differs, and returns its sequence.
func (s *faultSite) publish() int64 {
	for s.site.Step(); !s.site.Publish(false); {
		s.site.Step()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sequence := s.site.Files.Manifest().Sequence
	s.versions[sequence] = s.site.Files
	s.good.Serve(s.site.Files)
	return sequence
}

func (s *faultSite) version(header http.Header) (int64, mirrortest.Files) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, _ := strconv.ParseInt(header.Get("Reviewcast-Sequence"), 10, 64) // 0 is no version
	return n, s.versions[n]
}

// metric returns the value of a metric of the edge; -1 without it.
func (s *faultSite) metric(name string) float64 {
	_, metrics := s.get(s.admin + "/metrics")
	_, rest, found := strings.Cut(metrics, "\n"+name+" ")
	value, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseFloat(value, 64)
	if !found || err != nil {
		return -1
	}
	return n
}

// has waits until files and search are of a version.
func (s *faultSite) has(sequence int64) time.Duration {
	s.Helper()
	started := time.Now()
	s.until(fmt.Sprintf("version %d is served", sequence), func() bool {
		return s.metric("reviewcast_files_sequence") == float64(sequence) && s.metric("reviewcast_search_sequence") == float64(sequence)
	})
	return time.Since(started)
}

// checking checks answers with four clients until the function that it returns is called.
func (s *faultSite) checking() (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			c := &http.Client{Timeout: patience}
			for last := int64(0); ctx.Err() == nil; s.checked.Add(1) {
				time.Sleep(5 * time.Millisecond) // the load
				sequence, wrong := s.check(c)
				if wrong == "" && sequence > 0 && sequence < last {
					wrong = fmt.Sprintf("version %d after %d", sequence, last)
				}
				if wrong != "" {
					s.Error(wrong)
					return
				}
				last = max(last, sequence)
			}
		})
	}
	return func() {
		cancel()
		clients.Wait()
		s.Logf("%d answers, each of one version", s.checked.Load())
	}
}

var faultPaths = []string{reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathManifest, reviewcast.PathLatestChange, reviewcast.PathVersions, reviewcast.PathWithdrawn}

// check asks for a file, a search, since or an agent's search, and returns the version of a file and what is wrong.
func (s *faultSite) check(c *http.Client) (sequence int64, wrong string) {
	path := faultPaths[rand.N(len(faultPaths))]
	kind := rand.N(6)
	switch kind {
	case 0:
		path = reviewcast.PathSearch + "?limit=50"
	case 1:
		path = reviewcast.PathSince + "2000-01-01"
	case 2:
		path = reviewcast.PathMCP
	}
	started := time.Now()
	resp, err := s.ask(c, path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return 0, fmt.Sprintf("%s: %s %v %.200s", path, resp.Status, err, body)
	}
	if path == reviewcast.PathManifest {
		s.mu.Lock()
		s.took = append(s.took, time.Since(started))
		s.mu.Unlock()
	}
	sequence, files := s.version(resp.Header)
	switch {
	case kind == 2:
		return 0, s.mixedCall(body)
	case files == nil:
		return 0, fmt.Sprintf("%s: version %d was not published", path, sequence)
	case kind < 2:
		return 0, mixedAnswer(path, body, files)
	case !bytes.Equal(body, files[path]):
		return sequence, fmt.Sprintf("%s: the body is not that of version %d", path, sequence)
	}
	return sequence, ""
}

func (s *faultSite) ask(c *http.Client, path string) (*http.Response, error) {
	if path != reviewcast.PathMCP {
		return c.Get(s.hub + path)
	}
	r, err := edgetest.SearchCall(s.hub, 10)
	if err != nil {
		return nil, err
	}
	return c.Do(r)
}

// mixedAnswer compares the answer of a query with the version that it names.
func mixedAnswer(path string, body []byte, files mirrortest.Files) string {
	var got struct {
		Matched int
		Reviews []json.RawMessage
	}
	var all struct{ Reviews []json.RawMessage }
	if err := json.Unmarshal(body, &got); err != nil || json.Unmarshal(files[reviewcast.PathReviews], &all) != nil || got.Matched != len(all.Reviews) {
		return fmt.Sprintf("%s: %v, %d matches, the version has %d", path, err, got.Matched, len(all.Reviews))
	}
	for i, r := range got.Reviews {
		if !bytes.Equal(r, all.Reviews[i]) {
			return fmt.Sprintf("%s: review %d is not that of the version", path, i)
		}
	}
	return ""
}

// mixedCall looks for a version that has what an agent was answered.
func (s *faultSite) mixedCall(body []byte) string {
	var got struct {
		Result struct {
			StructuredContent *struct {
				Matched int
				Reviews []reviewcast.Review
			}
		}
	}
	if err := json.Unmarshal(body, &got); err != nil || got.Result.StructuredContent == nil {
		return fmt.Sprintf("MCP: %v %.300s", err, body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := got.Result.StructuredContent
	for _, files := range s.versions {
		var all reviewcast.Dataset
		same := json.Unmarshal(files[reviewcast.PathReviews], &all) == nil && all.ReviewCount == answer.Matched
		for i, r := range answer.Reviews {
			same = same && r.ID == all.Reviews[i].ID && r.Rating == all.Reviews[i].Rating && r.Date == all.Reviews[i].Date
		}
		if same {
			return ""
		}
	}
	return "MCP: the answer is of no version"
}

// pushed are the hashes of the bodies that were delivered, by callback.
type pushed struct {
	callback string
	mu       sync.Mutex
	got      map[string][]string
}

func (p *pushed) receive(r *http.Request, body []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.got[r.URL.Path] = append(p.got[r.URL.Path], reviewcast.SHA256(body))
}

// all reports whether each of n callbacks has had the body last.
func (p *pushed) all(n int, body []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	have := 0
	for _, got := range p.got {
		if got[len(got)-1] == reviewcast.SHA256(body) {
			have++
		}
	}
	return have == n
}

// subscribers starts the edge with n subscribers of latest.json.
func (s *faultSite) subscribers(n int) *pushed {
	s.Helper()
	p := &pushed{got: map[string][]string{}}
	p.callback = s.subscriber(reviewcast.PathLatestChange, p.receive)
	for i := range n - 1 {
		s.post(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {s.base + reviewcast.PathLatestChange}, "hub.callback": {fmt.Sprintf("%s/%d", p.callback, i)}})
	}
	s.until("all subscriptions are verified", func() bool {
		return s.metric(`reviewcast_hub_handshakes_total{mode="subscribe",result="confirmed"}`) == float64(n)
	})
	return p
}

// TestFaultDeploys: 200 deploys under load. The origin's files change while the edge reads them.
func TestFaultDeploys(t *testing.T) {
	t.Parallel() // mostly waits
	s := newFaultSite(t, 60)
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	pushed := s.subscribers(1)
	stop := s.checking()
	last := int64(0)
	for range long(t, "DEPLOYS", 200) {
		last = s.publish()
		s.ping()
		s.pause(200 * time.Millisecond) // editors at work
	}
	s.has(last)
	s.until("the last version is delivered", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
	stop()
	known := map[string]bool{}
	for _, files := range s.versions {
		known[reviewcast.SHA256(files[reviewcast.PathLatestChange])] = true
	}
	for _, got := range pushed.got["/"] {
		if !known[got] {
			t.Error("a body was delivered that was never published")
		}
	}
	t.Logf("%d deliveries", len(pushed.got["/"]))
}

// TestFaultOrigin: whatever the origin does, the old version is served whole, and the next good one is taken.
func TestFaultOrigin(t *testing.T) {
	t.Parallel() // mostly waits
	s := newFaultSite(t, 60)
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	defer s.checking()()
	for name, bad := range map[string]func(ended context.Context) http.HandlerFunc{
		"down": func(context.Context) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"HTML with 200": func(context.Context) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><title>Soon</title>") }
		},
		"other bytes": func(context.Context) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				body := bytes.Clone(s.site.Files[r.URL.Path])
				if len(body) > 0 && r.URL.Path != reviewcast.PathManifest {
					body[rand.N(len(body))] ^= 1
				}
				_, _ = w.Write(body)
			}
		},
		"other sizes": func(context.Context) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				body := s.site.Files[r.URL.Path]
				if r.URL.Path == reviewcast.PathManifest {
					body = bytes.ReplaceAll(body, []byte(`"size":`), []byte(`"size":1`))
				}
				_, _ = w.Write(body)
			}
		},
		"truncated": func(context.Context) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				body := s.site.Files[r.URL.Path]
				w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				_, _ = w.Write(body[:len(body)*9/10])
			}
		},
		"slow": func(ended context.Context) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				for _, b := range s.site.Files[r.URL.Path] {
					_, _ = w.Write([]byte{b})
					_ = http.NewResponseController(w).Flush()
					select {
					case <-ended.Done():
						panic(http.ErrAbortHandler)
					case <-time.After(50 * time.Millisecond):
					}
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.site.Files.Manifest().Sequence
			ctx, end := context.WithCancel(t.Context())
			var asked atomic.Int64
			answer := bad(ctx)
			s.serve(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				answer(w, r)
			})
			after := s.publish()
			s.until("the edge has asked "+name, func() bool { return asked.Load() > 0 })
			time.Sleep(3 * time.Second) // how long the fault lasts
			if s.metric("reviewcast_files_sequence") != float64(before) {
				t.Errorf("%s: the old version is not served", name)
			}
			s.serve(s.good.ServeHTTP)
			end()
			t.Logf("%s: recovered after %s", name, s.has(after).Round(100*time.Millisecond))
		})
	}
}

// TestFaultKills kills an edge while it takes versions.
func TestFaultKills(t *testing.T) {
	t.Parallel() // mostly waits
	s := newFaultSite(t, 400)
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	for n := range long(t, "KILLS", 12) {
		last := s.publish()
		s.ping()
		s.pause(150 * time.Millisecond) // a random moment
		s.kill()
		s.serve(http.NotFound)
		s.start()
		s.until("it serves its copy", func() bool { status, _ := s.get(s.hub + reviewcast.PathManifest); return status == http.StatusOK })
		if _, wrong := s.check(http.DefaultClient); wrong != "" && !strings.Contains(wrong, "503") && !strings.Contains(wrong, "nothing is published here yet") { // the index may not be there yet
			t.Errorf("round %d: %s", n, wrong)
		}
		s.serve(s.good.ServeHTTP)
		s.has(last)
	}
}

// TestFaultPostgres: the database is cut off for 30 s and then crashes; each subscriber gets the newest version.
func TestFaultPostgres(t *testing.T) {
	t.Parallel() // mostly waits
	s := newFaultSite(t, 60)
	db := startPostgres(t)
	s.env = []string{"REVIEWCAST_STATE=postgres://postgres@" + db.proxy + "/postgres?sslmode=disable"}
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	const subscribers = 20
	pushed := s.subscribers(subscribers)
	stop := s.checking()
	newest := func() bool { return pushed.all(subscribers, s.site.Files[reviewcast.PathLatestChange]) }
	s.has(s.publish())
	s.until("the version before is delivered", newest)

	db.cut.Lock()
	s.has(s.publish())
	refused := time.Now()
	resp, err := http.PostForm(s.hub+reviewcast.PathHub, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {s.base + reviewcast.PathLatestChange}, "hub.callback": {pushed.callback + "/late"}})
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a request while the database is cut off: %v %v", resp, err)
	}
	t.Logf("refused after %s", time.Since(refused).Round(time.Millisecond))
	time.Sleep(time.Duration(long(t, "CUT", 30)) * time.Second) // how long the fault lasts
	db.cut.Unlock()
	began := time.Now()
	s.until("all have what was published meanwhile", newest)
	t.Logf("delivered %s after the database came back", time.Since(began).Round(time.Millisecond))

	db.control("stop", "-m", "immediate")
	s.has(s.publish())
	db.start()
	began = time.Now()
	s.until("all have what was published during the crash", newest)
	t.Logf("delivered %s after the restart", time.Since(began).Round(time.Millisecond))
	stop()
}

// TestFaultSlowClients: 8,000 clients that send a byte a second, and 2,000 that never read their answer.
func TestFaultSlowClients(t *testing.T) {
	s := newFaultSite(t, 800)
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	slow := long(t, "SLOW", 10_000)
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	var open, refused atomic.Int64
	for n := range slow {
		clients.Go(func() {
			time.Sleep(time.Duration(n) * time.Millisecond / 3)
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", strings.TrimPrefix(s.hub, "http://"))
				if err != nil {
					refused.Add(1)
					return
				}
				open.Add(1)
				s.crawl(ctx, c, n%5 == 0)
				open.Add(-1)
				_ = c.Close()
			}
		})
	}
	s.until("all are connected", func() bool { return open.Load() > int64(slow*95/100) })
	stop := s.checking()
	time.Sleep(15 * time.Second) // how long the fault lasts
	t.Logf("%d connections open", open.Load())
	stop()
	for _, name := range []string{"process_resident_memory_bytes", "go_goroutines", "process_open_fds"} {
		t.Logf("%s %.0f", name, s.metric(name))
	}
	slices.Sort(s.took)
	t.Logf("manifest.json of the others: median %s, 99 %% under %s", s.took[len(s.took)/2], s.took[len(s.took)*99/100])
	if refused.Load() > 0 {
		t.Errorf("%d connections were refused", refused.Load())
	}
	cancel()
	clients.Wait()
	s.until("nothing of them stays", func() bool { fds := s.metric("process_open_fds"); return fds >= 0 && fds < 100 })
}

// crawl is a slow client on a connection: it never reads, or never ends its header.
func (s *faultSite) crawl(ctx context.Context, c net.Conn, reads bool) {
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if reads {
		_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = io.WriteString(c, "GET /reviews.json HTTP/1.1\r\nHost: reviews.example.com\r\n\r\n")
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		return
	}
	_, err := io.WriteString(c, "GET /reviews.json HTTP/1.1\r\nHost: reviews.example.com\r\nX-Slow: ")
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			_, err = io.WriteString(c, "x")
		}
	}
}
