package hub

import "time"

const (
	// breakerTrips is how many exchanges in a row without an HTTP answer open a
	// breaker.
	breakerTrips = 20
	// breakerOpen is for how long.
	breakerOpen = 30 * time.Second
	// breakerProbe is how long those wait at least who come beside the one exchange
	// that is let through. Should it not be answered, nobody of its host is claimed.
	breakerProbe = 2 * time.Second
)

// breaker keeps a host:port that doesn't answer from using up attempts and slots.
// It counts exchanges that end without an HTTP status, in a row; any status,
// however bad, is an answer and closes it. After breakerOpen one exchange is let
// through to see. It is guarded by the mutex of the lanes.
type breaker struct {
	silent    int // exchanges without an answer, in a row
	openUntil time.Time
	probing   bool // the one exchange after openUntil is under way
}

// allow tells whether an exchange may begin, and if not, when to ask again.
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

// shut tells whether nothing would be let through.
func (b *breaker) shut(now time.Time) bool {
	return !b.openUntil.IsZero() && (now.Before(b.openUntil) || b.probing)
}

// answered notes an HTTP status.
func (b *breaker) answered() { *b = breaker{} }

// unanswered notes an exchange without one; it tells whether that opened the
// breaker. Exchanges that began before it opened may end while it is open, and
// don't open it any longer.
func (b *breaker) unanswered(now time.Time) (opened bool) {
	b.silent++
	if b.silent < breakerTrips || now.Before(b.openUntil) {
		return false
	}
	b.probing = false
	b.openUntil = now.Add(breakerOpen)
	return true
}

// abandoned notes an exchange that told nothing, as when the hub stops.
func (b *breaker) abandoned() { b.probing = false }
