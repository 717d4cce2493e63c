package edge

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// maxClients is how many addresses a table of rates knows. It stops whoever comes
// from many addresses from filling memory; a client that is forgotten because of
// them begins with a full allowance again.
const maxClients = 100_000

// burst is how many seconds' worth of requests may come at once.
const burst = 10

// limit refuses requests of clients that come faster than so many a second. Zero
// or less is no limit.
func (e *edge) limit(perSecond float64) func(handler) handler {
	if perSecond <= 0 {
		return func(h handler) handler { return h }
	}
	t := newRates(perSecond)
	return func(h handler) handler {
		return func(w http.ResponseWriter, r *http.Request, s *snapshot.Snapshot) error {
			if wait := t.take(e.client(r), time.Now()); wait > 0 {
				return &failure{retryAfter: wait, ErrorBody: reviewcast.NewError(http.StatusTooManyRequests,
					"Too many requests from this address. Retry-After says when to go on.")}
			}
			return h(w, r, s)
		}
	}
}

// Limiter is limit for a handler that isn't ours, such as the hub's: it tells how
// long the client of a request has to wait, 0 for not at all. It is nil when there
// is no limit. trusted is as in Config.TrustedProxies.
func Limiter(perSecond float64, trusted []netip.Prefix) func(*http.Request) time.Duration {
	if perSecond <= 0 {
		return nil
	}
	e := &edge{Config: Config{TrustedProxies: trusted}}
	t := newRates(perSecond)
	return func(r *http.Request) time.Duration { return t.take(e.client(r), time.Now()) }
}

// rates is a table of clients. When half of maxClients are in the young map it
// becomes the old one, and what nobody asked for since is gone: within a factor
// of two the least recently used go first, at the price of two maps and no list.
type rates struct {
	perSecond rate.Limit
	burst     int

	mu         sync.Mutex
	young, old map[netip.Prefix]*rate.Limiter
}

func newRates(perSecond float64) *rates {
	return &rates{perSecond: rate.Limit(perSecond), burst: max(1, int(burst*perSecond)), young: map[netip.Prefix]*rate.Limiter{}}
}

// take lets a request of a client pass, or tells how long to wait.
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

// network is what counts as one client: an IPv4 address, or the /64 that an IPv6
// subscriber has all to himself.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address at all, as on a Unix socket: one client
	}
	return p
}
