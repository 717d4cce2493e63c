// Soak runs an edge that follows a site for a while, under a mixed load at about half a
// core and with a publication a minute, and reports whether its memory, goroutines and
// descriptors stay flat:
//
//	go build -o reviewcast ./cmd/reviewcast
//	go run ./bench/soak -bin ./reviewcast -for 20m
//
// The load is 90 % conditional requests for files; the rest are whole files, since,
// search, MCP calls and subscribe requests. Each publication is delivered to one
// subscriber over HTTPS. Every body is checked: a file against the hash in its entity
// tag, a search against the version that its header names. It ends with status 1 when
// an answer was wrong, a publication wasn't delivered, or something grew.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/edgetest"
)

var (
	bin     = flag.String("bin", "./reviewcast", "the program")
	last    = flag.Duration("for", 20*time.Minute, "how long the load lasts")
	every   = flag.Duration("every", time.Minute, "the time between two publications")
	reviews = flag.Int("reviews", 2000, "how many reviews the site has")
	share   = flag.Float64("cores", 0.5, "how much of a core the edge shall use")
)

func main() {
	log.SetFlags(log.Ltime)
	flag.Parse()
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		log.Fatal(err)
	}
	s := &soak{dir: dir, failed: map[string]int{}}
	err = s.run(context.Background())
	_ = os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

type soak struct {
	dir, base, admin string
	site             *httptest.Server
	asked            atomic.Int64
	delivered        atomic.Pointer[string] // sha256 of the last body that was pushed
	pushes           atomic.Int64
	mu               sync.Mutex
	failed           map[string]int // what went wrong, how often
	matched          sync.Map       // sequence -> matches of the checked search
}

func (s *soak) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[fmt.Sprintf(format, args...)]++
}

func (s *soak) run(ctx context.Context) error {
	files := http.FileServer(http.Dir(filepath.Join(s.dir, "public")))
	s.site = httptest.NewServer(files)
	defer s.site.Close()
	all := corpus.Reviews(*reviews + 1000)
	if err := s.publish(all[:*reviews]); err != nil {
		return err
	}
	callback := httptest.NewTLSServer(http.HandlerFunc(s.subscriber))
	defer callback.Close()
	cert := filepath.Join(s.dir, "cert.pem")
	body := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: callback.Certificate().Raw})
	if err := os.WriteFile(cert, body, 0o600); err != nil {
		return err
	}
	stop, err := s.start(cert)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.subscribe(callback.URL + "/callback"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *last)
	defer cancel()
	pace := &pace{}
	pace.perSecond.Store(500)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { s.load(ctx, pace) })
	}
	wg.Go(func() { s.keepShare(ctx, pace) })
	samples := s.publications(ctx, all)
	wg.Wait()
	return s.report(samples)
}

// start starts the edge and waits until it has an index.
func (s *soak) start(cert string) (stop func(), err error) {
	edge, err := edgetest.Start(edgetest.Config{Program: *bin, Env: []string{"SSL_CERT_FILE=" + cert}, Log: problems{},
		Args: []string{"--origin", s.site.URL, "--origin-every", "30s", "--public", filepath.Join(s.dir, "copy"),
			"--admin-listen", "127.0.0.1:0", "--state", filepath.Join(s.dir, "hub.db"),
			"--hub-allow-cidr", "127.0.0.0/8", "--hub-subscribe-rate", "0", "--rate-search", "0", "--rate-mcp", "0"}})
	if err != nil {
		return nil, err
	}
	stop = func() { _ = edge.Stop(os.Interrupt) }
	s.base, s.admin = edge.URL, edge.Admin
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if r, err := http.Get(s.base + reviewcast.PathSearch); err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return stop, nil
			}
		}
		if time.Now().After(deadline) {
			stop()
			return nil, fmt.Errorf("the edge has nothing to search")
		}
	}
}

// problems prints the warnings and errors of a log. The logger writes whole lines.
type problems struct{}

func (problems) Write(lines []byte) (int, error) {
	for line := range bytes.Lines(lines) {
		if bytes.Contains(line, []byte("level=ERROR")) || bytes.Contains(line, []byte("level=WARN")) {
			log.Print("edge: ", string(bytes.TrimSpace(line)))
		}
	}
	return len(lines), nil
}

// publish writes the content and builds the site.
func (s *soak) publish(list []reviewcast.Review) error {
	content := filepath.Join(s.dir, "content")
	if _, err := os.Stat(content); err != nil {
		if out, err := exec.Command(*bin, "init", "--empty", content).CombinedOutput(); err != nil {
			return fmt.Errorf("init: %w\n%s", err, out)
		}
	}
	var lines bytes.Buffer
	for _, r := range list {
		r.Mentions = reviewcast.Mentions{}
		text := ""
		if r.Text != nil {
			text = *r.Text
		}
		line, err := json.Marshal(map[string]any{"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "text": text,
			"source": "direct", "verification": map[string]any{"method": "receipt", "verified_on": r.Date}})
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Join(content, "reviews"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(content, "reviews", "all.jsonl"), lines.Bytes(), 0o600); err != nil {
		return err
	}
	args := []string{"build", "--quiet", "--content", content, "--public", filepath.Join(s.dir, "public"), "--base-url", s.site.URL, "--encodings", "none"}
	if s.base != "" {
		args = append(args, "--hub", s.base+reviewcast.PathHub)
	}
	if out, err := exec.Command(*bin, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// subscriber is the callback: it confirms and takes deliveries.
func (s *soak) subscriber(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.fail("delivery: %v", err)
		return
	}
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	s.delivered.Store(&hash)
	s.pushes.Add(1)
}

func (s *soak) subscribe(callback string) error {
	r, err := http.PostForm(s.base+reviewcast.PathHub, url.Values{"hub.mode": {"subscribe"}, "hub.callback": {callback}, "hub.topic": {s.site.URL + reviewcast.PathLatestChange}})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusAccepted {
		body, _ := io.ReadAll(r.Body)
		return fmt.Errorf("subscribe: %s: %s", r.Status, body)
	}
	return nil
}

// publications publishes until ctx ends, and samples the edge before each.
func (s *soak) publications(ctx context.Context, all []reviewcast.Review) (samples []sample) {
	for n := 1; ; n++ {
		if now, err := s.sample(); err == nil {
			samples = append(samples, now)
			log.Printf("%3d  %6d requests/s  %5.2f cores  %6.1f MB  %5.0f goroutines  %5.0f descriptors  %d pushes  %d failures",
				n, int(float64(now.requests)/every.Seconds()), now.cpu, now.memory/1e6, now.goroutines, now.descriptors, s.pushes.Load(), s.failures())
		}
		select {
		case <-ctx.Done():
			return samples
		case <-time.After(*every):
		}
		if err := s.publish(all[:*reviews+n]); err != nil {
			s.fail("%v", err)
			continue
		}
		if !s.arrives(ctx) {
			s.fail("a publication wasn't delivered within 30 seconds")
		}
	}
}

// arrives waits until the newest change document has been pushed.
func (s *soak) arrives(ctx context.Context) bool {
	body, err := os.ReadFile(filepath.Join(s.dir, "public", filepath.FromSlash(reviewcast.PathLatestChange)))
	if err != nil {
		return false
	}
	sum := sha256.Sum256(body)
	want := hex.EncodeToString(sum[:])
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got := s.delivered.Load(); got != nil && *got == want {
			return true
		}
		if ctx.Err() != nil {
			return true
		}
	}
	return false
}

func (s *soak) failures() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, times := range s.failed {
		n += times
	}
	return n
}

// pace is the rate of requests that keeps the edge at its share of a core.
type pace struct{ perSecond atomic.Int64 }

// keepShare adjusts the pace to the edge's use of the processor.
func (s *soak) keepShare(ctx context.Context, p *pace) {
	before, err := s.metric("process_cpu_seconds_total")
	at := time.Now()
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Second):
		}
		var now float64
		if now, err = s.metric("process_cpu_seconds_total"); err == nil {
			used := (now - before) / time.Since(at).Seconds()
			before, at = now, time.Now()
			factor := min(1.3, max(0.7, *share/max(used, 0.01)))
			p.perSecond.Store(max(50, min(20_000, int64(float64(p.perSecond.Load())*factor))))
		}
	}
	s.fail("metrics: %v", err)
}

// load sends requests until ctx ends.
func (s *soak) load(ctx context.Context, p *pace) {
	paths := []string{reviewcast.PathReviews, reviewcast.PathInsights, reviewcast.PathJSONFeed, reviewcast.PathAtom, reviewcast.PathManifest, reviewcast.PathLatestChange}
	tags := map[string]string{}
	client := &http.Client{Timeout: 20 * time.Second}
	for ctx.Err() == nil {
		time.Sleep(time.Duration(8 * float64(time.Second) / float64(p.perSecond.Load())))
		s.asked.Add(1)
		path := paths[rand.N(len(paths))]
		switch n := rand.N(100); {
		case n < 90:
			s.file(client, path, tags)
		case n < 93:
			delete(tags, path)
			s.file(client, path, tags)
		case n < 95:
			s.get(client, reviewcast.PathSince+"2026-01-01")
		case n < 98:
			s.search(client)
		case n < 99:
			s.call(client)
		default:
			s.file(client, reviewcast.PathWithdrawn, tags)
		}
	}
}

// file asks for a file by its tag, and checks its bytes.
func (s *soak) file(c *http.Client, path string, tags map[string]string) {
	r, err := http.NewRequest(http.MethodGet, s.base+path, nil)
	if err != nil {
		s.fail("%v", err)
		return
	}
	r.Header.Set("Accept-Encoding", "identity")
	if tag := tags[path]; tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	resp, err := c.Do(r)
	if err != nil {
		s.fail("GET %s: %v", path, err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	sum := sha256.Sum256(body)
	tag := resp.Header.Get("ETag")
	switch {
	case err != nil:
		s.fail("GET %s: %v", path, err)
	case resp.StatusCode == http.StatusNotModified:
	case resp.StatusCode != http.StatusOK:
		s.fail("GET %s: %s", path, resp.Status)
	case tag != `"`+hex.EncodeToString(sum[:])+`"`:
		s.fail("GET %s: the body has another hash than its tag", path)
	default:
		tags[path] = tag
	}
}

// search checks that answers of one version are the same.
func (s *soak) search(c *http.Client) {
	header, body := s.get(c, reviewcast.PathSearch+"?query=time&limit=1")
	if header == nil {
		return
	}
	var answer struct{ Matched int }
	if err := json.Unmarshal(body, &answer); err != nil {
		s.fail("search: %v", err)
		return
	}
	version := header.Get("Reviewcast-Sequence")
	if before, loaded := s.matched.LoadOrStore(version, answer.Matched); version == "" || loaded && before != answer.Matched {
		s.fail("search: version %q matched %d and %v", version, answer.Matched, before)
	}
}

// call calls a tool without a session.
func (s *soak) call(c *http.Client) {
	r, err := http.NewRequest(http.MethodPost, s.base+reviewcast.PathMCP,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_reviews","arguments":{"query":"late","limit":2},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"soak","version":"1"}}}}`))
	if err != nil {
		s.fail("%v", err)
		return
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Method": "tools/call", "Mcp-Name": "search_reviews", "Mcp-Protocol-Version": "2026-07-28"} {
		r.Header.Set(name, value)
	}
	resp, err := c.Do(r)
	if err != nil {
		s.fail("mcp: %v", err)
		return
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		s.fail("mcp: %s %v %.200s", resp.Status, err, body)
	}
}

func (s *soak) get(c *http.Client, path string) (http.Header, []byte) {
	resp, err := c.Get(s.base + path)
	if err != nil {
		s.fail("GET %s: %v", path, err)
		return nil, nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.fail("GET %s: %s %v", path, resp.Status, err)
		return nil, nil
	}
	return resp.Header, body
}

// sample is the state of the edge at a time.
type sample struct {
	requests                             int64
	cpu, memory, goroutines, descriptors float64
	total                                float64
}

var previous sample

func (s *soak) sample() (now sample, err error) {
	for name, to := range map[string]*float64{"process_cpu_seconds_total": &now.total, "process_resident_memory_bytes": &now.memory,
		"go_goroutines": &now.goroutines, "process_open_fds": &now.descriptors} {
		if *to, err = s.metric(name); err != nil {
			return now, err
		}
	}
	asked := s.asked.Load()
	now.requests, now.cpu = asked-previous.requests, (now.total-previous.total)/every.Seconds()
	previous = sample{requests: asked, total: now.total}
	return now, nil
}

func (s *soak) metric(name string) (float64, error) {
	resp, err := http.Get(s.admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}

// report compares the second quarter of the samples with the last one.
func (s *soak) report(samples []sample) error {
	for what, times := range s.failed {
		log.Printf("%d times: %s", times, what)
	}
	quarter := len(samples) / 4
	if quarter < 1 {
		return fmt.Errorf("only %d samples", len(samples))
	}
	mean := func(of []sample, value func(sample) float64) (sum float64) {
		for _, s := range of {
			sum += value(s)
		}
		return sum / float64(len(of))
	}
	grew := false
	for name, value := range map[string]func(sample) float64{
		"memory":      func(s sample) float64 { return s.memory },
		"goroutines":  func(s sample) float64 { return s.goroutines },
		"descriptors": func(s sample) float64 { return s.descriptors },
	} {
		early, late := mean(samples[quarter:2*quarter], value), mean(samples[len(samples)-quarter:], value)
		log.Printf("%s: second quarter %.0f, last quarter %.0f (%+.1f %%)", name, early, late, 100*(late-early)/early)
		grew = grew || late > 1.1*early+5
	}
	log.Printf("%d requests, %d pushes, %d failures", s.asked.Load(), s.pushes.Load(), s.failures())
	if grew || s.failures() > 0 {
		return fmt.Errorf("not flat, or not right")
	}
	return nil
}
