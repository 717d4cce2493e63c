package mcpserver

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// timed is a writer that knows its deadline.
type timed struct {
	*httptest.ResponseRecorder
	deadline time.Time
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

// TestStreamsAreKeptAlive: a silent stream says so in time for proxies, and each
// write has a deadline of its own.
func TestStreamsAreKeptAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		a := newResponse(w, nil)
		a.Header().Set("Content-Type", mediaStream)
		a.WriteHeader(http.StatusOK)
		if w.Header().Get("X-Accel-Buffering") != "no" {
			t.Errorf("the header is %v", w.Header())
		}
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if n := strings.Count(w.Body.String(), ": still here\n\n"); n != int(10*time.Minute/heartbeatInterval) {
			t.Errorf("%d heartbeats in ten minutes", n)
		}
		if _, err := a.Write([]byte("data: {}\n\n")); err != nil {
			t.Error(err)
		}
		if left := time.Until(w.deadline); left != writeTimeout {
			t.Errorf("the client has %s to read, want %s", left, writeTimeout)
		}
		a.Flush()
		a.finish()
		before := w.Body.Len()
		time.Sleep(time.Minute)
		if w.Body.Len() != before || !w.Flushed {
			t.Error("a stream that has ended goes on, or was never flushed")
		}
	})
}

// TestPlainErrorsBecomeJSONRPC: what the SDK says in plain text.
func TestPlainErrorsBecomeJSONRPC(t *testing.T) {
	w := httptest.NewRecorder()
	a := newResponse(w, &message{id: []byte(`"a"`)})
	http.Error(a, "no such \"thing\"", http.StatusConflict)
	a.Flush()
	a.finish()
	want := `{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"no such \"thing\""}}` + "\n"
	if w.Code != http.StatusConflict || w.Body.String() != want || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
