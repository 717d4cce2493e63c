package hub

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Three consecutive failures end a subscription with a denial. The retries come after 30 s
// and 1 h, with the same body.
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

// A success resets the count of failures.
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

// New content during a wait doesn't shorten it, and is sent after it.
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

// A Retry-After that is longer than our wait is respected in both formats, up to a day.
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

// Every 2xx status acknowledges. Redirects, which aren't followed, and all other statuses
// are failures.
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

// The end of a lease removes a subscription without notice.
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
		if n, err := r.state.Sweep(t.Context(), time.Now().Add(25*time.Hour), 10); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

// A renewed subscription continues with one delivery per change. A failed renewal changes
// neither lease nor secret.
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
		if n, err := r.state.Sweep(t.Context(), time.Now().Add(25*time.Hour), 10); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}
