package hub

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// Deliveries that were claimed before a removal, or with an older secret, aren't sent.
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

// Deliveries that were claimed with older content aren't sent.
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
