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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
)

const pushBaseURL = "https://reviews.example.com"

// follower keeps reviews.json current from pushes of /changes/latest.json. It loses some of
// them.
type follower struct {
	sequence int64
	sha256   string
	body     []byte // nil where only the hash is kept
}

// subscribers are followers on one server, and a hub that pushes a history to them.
type subscribers struct {
	testing.TB
	*httptest.Server
	h        *history
	hub      *hub.Hub
	store    *store.Store
	edition  atomic.Pointer[hub.Edition]
	topic    string // path
	loss     float64
	received atomic.Int64 // bytes, TLS and headers included

	mu    sync.Mutex
	rng   *rand.Rand
	state []follower
	lost  int
}

func newSubscribers(t testing.TB, h *history, topic string, n int, loss float64) *subscribers {
	s := &subscribers{TB: t, h: h, topic: topic, loss: loss, rng: rand.New(rand.NewPCG(3, 4)), state: make([]follower, n)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Listener = countingListener{s.Listener, &s.received}
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	var err error
	if s.store, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "hub.sqlite"), store.Options{Exclusive: true}); err != nil {
		t.Fatal(err)
	}
	s.publish()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	s.hub, err = hub.New(hub.Config{
		BaseURL: pushBaseURL, Store: s.store, Published: s.edition.Load, RootCAs: pool, Retry: [2]time.Duration{time.Millisecond, time.Millisecond},
		PollInterval: 50 * time.Millisecond, AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
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
	content := s.edition.Load().Topics[s.topic]
	served := store.Publication{Topic: pushBaseURL + s.topic, SHA256: content.SHA256, Sequence: s.edition.Load().Sequence}
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
	e := &hub.Edition{Sequence: manifest.Sequence, Topics: map[string]hub.Content{}}
	for _, path := range []string{reviewcast.PathLatestChange, reviewcast.PathReviews} {
		body := s.h.file(s, path)
		e.Topics[path] = hub.Content{Body: body, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body)}
	}
	s.edition.Store(e)
	if s.hub != nil {
		s.hub.Changed()
	}
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
			s.follow(&s.state[i], s.h.file(s, reviewcast.PathLatestChange))
		}
		return
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rng.Float64() < s.loss {
		s.lost++
		panic(http.ErrAbortHandler) // no answer
	}
	if s.topic == reviewcast.PathLatestChange {
		s.follow(&s.state[i], body)
	} else {
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
	for i := range s.state {
		s.state[i] = follower{sequence: s.edition.Load().Sequence, sha256: reviewcast.SHA256(body)}
		if i < whole {
			s.state[i].body = body
		}
	}
}

// current waits until everybody has the newest reviews.json.
func (s *subscribers) current() {
	want := s.edition.Load().Topics[reviewcast.PathReviews].SHA256
	s.until("everybody has the newest content", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !slices.ContainsFunc(s.state, func(f follower) bool { return f.sha256 != want || f.body != nil && reviewcast.SHA256(f.body) != want })
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
	for range 5 {
		h.day()
		h.build(t)
		s.publish()
	}
	s.current()
	if s.lost == 0 {
		t.Error("nothing was lost")
	}
}

// BenchmarkPush pushes one day to 10,000 subscribers of the changes of 10,000 reviews, of
// whom 30 % lose each delivery, and to 20 of the dataset. The bytes are what the
// subscribers' server receives for one subscriber without loss, TLS included.
func BenchmarkPush(b *testing.B) { b.Run("10000", benchmarkPush) }

func benchmarkPush(b *testing.B) {
	for b.Loop() {
		h := newHistory(b, 10_000)
		h.build(b)
		each := func(topic string, n, whole int, loss float64) float64 {
			s := newSubscribers(b, h, topic, n, loss)
			s.hold(whole)
			s.fill()
			s.run()
			h.day()
			h.build(b)
			before := s.received.Load()
			s.publish()
			s.current()
			return float64(s.received.Load()-before) / float64(n)
		}
		dataset := each(reviewcast.PathReviews, 20, 0, 0)
		changes := each(reviewcast.PathLatestChange, 10_000, 0, 0)
		lossy := each(reviewcast.PathLatestChange, 10_000, 20, 0.3)
		b.ReportMetric(dataset, "dataset-bytes")
		b.ReportMetric(changes, "changes-bytes")
		b.ReportMetric(dataset/changes, "push-ratio")
		b.ReportMetric(dataset/lossy, "push-ratio-lossy")
	}
}
