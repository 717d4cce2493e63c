package hub

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/hub/store/storetest"
)

// bubble runs a test whose time is its own: hours pass when everybody waits. The
// network is pipes, and TLS, HTTP and the store are the real ones.
func bubble(t *testing.T, f func(t *testing.T, r *rig, net *pipes)) {
	bubbleWith(t, func(*Config) {}, f)
}

// slowly has the hub look for work less often, for tests of many hours.
func slowly(c *Config) { c.look = 10 * time.Second }

func bubbleWith(t *testing.T, change func(*Config), f func(t *testing.T, r *rig, net *pipes)) {
	roots(t) // outside: it opens a socket
	state := storetest.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		net := &pipes{}
		r := newRig(t, state, func(c *Config) { c.dial = net.dial }, change)
		f(t, r, net)
		r.stop()
	})
}

// at is a callback on the bubble's network. Its name is one that the certificate of
// httptest has.
func at(n int) (callback, address string) {
	address = fmt.Sprintf("example.com:%d", 8000+n)
	return "https://" + address + "/cb", address
}

func (p *pipes) subscriber(t *testing.T, n int) (s *subscriber, callback string) {
	callback, address := at(n)
	return newSubscriber(t, p.listen(address)), callback
}

// within fails when a duration isn't what was promised, give or take a fifth, and
// the time between two looks.
func within(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if low, high := want*8/10, want*12/10+20*time.Second; got < low || got > high {
		t.Errorf("%s: %s, want %s give or take a fifth", what, got, want)
	}
}

// counter is a log that counts the lines with some words.
type counter struct {
	words string
	n     atomic.Int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(strings.Count(string(p), c.words)))
	return len(p), nil
}

// With several edges one is always the first to have new files: the others say
// something only when theirs stay behind.
func TestBehindForAMoment(t *testing.T) {
	warnings := &counter{words: "older than what subscribers have been told of"}
	log := func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(warnings, nil)) }
	bubbleWith(t, log, func(t *testing.T, r *rig, _ *pipes) {
		time.Sleep(time.Minute)
		for sequence := int64(2); sequence < 5; sequence++ {
			if _, err := r.Store.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: content(reviewcast.PathAtom, fmt.Sprint(sequence)).SHA256, Sequence: sequence}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(behindFor - 2*look)
			r.publish(sequence, fmt.Sprint(sequence)) // the files have come here, too
			time.Sleep(2 * look)
		}
		if n := warnings.n.Load(); n != 0 {
			t.Errorf("%d warnings of files that came within %s", n, behindFor)
		}
		if _, err := r.Store.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: "never here", Sequence: 9}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := warnings.n.Load(); n != 1 {
			t.Errorf("%d warnings of files that stay behind, want one", n)
		}
	})
}

// Three failures in a row end a subscription, and the subscriber is told: the
// retries come after 30 s and 1 h, with the same body.
func TestThreeFailures(t *testing.T) {
	bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback+"?a=1")
		s.answers(status(http.StatusInternalServerError))
		r.publish(2, "news")
		first := s.notification()
		second := s.notification()
		third := s.notification()
		denial := s.verification()
		within(t, "first wait", second.at.Sub(first.at), 30*time.Second)
		within(t, "second wait", third.at.Sub(second.at), time.Hour)
		if first.body != "news" || second.body != "news" || third.body != "news" {
			t.Errorf("bodies %q, %q, %q", first.body, second.body, third.body)
		}
		if denial.query.Get("hub.mode") != "denied" || denial.query.Get("hub.topic") != atom || denial.query.Get("a") != "1" ||
			!strings.Contains(denial.query.Get("hub.reason"), "500 Internal Server Error") || denial.query.Has("hub.challenge") {
			t.Errorf("denial: %s", denial.uri)
		}
		if list := r.list(); len(list) != 0 {
			t.Errorf("not removed: %+v", list)
		}
		r.settled() // a 500 is an answer to a denial, too
		r.publish(3, "more news")
		time.Sleep(10 * time.Minute)
		s.quiet()
	})
}

// A success between failures begins the count anew.
func TestFailuresInARow(t *testing.T) {
	short := func(c *Config) { slowly(c); c.Retry = [2]time.Duration{30 * time.Second, time.Minute} }
	bubbleWith(t, short, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		for version := range 2 {
			s.answers(status(http.StatusServiceUnavailable))
			r.publish(int64(2+version), fmt.Sprint(version))
			s.notification()
			s.notification()
			s.answers(nil)
			s.notification()
		}
		r.until("the last success is acknowledged", func() bool { list := r.list(); return len(list) == 1 && list[0].Failures == 0 })
	})
}

// New content during a wait doesn't shorten it, and is what is sent then.
func TestOnlyTheNewest(t *testing.T) {
	bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		s.answers(status(http.StatusBadGateway))
		r.publish(2, "second")
		first := s.notification()
		time.Sleep(10 * time.Second)
		s.answers(nil)
		r.publish(3, "third")
		r.publish(4, "fourth")
		next := s.notification()
		within(t, "wait", next.at.Sub(first.at), 30*time.Second)
		if next.body != "fourth" {
			t.Errorf("sent %q, want the newest", next.body)
		}
		time.Sleep(10 * time.Minute)
		s.quiet()
	})
}

// A Retry-After that is longer than our wait is kept, in both of its forms, up to
// a day.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		header string
		want   time.Duration
	}{
		{"600", 10 * time.Minute},
		{time.Date(2000, 1, 1, 0, 20, 0, 0, time.UTC).Format(http.TimeFormat), 20 * time.Minute}, // bubbles begin at midnight
		{"5", 30 * time.Second},
		{"-1", 30 * time.Second},
		{"soon", 30 * time.Second},
	} {
		t.Run(c.header, func(t *testing.T) {
			bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
				s, callback := net.subscriber(t, 0)
				r.subscribe(s, atom, callback)
				s.answers(status(http.StatusServiceUnavailable, "Retry-After", c.header))
				r.publish(2, "second")
				first := s.notification()
				s.answers(nil)
				within(t, "wait", s.notification().at.Sub(first.at), c.want)
			})
		})
	}
}

// 410 removes at once, without a denial.
func TestGone(t *testing.T) {
	bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback)
		s.answers(status(http.StatusGone))
		r.publish(2, "second")
		s.notification()
		r.until("removed", func() bool { return len(r.list()) == 0 })
		time.Sleep(10 * time.Minute)
		s.quiet()
	})
}

// What is no acknowledgement: redirects, which aren't followed, and everything
// that isn't 2xx. What is: every 2xx.
func TestAnswersToNotifications(t *testing.T) {
	for code, fails := range map[int]bool{200: false, 201: false, 202: false, 204: false, 299: false, 301: true, 302: true, 307: true, 308: true, 304: true, 400: true, 404: true, 429: true, 503: true} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			bubble(t, func(t *testing.T, r *rig, net *pipes) {
				s, callback := net.subscriber(t, 0)
				elsewhere, other := net.subscriber(t, 1)
				r.subscribe(s, atom, callback)
				s.answers(status(code, "Location", other))
				r.publish(2, "second")
				s.notification()
				synctest.Wait()
				r.until("it is judged", func() bool { return !r.list()[0].InFlight })
				if got := r.list()[0]; (got.Failures == 1) != fails || got.Behind != fails {
					t.Errorf("%d: %+v", code, got)
				}
				elsewhere.quiet()
			})
		})
	}
}

// A lease that ends removes without notification and without notice.
func TestLeaseEnds(t *testing.T) {
	bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback, "hub.lease_seconds", "300")
		time.Sleep(299 * time.Second)
		r.publish(2, "in time")
		s.notification()
		time.Sleep(2 * time.Second)
		r.publish(3, "too late")
		time.Sleep(5 * time.Minute)
		s.quiet()
		if list := r.list(); len(list) != 0 {
			t.Errorf("left: %+v", list)
		}
	})
}

// Renewed in time, a subscription goes on: one delivery for a change, and a failed
// renewal leaves lease and secret as they were.
func TestRenewal(t *testing.T) {
	bubbleWith(t, slowly, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		r.subscribe(s, atom, callback, "hub.lease_seconds", "300", "hub.secret", "old")
		time.Sleep(200 * time.Second)
		s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
			if c.method == http.MethodGet {
				_, _ = io.WriteString(w, "not the challenge")
			}
		})
		r.subscribe(s, atom, callback, "hub.lease_seconds", "600", "hub.secret", "new")
		r.publish(2, "second")
		if c := s.notification(); c.header.Get("X-Hub-Signature") != signature([]byte("old"), []byte("second")) {
			t.Errorf("signed with another secret after a renewal that failed: %v", c.header)
		}
		s.answers(nil)
		r.subscribe(s, atom, callback, "hub.lease_seconds", "600")
		time.Sleep(200 * time.Second)
		r.publish(3, "third")
		if c := s.notification(); c.header["X-Hub-Signature"] != nil {
			t.Errorf("signed after a renewal that dropped the secret: %v", c.header)
		}
		time.Sleep(600 * time.Second)
		if list := r.list(); len(list) != 0 {
			t.Errorf("left: %+v", list)
		}
	})
}

// A callback that doesn't answer is asked three times, each with a challenge of its
// own, and each for 10 s; the 202 has long been sent.
func TestVerificationWithoutAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		s.answers(hang)
		before := time.Now()
		r.ask("subscribe", atom, callback)
		if took := time.Since(before); took != 0 {
			t.Errorf("the 202 took %s", took)
		}
		challenges := map[string]bool{}
		for range handshakeTries {
			challenges[s.verification().query.Get("hub.challenge")] = true
		}
		if len(challenges) != handshakeTries {
			t.Errorf("%d different challenges, want %d", len(challenges), handshakeTries)
		}
		r.until("given up", func() bool {
			pending, err := r.Store.Pending(t.Context(), 1)
			return err == nil && len(pending) == 0
		})
		within(t, "giving up", time.Since(before), 3*handshakeTimeout+handshakeWaits[0]+handshakeWaits[1])
		if len(r.list()) != 0 {
			t.Errorf("subscribed: %+v", r.list())
		}
		s.quiet()
	})
}

// A callback that answers when it is asked again is subscribed.
func TestVerificationSecondTry(t *testing.T) {
	bubble(t, func(t *testing.T, r *rig, net *pipes) {
		callback, address := at(0)
		r.ask("subscribe", atom, callback) // nobody listens yet
		time.Sleep(2 * time.Second)
		s := newSubscriber(t, net.listen(address))
		s.verification()
		r.settled()
		if len(r.list()) != 1 {
			t.Error("not subscribed")
		}
	})
}

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
		within(t, "silence and wait", next.at.Sub(first.at), silentFailed+30*time.Second)
		if got := r.list()[0]; got.LastError != "" && !strings.Contains(got.LastError, "30 s") {
			t.Errorf("last error %q", got.LastError)
		}
	})
}

// Silent subscribers take no slots from the others of their host for longer than
// two seconds.
func TestSlowLane(t *testing.T) {
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
		if took := time.Since(began); took < 2*silentSlow || took > 2*silentSlow+2*look {
			t.Errorf("the last two were served after %s, want twice %s", took, silentSlow)
		}
		r.until("the silent ones, and nobody else, are in the slow lane", func() bool {
			fast, slow, _, _ := r.lanes.inFlight()
			return fast == 0 && slow == 4
		})
	})
}

// Who was slow the last time begins in the slow lane, and the others of its host
// don't wait at all; who is quick again is held to be.
func TestKnownSlow(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 2 }, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		for i := range 6 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i))
		}
		done := func() bool {
			fast, slow, waiting, _ := r.lanes.inFlight()
			return fast+slow+waiting == 0 && !slices.ContainsFunc(r.list(), func(l store.Subscription) bool { return l.Behind || l.InFlight })
		}
		var slow atomic.Bool
		slow.Store(true)
		s.answers(func(_ http.ResponseWriter, q *http.Request, _ call) {
			if slow.Load() && q.URL.RawQuery < "4" {
				time.Sleep(20 * time.Second)
			}
		})
		// The first time they are found out, the second time known, the third time quick.
		for i, limit := range []time.Duration{2*silentSlow + 2*look, 2 * look, 2 * look, 2 * look} {
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
		edition := r.edition.Load()
		moved, err := r.Store.Publish(t.Context(), time.Now(), store.Publication{Topic: atom, SHA256: "next", Sequence: edition.Sequence + 1})
		if err != nil || !moved {
			t.Fatal(moved, err)
		}
		claimed, err := r.Store.ClaimDeliveries(t.Context(), time.Now(), store.Claim{Owner: "me", Topic: atom, SHA256: "next", Pace: store.Quick, Limit: 10})
		if err != nil || len(claimed) != 6 {
			t.Errorf("%d of 6 are held to be quick: %v", len(claimed), err)
		}
	})
}

// Twenty exchanges in a row without an answer open the breaker of an endpoint: its
// deliveries are put off, which is no failure. Any status closes it.
func TestBreaker(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 1 }, func(t *testing.T, r *rig, net *pipes) {
		const n = breakerTrips + 10
		s, callback := net.subscriber(t, 0)
		for i := range n {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i), "hub.lease_seconds", "86400")
		}
		_, address := at(0)
		s.CloseClientConnections()
		r.client.CloseIdleConnections()
		net.mu.Lock()
		listener := net.hosts[address]
		delete(net.hosts, address) // nobody answers
		net.mu.Unlock()
		r.publish(2, "second")
		r.until("the breaker is open", func() bool { _, _, _, open := r.lanes.inFlight(); return open == 1 })
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
			t.Errorf("%d failures, want %d: the others are put off", failed, breakerTrips)
		}
		net.mu.Lock()
		net.hosts[address] = listener
		net.mu.Unlock()
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

// An answer whose body never ends, or comes byte by byte, is an answer.
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
				if took := time.Since(began); took > drainTimeout+2*look {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// Of a callback that is removed, or gets another secret, nothing that was claimed
// before is sent.
func TestClaimedBeforeChange(t *testing.T) {
	bubbleWith(t, func(c *Config) { c.PerHost = 1 }, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		for i := range 3 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i), "hub.secret", "old")
		}
		release := make(chan struct{})
		s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
			if c.method == http.MethodPost && q.URL.RawQuery == "0" {
				<-release
				return
			}
			good(w, q, c)
		})
		r.publish(2, "second")
		s.notification() // the first is in flight, the others are claimed
		r.ask("unsubscribe", atom, callback+"?1")
		s.verification()
		r.ask("subscribe", atom, callback+"?2", "hub.secret", "new")
		s.verification()
		r.settled()
		close(release)
		c := s.notification()
		if c.uri != "/cb?2" || c.header.Get("X-Hub-Signature") != signature([]byte("new"), []byte("second")) {
			t.Errorf("sent to %s with %v", c.uri, c.header["X-Hub-Signature"])
		}
		time.Sleep(time.Minute)
		s.quiet()
	})
}

// What was claimed with older content is not sent any more.
func TestClaimedBeforeNews(t *testing.T) {
	bubbleWith(t, func(c *Config) { slowly(c); c.PerHost = 1 }, func(t *testing.T, r *rig, net *pipes) {
		s, callback := net.subscriber(t, 0)
		for i := range 5 {
			r.subscribe(s, atom, fmt.Sprintf("%s?%d", callback, i))
		}
		release := make(chan struct{})
		s.answers(func(_ http.ResponseWriter, _ *http.Request, c call) {
			if c.body == "second" {
				<-release
			}
		})
		r.publish(2, "second")
		first := s.notification().uri
		synctest.Wait() // the others are claimed
		r.publish(3, "third")
		close(release)
		got := map[string]int{}
		for range 5 {
			c := s.notification()
			if got[c.uri]++; c.body != "third" {
				t.Errorf("%s was sent %q", c.uri, c.body)
			}
		}
		if len(got) != 5 || got[first] != 1 {
			t.Errorf("the newest went to %v", got)
		}
		time.Sleep(10 * time.Minute)
		s.quiet()
	})
}

// Pings are answered at once, and the files looked at once a second at most.
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

// A hub that stops lets deliveries in flight end.
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
