package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/edge/snapshot"
	"reviewcast/edge/snapshot/snapshottest"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// ask posts a body to a handler, with a session or without.
func ask(h http.Handler, session, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
	r.Header.Set("Content-Type", reviewcast.MediaJSON)
	if session != "" {
		r.Header.Set(headerSession, session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// quietly runs f in a bubble with a server whose Run ends with it.
func quietly(t *testing.T, c Config, f func(t *testing.T, s *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.Snapshots, c.BaseURL = &snapshot.Holder{}, snapshottest.BaseURL
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

func TestSessionsEndWhenIdle(t *testing.T) {
	quietly(t, Config{Idle: 30 * time.Minute}, func(t *testing.T, s *Server) {
		used, left := ask(s, "", initialize).Header().Get(headerSession), ask(s, "", initialize).Header().Get(headerSession)
		time.Sleep(20 * time.Minute)
		if w := ask(s, used, ping); w.Code != http.StatusOK {
			t.Fatalf("after 20 minutes: %d %s", w.Code, w.Body)
		}
		time.Sleep(15 * time.Minute)
		synctest.Wait()
		if n := len(s.sessions.byID); n != 1 {
			t.Errorf("after 35 minutes %d sessions are open, want the one that was used", n)
		}
		if w := ask(s, used, ping); w.Code != http.StatusOK {
			t.Errorf("used 15 minutes ago: %d %s", w.Code, w.Body)
		}
		if w := ask(s, left, ping); w.Code != http.StatusNotFound {
			t.Errorf("left 35 minutes ago: %d %s", w.Code, w.Body)
		}
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		if n := len(s.sessions.byID); n != 0 {
			t.Errorf("in the end %d sessions are open", n)
		}
	})
}

// TestSessionsAreCapped: when all are taken, those that have been silent for a minute
// make room, and nobody else.
func TestSessionsAreCapped(t *testing.T) {
	quietly(t, Config{MaxSessions: 3}, func(t *testing.T, s *Server) {
		var ids []string
		for range 3 {
			ids = append(ids, ask(s, "", initialize).Header().Get(headerSession))
			time.Sleep(10 * time.Second)
		}
		w := ask(s, "", initialize)
		if wait, _ := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != http.StatusServiceUnavailable || wait != 30 {
			t.Fatalf("a fourth: %d, Retry-After %d, want 503 and 30 s: %s", w.Code, wait, w.Body)
		}
		ask(s, ids[0], ping)
		time.Sleep(50 * time.Second)
		if w := ask(s, "", initialize); w.Code != http.StatusOK {
			t.Fatalf("a fourth after a minute: %d %s", w.Code, w.Body)
		}
		for i, want := range []int{http.StatusOK, http.StatusNotFound, http.StatusOK} {
			if w := ask(s, ids[i], ping); w.Code != want {
				t.Errorf("session %d: %d, want %d", i, w.Code, want)
			}
		}
	})
}

// TestAbandonedSessionsAreBounded opens 10,000 sessions and leaves them.
func TestAbandonedSessionsAreBounded(t *testing.T) {
	const opened, limit = 10_000, 200
	quietly(t, Config{MaxSessions: limit}, func(t *testing.T, s *Server) {
		before := runtime.NumGoroutine()
		refused := 0
		for i := range opened {
			switch w := ask(s, "", initialize); w.Code {
			case http.StatusOK:
			case http.StatusServiceUnavailable:
				refused++
			default:
				t.Fatalf("session %d: %d %s", i, w.Code, w.Body)
			}
			if i%1000 == 999 {
				time.Sleep(minSilence)
			}
		}
		synctest.Wait()
		if n := len(s.sessions.byID); n != limit {
			t.Errorf("%d sessions are open, want %d", n, limit)
		}
		if want := opened - 10*limit; refused != want {
			t.Errorf("%d were refused, want %d", refused, want)
		}
		if n := runtime.NumGoroutine() - before; n > 4*limit {
			t.Errorf("%d goroutines for %d sessions", n, limit)
		}
		if n := len(s.subscriptions.sessions); n != 0 {
			t.Errorf("%d sessions are watched for", n)
		}
	})
}

// BenchmarkSession opens sessions and leaves them: bytes-held/op is what one keeps.
func BenchmarkSession(b *testing.B) {
	s, err := New(Config{Snapshots: &snapshot.Holder{}, BaseURL: snapshottest.BaseURL, MaxSessions: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		if w := ask(s, "", initialize); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := float64(after.HeapAlloc+after.StackInuse) - float64(before.HeapAlloc+before.StackInuse)
	b.ReportMetric(held/float64(b.N), "bytes-held/op")
	for session := range s.mcp.Sessions() {
		session.Close()
	}
}

func TestManyMissingResources(t *testing.T) {
	var w subscriptions
	for i := range maxMissing {
		if !w.addMissing(fmt.Sprint("reviewcast://review/", i)) {
			t.Fatalf("refused after %d", i)
		}
	}
	if w.addMissing("reviewcast://review/more") || !w.addMissing("reviewcast://review/1") || w.addMissing(strings.Repeat("x", maxURI+1)) {
		t.Error("the cap doesn't hold, or holds too much")
	}
}
