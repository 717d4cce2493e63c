package hub

import "time"

const (
	// breakerTrips is how many consecutive exchanges without an HTTP answer open a breaker.
	breakerTrips = 20
	// breakerOpen is for how long it stays open.
	breakerOpen = 30 * time.Second
	// breakerProbe is for how long other deliveries are postponed while a probe is in flight.
	breakerProbe = 2 * time.Second
)

// breaker keeps a host:port that doesn't answer from using up attempts and slots. It counts consecutive exchanges that
// end without an HTTP status. Any status is an answer and closes the breaker. After breakerOpen it allows one exchange
// as a probe. The scheduler's mutex guards it.
type breaker struct {
	failures  int // consecutive exchanges without an answer
	openUntil time.Time
	probing   bool // the probe is in flight
}

// allow reports whether an exchange may begin, and if not, after what time to ask again.
func (b *breaker) allow(now time.Time) (wait time.Duration, ok bool) {
	switch {
	case b.openUntil.IsZero():
		return 0, true
	case now.Before(b.openUntil):
		return b.openUntil.Sub(now), false
	case b.probing:
		return breakerProbe, false
	}
	b.probing = true
	return 0, true
}

// shut reports whether no exchange would be allowed.
func (b *breaker) shut(now time.Time) bool {
	return !b.openUntil.IsZero() && (now.Before(b.openUntil) || b.probing)
}

// answered records an HTTP status.
func (b *breaker) answered() { *b = breaker{} }

// unanswered records an exchange without a status, and reports whether that opened the breaker. Exchanges that began
// before it opened may end while it is open; they don't extend the time.
func (b *breaker) unanswered(now time.Time) (opened bool) {
	b.failures++
	if b.failures < breakerTrips || now.Before(b.openUntil) {
		return false
	}
	b.probing = false
	b.openUntil = now.Add(breakerOpen)
	return true
}

// abandoned records an exchange that the hub ended, which says nothing about the host.
func (b *breaker) abandoned() { b.probing = false }
