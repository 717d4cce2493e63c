package mcpserver

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/snapshottest"
)

// timed is a writer that knows its deadline.
type timed struct {
	*httptest.ResponseRecorder
	deadline time.Time
	unread   bool // reading has no deadline
}

func (w *timed) SetReadDeadline(t time.Time) error {
	w.unread = t.IsZero()
	return nil
}

func (w *timed) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}

func (w *timed) Write(p []byte) (int, error) {
	if !w.deadline.IsZero() && time.Now().After(w.deadline) {
		return 0, errors.New("too late")
	}
	return w.ResponseRecorder.Write(p)
}

// TestStreamsAreKeptAlive: a stream that is silent for an hour sends comments in time for
// proxies, each write has a deadline of its own, updates still arrive, and the stream ends
// with its session.
func TestStreamsAreKeptAlive(t *testing.T) {
	quietly(t, Config{}, func(t *testing.T, s *Server) {
		id := ask(s, "", initialize).Header().Get(headerSession)
		ask(s, id, subscribeTo("reviewcast://summary"))
		r := httptest.NewRequest(http.MethodGet, reviewcast.PathMCP, nil)
		r.Header.Set("Accept", mediaStream)
		r.Header.Set(headerSession, id)
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		ended := make(chan struct{})
		go func() {
			s.ServeHTTP(w, r)
			close(ended)
		}()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		if n := strings.Count(w.Body.String(), ": still here\n\n"); n != int(time.Hour/heartbeatInterval) || !w.Flushed {
			t.Errorf("%d heartbeats in an hour, flushed %t", n, w.Flushed)
		}
		if left := time.Until(w.deadline); left != writeTimeout-time.Second {
			t.Errorf("the client has %s to read, want %s", left, writeTimeout-time.Second)
		}
		if !w.unread {
			t.Error("the read deadline of the server would end the stream")
		}
		if w.Header().Get("X-Accel-Buffering") != "no" {
			t.Errorf("the header is %v", w.Header())
		}
		snapshottest.Swap(s.config.Snapshots, sample(t).Open(t, 1))
		synctest.Wait()
		if !strings.Contains(w.Body.String(), `"uri":"reviewcast://summary"`) {
			t.Error("no update after an hour")
		}
		s.sessions.end(id)
		<-ended
	})
}
