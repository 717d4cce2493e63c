package hub

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Pings are answered at once. Files are reloaded once a second at most.
func TestPingsCoalesce(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, _ *pipes) {
		for range 50 {
			r.ask("publish", atom, "", "hub.url", feed)
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if n := r.reloads.Load(); n < 4 || n > 7 {
			t.Errorf("looked %d times in five seconds", n)
		}
	})
}

// A hub that stops waits for deliveries in flight.
func TestStop(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		silent, other := net.subscriber(t, 1)
		r.subscribe(silent, atom, other)
		s.answers(func(http.ResponseWriter, *http.Request, call) { time.Sleep(5 * time.Second) })
		silent.answers(hang)
		r.publish(2, "second")
		s.notification()
		silent.notification()
		began := time.Now()
		r.stop()
		if took := time.Since(began); took != Grace {
			t.Errorf("stopped after %s, want %s", took, Grace)
		}
		for _, l := range r.list() {
			if l.Failures != 0 || l.Behind != (l.Callback == other) || l.InFlight {
				t.Errorf("after the stop: %+v", l)
			}
		}
	})
}
