package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// ask posts a body to a handler, with a session or without.
func ask(h http.Handler, session, body string) *httptest.ResponseRecorder {
	return askFrom(h, "", session, body)
}

// askFrom posts from a client address.
func askFrom(h http.Handler, address, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
	r.Header.Set("Content-Type", reviewcast.MediaJSON)
	if session != "" {
		r.Header.Set(headerSession, session)
	}
	if address != "" {
		r.RemoteAddr = address + ":1"
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func subscribeTo(uri string) string {
	return `{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`
}

// quietly runs f in a bubble with a server whose Run ends with it.
func quietly(t *testing.T, c Config, f func(t *testing.T, s *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.Snapshots, c.BaseURL, c.Client = &snapshot.Holder{}, snapshottest.BaseURL, peer
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		f(t, s)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestSessionsOutliveSilence: 30 idle minutes free what a session keeps in memory; its
// id is valid for seven days.
func TestSessionsOutliveSilence(t *testing.T) {
	quietly(t, Config{Idle: 30 * time.Minute}, func(t *testing.T, s *Server) {
		id := ask(s, "", initialize).Header().Get(headerSession)
		if n := s.sessions.totals(); n.sessions != 0 {
			t.Errorf("%d sessions in memory after initialize", n)
		}
		ask(s, id, subscribeTo("reviewcast://business"))
		time.Sleep(29 * time.Minute)
		ask(s, id, ping)
		time.Sleep(29 * time.Minute)
		if n := s.sessions.totals(); n.sessions != 1 || n.subscriptions != 1 {
			t.Errorf("a session that is used: %d sessions, %d subscriptions", n.sessions, n.subscriptions)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := s.sessions.totals(); n.sessions != 0 || n.subscriptions != 0 {
			t.Errorf("an idle one: %d sessions, %d subscriptions", n.sessions, n.subscriptions)
		}
		for _, step := range []struct {
			sleep time.Duration
			want  int
		}{{0, http.StatusOK}, {6 * 24 * time.Hour, http.StatusOK}, {24 * time.Hour, http.StatusNotFound}} {
			time.Sleep(step.sleep)
			if w := ask(s, id, ping); w.Code != step.want {
				t.Errorf("after another %s: %d, want %d: %s", step.sleep, w.Code, step.want, w.Body)
			}
		}
	})
}

// always returns a state that is open.
func always(s State) func() (State, error) { return func() (State, error) { return s, nil } }

// memoryState is a State in memory.
type memoryState struct {
	mu    sync.Mutex
	key   []byte
	ended map[string]time.Time
}

func (m *memoryState) SessionKey(context.Context) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key == nil {
		m.key = []byte(rand.Text())
	}
	return m.key, nil
}

func (m *memoryState) EndSession(_ context.Context, id string, _, expires time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended == nil {
		m.ended = map[string]time.Time{}
	}
	m.ended[id] = expires
	return nil
}

func (m *memoryState) EndedSessions(context.Context, time.Time) (map[string]time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.ended), nil
}

// TestSessionsAreShared: a session is valid at every edge that shares the state, and
// after a restart, until one of them ends it. Without a state it ends with the process.
func TestSessionsAreShared(t *testing.T) {
	state := &memoryState{}
	quietly(t, Config{State: always(state)}, func(t *testing.T, one *Server) {
		other, err := New(one.config)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go other.Run(ctx)
		id := ask(one, "", initialize).Header().Get(headerSession)
		if w := ask(other, id, ping); w.Code != http.StatusOK {
			t.Errorf("at another edge: %d %s", w.Code, w.Body)
		}
		r := httptest.NewRequest(http.MethodDelete, reviewcast.PathMCP, nil)
		r.Header.Set(headerSession, id)
		w := httptest.NewRecorder()
		one.ServeHTTP(w, r)
		time.Sleep(pollInterval + time.Second)
		synctest.Wait()
		for name, s := range map[string]*Server{"one": one, "other": other} {
			if got := ask(s, id, ping); w.Code != http.StatusNoContent || got.Code != http.StatusNotFound {
				t.Errorf("ended with %d, then %d at %s", w.Code, got.Code, name)
			}
		}
		alone, err := New(Config{Snapshots: one.config.Snapshots, BaseURL: snapshottest.BaseURL, Client: peer})
		if err != nil {
			t.Fatal(err)
		}
		if w := ask(alone, ask(one, "", initialize).Header().Get(headerSession), ping); w.Code != http.StatusNotFound {
			t.Errorf("at an edge with another key: %d", w.Code)
		}
	})
}

// lateState can't be read at first.
type lateState struct {
	memoryState
	open atomic.Bool
}

func (l *lateState) SessionKey(ctx context.Context) ([]byte, error) {
	if !l.open.Load() {
		return nil, errors.New("the database is starting")
	}
	return l.memoryState.SessionKey(ctx)
}

// TestSessionsBeforeTheState: an id that was sealed before the state could be read stays
// valid at its edge; later ones are valid at every edge.
func TestSessionsBeforeTheState(t *testing.T) {
	state := &lateState{}
	quietly(t, Config{State: always(state)}, func(t *testing.T, s *Server) {
		early := ask(s, "", initialize).Header().Get(headerSession)
		state.open.Store(true)
		time.Sleep(pollInterval + time.Second)
		synctest.Wait()
		late := ask(s, "", initialize).Header().Get(headerSession)
		other, err := New(s.config)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []struct {
			name string
			at   *Server
			id   string
			want int
		}{{"early, here", s, early, 200}, {"early, elsewhere", other, early, 404}, {"late, here", s, late, 200}, {"late, elsewhere", other, late, 200}} {
			if w := ask(call.at, call.id, ping); w.Code != call.want {
				t.Errorf("%s: %d, want %d", call.name, w.Code, call.want)
			}
		}
	})
}

// TestForgedSessions: an id that is changed anywhere is refused.
func TestForgedSessions(t *testing.T) {
	ids, now := &sessionIDs{keys: [][]byte{[]byte(rand.Text())}}, time.Now()
	good := ids.seal(now)
	if !ids.valid(good, now) {
		t.Fatal("a good id is refused")
	}
	for i := range good {
		forged := []byte(good)
		forged[i] ^= 1
		if ids.valid(string(forged), now) {
			t.Errorf("accepted with another character %d", i)
		}
	}
	for _, id := range []string{"", "nobody", good + "A", good[1:]} {
		if ids.valid(id, now) {
			t.Errorf("%q is accepted", id)
		}
	}
}

func TestEndedSessionsAreBounded(t *testing.T) {
	ids := &sessionIDs{keys: [][]byte{[]byte(rand.Text())}}
	now := time.Now()
	first, last := ids.seal(now.Add(-time.Hour)), ids.seal(now.Add(time.Hour))
	ids.end(first)
	ids.end(last)
	raw, err := encoding.DecodeString(ids.seal(now))
	if err != nil {
		t.Fatal(err)
	}
	n := uint32(0)
	another := func() { // numbers instead of random bits, of which many sets have the same 32 twice
		n++
		binary.BigEndian.PutUint32(raw, n)
		ids.end(encoding.EncodeToString(raw))
	}
	for range maxEnded - 2 {
		another()
	}
	if ids.end(last); len(ids.ended) != maxEnded || ids.valid(first, now) || ids.valid(last, now) {
		t.Errorf("%d are remembered, the first one is valid: %t, the last one: %t", len(ids.ended), ids.valid(first, now), ids.valid(last, now))
	}
	another()
	if len(ids.ended) != maxEnded || !ids.valid(first, now) || ids.valid(last, now) {
		t.Errorf("after one more %d are remembered, the first one is valid: %t, the last one: %t", len(ids.ended), ids.valid(first, now), ids.valid(last, now))
	}
	if ids.forget(now.Add(SessionLifetime)); len(ids.ended) != 1 || ids.valid(last, now) {
		t.Errorf("%d are remembered when all but one have expired", len(ids.ended))
	}
}

// TestSilentSessionsCostNothing opens 200 sessions, a hundred times as many as may be in
// memory, and uses the first one.
func TestSilentSessionsCostNothing(t *testing.T) {
	quietly(t, Config{MaxSessions: 2}, func(t *testing.T, s *Server) {
		before := runtime.NumGoroutine()
		first := ask(s, "", initialize).Header().Get(headerSession)
		for range 200 {
			if w := ask(s, "", initialize); w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		synctest.Wait()
		// Other tests may have left a goroutine that ends.
		if n := s.sessions.totals(); n.sessions != 0 || runtime.NumGoroutine() > before+20 {
			t.Errorf("%d sessions and %d goroutines more", n.sessions, runtime.NumGoroutine()-before)
		}
		if w := ask(s, first, ping); w.Code != http.StatusOK {
			t.Errorf("the first session: %d", w.Code)
		}
	})
}

// TestAddressesShare: one address can't take all places or all subscriptions, and a
// session has a share of its own.
func TestAddressesShare(t *testing.T) {
	quietly(t, Config{MaxSessions: 50}, func(t *testing.T, s *Server) {
		subscribe := func(address, uri string) int {
			id := ask(s, "", initialize).Header().Get(headerSession)
			return askFrom(s, address, id, subscribeTo(uri)).Code
		}
		got := map[int]int{}
		for i := range 20 {
			got[subscribe("203.0.113.1", fmt.Sprint("reviewcast://review/none-", i))]++
		}
		if want := map[int]int{200: 5, 429: 15}; !maps.Equal(got, want) {
			t.Errorf("20 sessions of one address: %v, want %v", got, want)
		}
		if code := subscribe("203.0.113.2", "reviewcast://review/none-0"); code != http.StatusOK {
			t.Errorf("another address: %d", code)
		}
		for i := range 50 {
			subscribe(fmt.Sprint("203.0.113.", 10+i), "reviewcast://business")
		}
		if code := subscribe("198.51.100.1", "reviewcast://business"); code != http.StatusServiceUnavailable {
			t.Errorf("when all are taken: %d", code)
		}
		time.Sleep(DefaultIdle + pollInterval)
		synctest.Wait()
		if code := subscribe("198.51.100.1", "reviewcast://business"); code != http.StatusOK {
			t.Errorf("when others have been silent: %d", code)
		}
	})
}

// TestManySubscribeAttempts: attempts to subscribe leave nothing behind once the
// sessions have ended, whatever the spelling of the resource.
func TestManySubscribeAttempts(t *testing.T) {
	quietly(t, Config{}, func(t *testing.T, s *Server) {
		const sessions = 100
		refused := 0
		for i := range sessions {
			id := ask(s, "", initialize).Header().Get(headerSession)
			for _, uri := range []string{"reviewcast://business", fmt.Sprint("reviewcast://review/none-", i), "reviewcast://review/%72-" + fmt.Sprint(i), "reviewcast://business/" + fmt.Sprint(i), "x://" + fmt.Sprint(i)} {
				if strings.Contains(ask(s, id, subscribeTo(uri)).Body.String(), `"error"`) {
					refused++
				}
			}
			if i%25 == 24 {
				time.Sleep(DefaultIdle + time.Minute)
			}
		}
		synctest.Wait()
		if n := s.sessions.totals(); n != (totals{}) {
			t.Errorf("left: %d sessions, %d streams, %d subscriptions", n.sessions, n.streams, n.subscriptions)
		}
		if refused != 2*sessions {
			t.Errorf("%d attempts were refused, want the two spellings that aren't canonical", refused)
		}
	})
}

// TestSettled: memory is released once after many sessions have ended, when no more do.
func TestSettled(t *testing.T) {
	s := &sessions{limit: 10, idle: time.Minute, byID: map[string]*session{}}
	for i, step := range []struct {
		ended int
		want  bool
	}{{manyEnded - 1, false}, {0, false}, {1, false}, {1, false}, {0, true}, {0, false}, {manyEnded, false}, {0, true}} {
		for range step.ended {
			s.end("some")
		}
		if got := s.settled(); got != step.want {
			t.Errorf("step %d: %t", i, got)
		}
	}
}

// BenchmarkSubscribeAttempts makes 100,000 attempts to subscribe from one address, each in
// a session of its own, which the client ends or which becomes idle. bytes-held is what
// stays, bytes-before what the server had after a few.
func BenchmarkSubscribeAttempts(b *testing.B) {
	for _, ends := range []bool{true, false} {
		b.Run(fmt.Sprintf("ends=%t", ends), func(b *testing.B) {
			s, _ := serve(b, sample(b), Config{})
			attempts := func(n int) (held float64) {
				for i := range n {
					id := ask(s, "", initialize).Header().Get(headerSession)
					ask(s, id, subscribeTo(fmt.Sprint("reviewcast://review/none-", i)))
					if ends {
						r := httptest.NewRequest(http.MethodDelete, reviewcast.PathMCP, nil)
						r.Header.Set(headerSession, id)
						s.ServeHTTP(httptest.NewRecorder(), r)
					}
				}
				s.sessions.expire(time.Now().Add(DefaultIdle))
				var m runtime.MemStats
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc + m.StackInuse)
			}
			before := attempts(1000)
			for b.Loop() {
				b.ReportMetric(attempts(100_000)-before, "bytes-held")
			}
			b.ReportMetric(before, "bytes-before")
		})
	}
}

// BenchmarkSession opens sessions and subscribes in each: bytes-held/op is what one
// keeps until it is idle.
func BenchmarkSession(b *testing.B) {
	s, err := New(Config{Snapshots: &snapshot.Holder{}, BaseURL: snapshottest.BaseURL, MaxSessions: 1 << 30,
		Client: func(r *http.Request) string { return r.Header.Get(headerSession) }})
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		id := ask(s, "", initialize).Header().Get(headerSession)
		if w := ask(s, id, subscribeTo("reviewcast://summary")); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := float64(after.HeapAlloc+after.StackInuse) - float64(before.HeapAlloc+before.StackInuse)
	b.ReportMetric(held/float64(b.N), "bytes-held/op")
	s.sessions.end()
}
