package edge

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"reviewcast"
)

// maxClients is the most addresses in a rate table. It stops a client with many
// addresses from filling memory. A client that is evicted starts again with a full
// allowance.
const maxClients = 100_000

// burst is the number of seconds whose requests may come at once.
const burst = 10

// limit refuses the requests of a client address above a rate. Zero or less means no
// limit.
func (e *edge) limit(perSecond float64) func(handler) handler {
	if perSecond <= 0 {
		return func(h handler) handler { return h }
	}
	t := newRates(perSecond)
	return func(h handler) handler {
		return func(w http.ResponseWriter, r *http.Request) error {
			if wait := t.take(e.client(r), time.Now()); wait > 0 {
				return &failure{retryAfter: wait, ErrorBody: reviewcast.NewError(http.StatusTooManyRequests,
					"Too many requests from this address. Retry-After says when to continue.")}
			}
			return h(w, r)
		}
	}
}

// Limiter returns a rate limiter for a handler outside this package, such as the
// hub's. It returns how long the client of a request has to wait, or 0. Without a
// limit Limiter returns nil. trusted is as in [Config].TrustedProxies.
func Limiter(perSecond float64, trusted []netip.Prefix) func(*http.Request) time.Duration {
	if perSecond <= 0 {
		return nil
	}
	e := &edge{Config: Config{TrustedProxies: trusted}}
	t := newRates(perSecond)
	return func(r *http.Request) time.Duration { return t.take(e.client(r), time.Now()) }
}

// rates is a table of rate limiters by client. When the young map holds half of
// maxClients it becomes the old map, and the old one is dropped. This approximates
// least recently used within a factor of two, with two maps and no list.
type rates struct {
	perSecond rate.Limit
	burst     int

	mu         sync.Mutex
	young, old map[netip.Prefix]*rate.Limiter
}

func newRates(perSecond float64) *rates {
	return &rates{perSecond: rate.Limit(perSecond), burst: max(1, int(burst*perSecond)), young: map[netip.Prefix]*rate.Limiter{}}
}

// take counts a request of a client. It returns how long the client has to wait, or
// 0 if the request may proceed.
func (t *rates) take(client netip.Addr, now time.Time) (wait time.Duration) {
	l := t.limiter(network(client))
	reservation := l.ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (t *rates) limiter(key netip.Prefix) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.young[key]; ok {
		return l
	}
	l, ok := t.old[key]
	if !ok {
		l = rate.NewLimiter(t.perSecond, t.burst)
	}
	if len(t.young) >= maxClients/2 {
		t.old, t.young = t.young, make(map[netip.Prefix]*rate.Limiter)
	}
	t.young[key] = l
	return l
}

// network is what counts as one client: an IPv4 address, or the /64 network that one
// IPv6 subscriber has.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address, as on a Unix socket: all count as one client
	}
	return p
}
