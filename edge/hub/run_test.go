package hub

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/bench/storetest"
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

// A ping to one of two hubs that share a state makes both look, for the version that it names.
func TestPingIsPassedOn(t *testing.T) {
	t.Parallel()
	state := storetest.Postgres(t)
	one, other := newRig(t, state), newRig(t, state)
	version := strings.Repeat("0a", 32)
	one.until("the other hub looks for the version", func() bool {
		one.ask("publish", atom, "", "hub.url", feed, "manifest", version) // again, until the other one listens
		return len(other.manifests) > 0
	})
	if got := <-other.manifests; got != version {
		t.Errorf("reloaded for %q, want %q", got, version)
	}
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
