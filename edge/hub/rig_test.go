package hub

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const baseURL = "https://reviews.example.com"

const (
	atom    = baseURL + reviewcast.PathAtom
	feed    = baseURL + reviewcast.PathJSONFeed
	reviews = baseURL + reviewcast.PathReviews
)

// rig is a running hub with something published.
type rig struct {
	testing.TB
	*Hub
	state     *store.Store
	files     snapshot.Current[snapshot.Files]
	reloads   atomic.Int32
	manifests chan string   // that Reload was called with
	stop      func()        // and wait
	pause     time.Duration // between two looks of until
}

// realPause is the pause of tests that have no bubble.
const realPause = 5 * time.Millisecond

// newRig starts a hub on a state.
func newRig(t testing.TB, state string, change ...func(*Config)) *rig {
	t.Helper()
	r := newIdleRig(t, state, change...)
	r.start()
	return r
}

// newIdleRig makes a hub that start starts.
func newIdleRig(t testing.TB, state string, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{TB: t, state: storetest.Open(t, state), manifests: make(chan string, 100)}
	r.publish(1, "first")
	c := testConfig(r.state, &r.files)
	c.Reload = func(manifests []string) {
		r.reloads.Add(1)
		for _, m := range manifests {
			r.manifests <- m
		}
	}
	c.RootCAs, c.Logger = roots(t), slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, f := range change {
		f(&c)
	}
	r.pause = realPause
	if c.Dial != nil { // a bubble's time costs nothing
		r.pause = 500 * time.Millisecond
	}
	var err error
	if r.Hub, err = New(c); err != nil {
		t.Fatal(err)
	}
	return r
}

// start runs the hub until stop is called or the test ends.
func (r *rig) start() {
	r.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
	})
	r.Cleanup(r.stop)
	r.until("the topics are known", func() bool {
		topics, err := r.state.Topics(context.Background())
		return err == nil && len(topics) == len(reviewcast.Topics)
	})
}

// testConfig has the command's defaults. Requests come from nowhere, and callbacks on this machine are allowed.
func testConfig(s *store.Store, files *snapshot.Current[snapshot.Files]) Config {
	return Config{
		BaseURL: baseURL, Store: s, Files: files, Client: func(*http.Request) netip.Addr { return netip.Addr{} },
		Retry: [2]time.Duration{30 * time.Second, time.Hour}, MinLease: 5 * time.Minute, MaxLease: 720 * time.Hour, PerHost: testPerHost,
		AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Metrics: prometheus.NewRegistry(),
	}
}

const testPerHost = 64

// migratedState returns the name of a file with the tables, which takes less time to open.
func migratedState(t testing.TB) string {
	t.Helper()
	tables, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	name := storetest.Memory(t)
	if err := os.WriteFile(name, tables, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "hub.sqlite")
	s, err := store.Open(context.Background(), name, store.Options{Exclusive: true})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
})

// testLog shows the log of a test that fails.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

// roots trusts the certificate of httptest's servers.
var roots = func() func(testing.TB) *x509.CertPool {
	pool := sync.OnceValue(func() *x509.CertPool {
		s := httptest.NewTLSServer(nil)
		defer s.Close()
		p := x509.NewCertPool()
		p.AddCert(s.Certificate())
		return p
	})
	return func(testing.TB) *x509.CertPool { return pool() }
}()

// filesOf returns a version in which some topics, all if none is named, have a body.
func filesOf(t testing.TB, sequence int64, body string, modified time.Time, topics ...string) *snapshot.Files {
	t.Helper()
	if topics == nil {
		topics = reviewcast.Topics
	}
	m := reviewcast.Manifest{Version: 1, BaseURL: baseURL, Sequence: sequence}
	bodies := map[string][]byte{}
	for _, path := range slices.Sorted(slices.Values(reviewcast.Topics)) { // a manifest has reviews.json
		media := reviewcast.MediaJSON
		if path == reviewcast.PathAtom {
			media = reviewcast.MediaAtom
		}
		m.Files = append(m.Files, reviewcast.File{Path: path, MediaType: media, SHA256: reviewcast.SHA256([]byte(body)), LastModified: modified})
		bodies[path] = []byte(body)
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	files, err := snapshot.FilesOf(manifest, bodies, snapshot.Config{Holds: func(path string) bool { return slices.Contains(topics, path) }})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// publish makes a body the content of every topic.
func (r *rig) publish(sequence int64, body string) {
	r.files.Swap(filesOf(r, sequence, body, time.Time{}))
}

// post sends a form to the hub.
func (r *rig) post(form url.Values) *httptest.ResponseRecorder {
	r.Helper()
	request := httptest.NewRequest(http.MethodPost, reviewcast.PathHub, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	return w
}

// ask sends a subscribe or unsubscribe request, which must be accepted.
func (r *rig) ask(mode, topic, callback string, more ...string) {
	r.Helper()
	form := url.Values{"hub.mode": {mode}, "hub.topic": {topic}, "hub.callback": {callback}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	w := r.post(form)
	if r.pause == realPause { // a database on a busy machine may not answer in time: the hub wants to be asked again
		r.until("the state answers", func() bool {
			if w.Code == http.StatusServiceUnavailable {
				w = r.post(form)
			}
			return w.Code != http.StatusServiceUnavailable
		})
	}
	if w.Code != http.StatusAccepted {
		r.Fatalf("%s: %d %s", mode, w.Code, w.Body)
	}
}

// subscribe requests a subscription and waits until it is verified.
func (r *rig) subscribe(s *subscriber, topic, callback string, more ...string) {
	r.Helper()
	r.ask("subscribe", topic, callback, more...)
	s.verification()
	r.settled()
}

// settled waits until no verification is pending.
func (r *rig) settled() {
	r.Helper()
	r.until("no verification is pending", func() bool {
		pending, err := r.state.Pending(r.Context(), 1)
		if err != nil {
			r.Fatal(err)
		}
		return len(pending) == 0
	})
}

// until waits for something in the store. Its time is the bubble's in tests that
// have one.
func (r *rig) until(what string, ok func() bool) {
	r.Helper()
	const limit = 5 * time.Minute
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(r.pause) {
		if time.Now().After(deadline) {
			r.Fatalf("not within %s: %s", limit, what)
		}
	}
}

func (r *rig) list() []store.Subscription {
	r.Helper()
	list, err := r.state.List(r.Context(), store.Filter{})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// call is a request that a subscriber received.
type call struct {
	method, uri string
	query       url.Values
	header      http.Header
	body        string
	at          time.Time
}

// subscriber is a server for callbacks. By default it echoes challenges and acknowledges
// notifications; answers changes that.
type subscriber struct {
	testing.TB
	*httptest.Server
	calls  chan call
	answer atomic.Pointer[func(w http.ResponseWriter, r *http.Request, c call)]
}

func newSubscriber(t testing.TB, l net.Listener) *subscriber {
	s := &subscriber{TB: t, calls: make(chan call, 1000)}
	s.Server = httptest.NewUnstartedServer(s)
	if l != nil {
		s.Listener.Close()
		s.Listener = l
	}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	c := call{method: r.Method, uri: r.RequestURI, query: r.URL.Query(), header: r.Header, body: string(body), at: time.Now()}
	if answer := s.answer.Load(); answer != nil {
		s.calls <- c
		(*answer)(w, r, c)
		return
	}
	good(w, r, c)
	s.calls <- c
}

func good(w http.ResponseWriter, _ *http.Request, c call) {
	if c.method == http.MethodGet {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, c.query.Get("hub.challenge"))
	}
}

// answers makes the subscriber answer with f, or as by default if f is nil.
func (s *subscriber) answers(f func(w http.ResponseWriter, r *http.Request, c call)) {
	if f == nil {
		f = good
	}
	s.answer.Store(&f)
}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request, call) {
	return func(w http.ResponseWriter, _ *http.Request, _ call) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// hang never answers, even when the hub has given up.
func hang(_ http.ResponseWriter, r *http.Request, _ call) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// next waits for the next call.
func (s *subscriber) next() call {
	s.Helper()
	select {
	case c := <-s.calls:
		return c
	case <-time.After(48 * time.Hour): // real tests end long before; bubbles have the time
		s.Fatal("not called")
		panic("unreachable")
	}
}

func (s *subscriber) verification() call {
	s.Helper()
	c := s.next()
	if c.method != http.MethodGet {
		s.Fatalf("called with %s, want a GET", c.method)
	}
	return c
}

func (s *subscriber) notification() call {
	s.Helper()
	c := s.next()
	if c.method != http.MethodPost {
		s.Fatalf("called with %s %s, want a POST", c.method, c.uri)
	}
	return c
}

// quiet fails if there was a call that the test hasn't read.
func (s *subscriber) quiet() {
	s.Helper()
	select {
	case c := <-s.calls:
		s.Errorf("called with %s %s %q, want no call", c.method, c.uri, c.body)
	default:
	}
}

// pipes is a network within a synctest bubble. It has no sockets, so that time stands
// still while somebody reads.
type pipes struct {
	mu    sync.Mutex
	hosts map[string]*pipeListener
}

// share has a listener answer for another address, too. The hub may be dialling meanwhile.
func (p *pipes) share(address string, l *pipeListener) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hosts[address] = l
}

func (p *pipes) dial(ctx context.Context, _, address string) (net.Conn, error) {
	p.mu.Lock()
	l := p.hosts[address]
	p.mu.Unlock()
	if l == nil {
		return nil, &net.OpError{Op: "dial", Err: net.UnknownNetworkError("nobody listens on " + address)}
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) listen(address string) net.Listener {
	l := &pipeListener{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil {
		p.hosts = map[string]*pipeListener{}
	}
	p.hosts[address] = l
	return l
}

type pipeListener struct {
	address string
	conns   chan net.Conn
	closed  chan struct{}
	close   func()
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.close(); return nil }
func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.address) }

type pipeAddr string

func (a pipeAddr) Network() string { return "pipe" }
func (a pipeAddr) String() string  { return string(a) }
