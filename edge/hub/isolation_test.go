package hub

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/hub/store"
)

// A delivery that is silent for 30 s has failed.
func TestSilence(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		s.answers(hang)
		r.publish(2, "second")
		first := s.notification()
		s.answers(nil)
		next := s.notification()
		within(t, "silence and wait", next.at.Sub(first.at), answerTimeout+30*time.Second)
		if got := r.list()[0]; got.LastError != "" && !strings.Contains(got.LastError, "30 s") {
			t.Errorf("last error %q", got.LastError)
		}
	})
}

// Silent subscribers occupy the normal slots of their host for two seconds at most.
func TestSlowSlots(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 2 }, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		for i := range 6 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i))
		}
		s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
			if q.URL.RawQuery < "4" { // the first four
				hang(w, q, c)
			}
		})
		began := time.Now()
		r.publish(2, "second")
		for range 6 {
			s.notification()
		}
		if took := time.Since(began); took < 2*maxSilence || took > 2*maxSilence+2*DefaultPollInterval {
			t.Errorf("the last two were served after %s, want twice %s", took, maxSilence)
		}
		r.until("the silent ones, and nobody else, are in slow slots", func() bool {
			l := r.scheduler.load()
			return l.normal == 0 && l.slow == 4
		})
	})
}

// Subscribers that were slow the last time start in slow slots, so that others of their host
// don't wait. After two quick answers they are quick.
func TestKnownSlow(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 2 }, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		for i := range 6 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i))
		}
		done := func() bool {
			l := r.scheduler.load()
			return l.normal+l.slow+l.queued == 0 && !slices.ContainsFunc(r.list(), func(l store.Subscription) bool { return l.Behind || l.InFlight })
		}
		var slow atomic.Bool
		slow.Store(true)
		s.answers(func(_ http.ResponseWriter, q *http.Request, _ call) {
			if slow.Load() && q.URL.RawQuery < "4" {
				time.Sleep(20 * time.Second)
			}
		})
		// The first time they are unknown, the second time slow, the third time quick.
		for i, limit := range []time.Duration{2*maxSilence + 2*DefaultPollInterval, 2 * DefaultPollInterval, 2 * DefaultPollInterval, 2 * DefaultPollInterval} {
			if i == 2 {
				slow.Store(false)
			}
			began := time.Now()
			r.publish(int64(2+i), fmt.Sprint(i))
			for honest := 0; honest < 2; {
				if c := s.notification(); c.uri >= "/cb?4" {
					honest++
				}
			}
			if took := time.Since(began); took > limit {
				t.Errorf("change %d: the others were served after %s, want %s", i, took, limit)
			}
			r.until("all are served", done)
			for len(s.calls) > 0 {
				<-s.calls
			}
		}
		moved, err := r.state.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: "next", Sequence: r.files.Load().Sequence() + 1})
		if err != nil || !moved {
			t.Fatal(moved, err)
		}
		claimed, err := r.state.ClaimDeliveries(t.Context(), time.Now(), store.Claim{Owner: "me", WorkKey: store.WorkKey{Topic: atom, Pace: store.Quick}, SHA256: "next", Limit: 10})
		if err != nil || len(claimed) != 6 {
			t.Errorf("%d of 6 are quick: %v", len(claimed), err)
		}
	})
}

// Twenty consecutive exchanges without an answer open the breaker of an endpoint: its
// deliveries are postponed, not failed. Any status closes it.
func TestBreaker(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 1 }, func(t *testing.T, r *rig, net *pipes) {
		const n = breakerTrips + 10
		s, callback := net.subscriber(t, 0)
		for i := range n {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i), "hub.lease_seconds", "86400")
		}
		_, address := at(0)
		s.CloseClientConnections()
		r.deliverClient.CloseIdleConnections()
		net.mu.Lock()
		listener := net.hosts[address]
		delete(net.hosts, address) // nobody answers
		net.mu.Unlock()
		r.publish(2, "second")
		r.until("the breaker is open", func() bool { return r.scheduler.load().openBreakers == 1 })
		opened := time.Now()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		failed := 0
		for _, l := range r.list() {
			if l.Failures > 1 {
				t.Errorf("failed more than once: %+v", l)
			}
			failed += l.Failures
		}
		if failed != breakerTrips {
			t.Errorf("%d failures, want %d: the others are postponed", failed, breakerTrips)
		}
		net.share(address, listener)
		s.answers(status(http.StatusInternalServerError)) // an answer, however bad
		first := s.notification()
		if wait := first.at.Sub(opened); wait < breakerOpen-3*time.Second {
			t.Errorf("called %s after the breaker opened", wait)
		}
		s.answers(nil)
		r.until("all are served, but the one that may wait for an hour after its second failure", func() bool {
			behind := 0
			for _, l := range r.list() {
				if l.Behind {
					behind++
				}
			}
			return behind <= 1
		})
		if took := time.Since(opened); took > 3*time.Minute {
			t.Errorf("all were served after %s", took)
		}
		if len(r.list()) != n {
			t.Errorf("%d subscriptions are left of %d", len(r.list()), n)
		}
	})
}

// An answer whose body doesn't end is an answer.
func TestEndlessAnswer(t *testing.T) {
	for name, chunk := range map[string]int{"fast": 32 << 10, "slow": 1} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig, net *pipes) {
				s, callback := net.subscriber(t, 0)
				r.subscribe(s, atom, callback)
				s.answers(func(w http.ResponseWriter, q *http.Request, _ call) {
					w.WriteHeader(http.StatusOK)
					for q.Context().Err() == nil {
						if _, err := w.Write(make([]byte, chunk)); err != nil {
							return
						}
						w.(http.Flusher).Flush()
						if chunk == 1 {
							time.Sleep(time.Second)
						}
					}
				})
				began := time.Now()
				r.publish(2, "second")
				s.notification()
				r.until("it is acknowledged", func() bool { return !r.list()[0].Behind })
				if took := time.Since(began); took > drainTimeout+2*DefaultPollInterval {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}
