//go:build !race

package changes

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
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
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const pushBaseURL = "https://reviews.example.com"

// follower keeps reviews.json current from pushes of /changes/latest.json. It loses some of
// them.
type follower struct {
	sequence int64
	sha256   string
	body     []byte // nil where only the hash is kept
	heard    string // hash of the document that it answered last
}

// subscribers are followers on one server, and a hub that pushes a history to them. A
// share of all deliveries is lost: half of them before the answer, so that the hub tries
// again, and half after it, so that only the next version shows what is missing. Those of
// the last version are all lost before the answer.
type subscribers struct {
	testing.TB
	*httptest.Server
	h        *history
	hub      *hub.Hub
	store    *store.Store
	files    snapshot.Current[snapshot.Files]
	topic    string // path
	loss     float64
	received atomic.Int64 // bytes, TLS and headers included

	mu    sync.Mutex
	rng   *rand.Rand
	state []follower
	lost  int  // deliveries that were not answered
	late  int  // that were answered and then lost
	last  bool // whether what is published is the last version
}

func newSubscribers(t testing.TB, h *history, topic string, n int, loss float64) *subscribers {
	s := &subscribers{TB: t, h: h, topic: topic, loss: loss, rng: rand.New(rand.NewPCG(3, 4)), state: make([]follower, n)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Listener = countingListener{s.Listener, &s.received}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	var err error
	if s.store, err = store.Open(t.Context(), filepath.Join(memory(t), "hub.sqlite"), store.Options{Exclusive: true}); err != nil {
		t.Fatal(err)
	}
	s.publish()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	s.hub, err = hub.New(hub.Config{
		BaseURL: pushBaseURL, Store: s.store, Files: &s.files, Client: func(*http.Request) netip.Addr { return netip.Addr{} }, RootCAs: pool,
		Retry: [2]time.Duration{time.Millisecond, time.Millisecond}, MinLease: 5 * time.Minute, MaxLease: 720 * time.Hour, PerHost: 64,
		PollInterval: 50 * time.Millisecond, AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// memory returns a directory in memory where the system has one. Bytes are measured
// here; 10,000 subscriptions on a disk take minutes.
func memory(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "push")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// run runs the hub.
func (s *subscribers) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.hub.Run(ctx) }()
	s.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			s.Error(err)
		}
	})
}

// fill subscribes everybody as verified requests do, before the hub runs.
func (s *subscribers) fill() {
	ctx, now := s.Context(), time.Now()
	served := store.Publication{Topic: pushBaseURL + s.topic, SHA256: s.published(s.topic), Sequence: s.files.Load().Sequence()}
	for i := range s.state {
		u, err := url.Parse(fmt.Sprintf("%s/%d", s.URL, i))
		if err != nil {
			s.Fatal(err)
		}
		r := store.Request{Topic: served.Topic, Callback: u.String(), Mode: store.ModeSubscribe, Lease: time.Hour}
		r.Endpoint, r.Host = store.Endpoint(u)
		if err := s.store.Request(ctx, now, r, served, store.Caps{}); err != nil {
			s.Fatal(err)
		}
		claimed, err := s.store.ClaimVerifications(ctx, now, "fill", nil, 1)
		if err != nil || len(claimed) != 1 {
			s.Fatal(len(claimed), err)
		}
		if _, err := s.store.Settle(ctx, now, claimed[0], true, ""); err != nil {
			s.Fatal(err)
		}
	}
}

// publish gives the hub what the history has published last.
func (s *subscribers) publish() {
	var manifest reviewcast.Manifest
	if err := json.Unmarshal(s.h.file(s, reviewcast.PathManifest), &manifest); err != nil {
		s.Fatal(err)
	}
	manifest.ChangeSHA256 = "" // numbered documents are no topics
	alone, err := json.Marshal(manifest)
	if err != nil {
		s.Fatal(err)
	}
	bodies := map[string][]byte{}
	for _, path := range []string{reviewcast.PathLatestChange, reviewcast.PathReviews} {
		bodies[path] = s.h.file(s, path)
	}
	files, err := snapshot.FilesOf(alone, bodies, snapshot.Config{Holds: func(path string) bool { return bodies[path] != nil }})
	if err != nil {
		s.Fatal(err)
	}
	s.files.Swap(files)
}

// published returns the hash of what is published at a path.
func (s *subscribers) published(path string) string {
	f, _ := s.files.Load().File(path)
	return f.SHA256
}

// subscribe asks the hub for a subscription, as often as it is busy.
func (s *subscribers) subscribe(i int) {
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {pushBaseURL + s.topic}, "hub.callback": {fmt.Sprintf("%s/%d", s.URL, i)}}
	for {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, reviewcast.PathHub, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if s.hub.ServeHTTP(w, r); w.Code == http.StatusAccepted {
			return
		}
		time.Sleep(10 * time.Millisecond) // until fewer are pending
	}
}

// ServeHTTP is a subscriber's callback.
func (s *subscribers) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var i int
	if _, err := fmt.Sscanf(q.URL.Path, "/%d", &i); err != nil {
		s.Error(err)
		return
	}
	if q.Method == http.MethodGet {
		if q.URL.Query().Get("hub.mode") == "denied" {
			go s.subscribe(i)
			return
		}
		_, _ = io.WriteString(w, q.URL.Query().Get("hub.challenge"))
		// A new subscription isn't sent what is published already.
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.topic == reviewcast.PathLatestChange {
			document := s.h.file(s, reviewcast.PathLatestChange)
			s.follow(&s.state[i], document)
			s.state[i].heard = reviewcast.SHA256(document)
		}
		return
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := s.rng.Float64() < s.loss
	if lost && (s.last || s.rng.IntN(2) == 0) {
		s.lost++
		panic(http.ErrAbortHandler) // no answer
	}
	s.state[i].heard = reviewcast.SHA256(body)
	switch {
	case lost:
		s.late++
	case s.topic == reviewcast.PathLatestChange:
		s.follow(&s.state[i], body)
	default:
		s.state[i].sha256 = reviewcast.SHA256(body)
	}
}

// follow applies a change document, after those that it shows to be missing.
func (s *subscribers) follow(f *follower, document []byte) {
	var c reviewcast.Change
	if err := json.Unmarshal(document, &c); err != nil {
		s.Error(err)
		return
	}
	if c.Sequence <= f.sequence {
		return
	}
	if c.Previous != nil && *c.Previous > f.sequence {
		s.follow(f, s.h.file(s, reviewcast.ChangePath(*c.Previous)))
	}
	for _, file := range c.Files {
		switch {
		case file.Path != reviewcast.PathReviews:
		case f.body != nil && len(file.Ops) > 0:
			next, err := file.Apply(f.body, file.Ops)
			if err != nil {
				s.Error(err)
				return
			}
			f.body, f.sha256 = next, reviewcast.SHA256(next)
		default: // the hash of what it is made of is all that most followers keep
			if f.sha256 != file.From {
				s.Errorf("a change from %s is applied to %s", file.From, f.sha256)
			}
			f.sha256 = file.To
		}
	}
	f.sequence = c.Sequence
}

// hold gives everybody the content of now; some of them keep the whole file.
func (s *subscribers) hold(whole int) {
	body := s.h.file(s, reviewcast.PathReviews)
	sha256 := reviewcast.SHA256(body)
	for i := range s.state {
		s.state[i] = follower{sequence: s.files.Load().Sequence(), sha256: sha256}
		if i < whole {
			s.state[i].body = body
		}
	}
}

// current waits until everybody has the newest reviews.json.
func (s *subscribers) current() {
	want := s.published(reviewcast.PathReviews)
	s.until("everybody has the newest content", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !slices.ContainsFunc(s.state, func(f follower) bool { return f.sha256 != want })
	})
}

// answered waits until everybody has answered the newest document.
func (s *subscribers) answered() {
	want := s.published(s.topic)
	s.until("everybody has answered", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !slices.ContainsFunc(s.state, func(f follower) bool { return f.heard != want })
	})
}

func (s *subscribers) until(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s", what)
		}
	}
}

type countingListener struct {
	net.Listener
	received *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return countingConn{conn, l.received}, err
}

// Subscribers that lose 30 % of their deliveries, and some of them their subscription, have
// exactly the newest reviews.json in the end.
func TestLossySubscribers(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("long: .ci/run runs it, with LONG=1")
	}
	h := newHistory(t, 200)
	h.build(t)
	s := newSubscribers(t, h, reviewcast.PathLatestChange, 30, 0.3)
	s.hold(30)
	s.run()
	for i := range s.state {
		s.subscribe(i)
	}
	s.until("everybody is subscribed", func() bool {
		c, err := s.store.Counts(s.Context(), time.Now())
		return err == nil && c.Total == len(s.state)
	})
	s.days(5)
	if s.lost == 0 || s.late == 0 {
		t.Errorf("%d deliveries were not answered, %d answered and lost", s.lost, s.late)
	}
}

// days publishes versions, and waits until everybody has the last one.
func (s *subscribers) days(n int) {
	for i := range n {
		s.h.day()
		s.h.build(s)
		s.mu.Lock()
		s.last = i == n-1
		s.mu.Unlock()
		s.publish()
		if i%2 == 0 {
			s.answered() // every other version comes while the one before is delivered
		}
	}
	s.current()
}

// BenchmarkPush pushes one day to 20 subscribers of a dataset of 6 MB and to 10,000 of its
// changes. The bytes are what the subscribers' server receives for one of them, TLS
// included. Then 30 % of the deliveries of four days are lost, and in the end everybody has
// the exact hash; 20 keep the whole file.
func BenchmarkPush(b *testing.B) { b.Run("10000", benchmarkPush) }

const (
	sixMegabytes = 7_900 // reviews
	subscribed   = 10_000
	lossyDays    = 4
)

func benchmarkPush(b *testing.B) {
	for b.Loop() {
		h := newHistory(b, sixMegabytes)
		h.build(b)
		b.ReportMetric(float64(len(h.file(b, reviewcast.PathReviews))), "dataset-size")
		dataset := newSubscribers(b, h, reviewcast.PathReviews, 20, 0)
		dataset.hold(0)
		dataset.fill()
		dataset.run()
		whole := dataset.received.Load()
		dataset.days(1)
		whole = (dataset.received.Load() - whole) / int64(len(dataset.state))

		s := newSubscribers(b, h, reviewcast.PathLatestChange, subscribed, 0)
		s.hold(20)
		s.fill()
		s.run()
		before := s.received.Load()
		s.days(1)
		changes := float64(s.received.Load()-before) / subscribed
		s.mu.Lock()
		s.loss = 0.3
		s.mu.Unlock()
		s.days(lossyDays)
		b.ReportMetric(float64(whole), "dataset-bytes")
		b.ReportMetric(changes, "changes-bytes")
		b.ReportMetric(float64(whole)/changes, "push-ratio")
		b.ReportMetric(float64(s.lost), "unanswered")
		b.ReportMetric(float64(s.late), "answered-and-lost")
		b.ReportMetric(0, "ns/op")
	}
}
