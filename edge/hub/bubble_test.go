package hub

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test in a synctest bubble. The network is pipes; TLS, HTTP and the store
// are real.
func bubble(t *testing.T, f func(t *testing.T, r *rig, net *pipes)) {
	bubbleWith(t, func(*Config) {}, f)
}

// slowly has the hub poll less often, for tests of many hours.
func slowly(c *Config) { c.PollInterval = 10 * time.Second }

func bubbleWith(t *testing.T, change func(*Config), f func(t *testing.T, r *rig, net *pipes)) {
	t.Parallel() // each bubble has its own time
	roots(t)     // outside: it opens a socket
	state := migratedState(t)
	synctest.Test(t, func(t *testing.T) {
		net := &pipes{}
		r := newRig(t, state, func(c *Config) { c.Dial = net.dial }, change)
		f(t, r, net)
		r.stop()
	})
}

// at returns a callback on the bubble's network, with a host name of httptest's
// certificate.
func at(n int) (callback, address string) {
	address = fmt.Sprintf("example.com:%d", 8000+n)
	return "https://" + address + "/cb", address
}

func (p *pipes) subscriber(t *testing.T, n int) (s *subscriber, callback string) {
	callback, address := at(n)
	return newSubscriber(t, p.listen(address)), callback
}

// within fails unless a duration is within 20 % of the expected one, plus two polls.
func within(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if low, high := want*8/10, want*12/10+20*time.Second; got < low || got > high {
		t.Errorf("%s: %s, want %s ±20%%", what, got, want)
	}
}
