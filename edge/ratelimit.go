package edge

import (
	"cmp"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"reviewcast"
)

// maxClients is the most addresses in a rate table. An evicted client starts again with a full allowance.
const maxClients = 100_000

const burst = 10 // the number of seconds whose requests may come at once

// One unit of a rate is a request, or a millisecond of computing time (see [snapshot.Snapshot.Cost] and bytesPerUnit).
const (
	shareOfCores = 500 // what the costly requests of all clients together may take, in units per second and core
	burstOfAll   = 2   // the number of seconds whose share may be taken at once
)

// allow counts a request against the rate of its client address. The error refuses it.
func (e *edge) allow(t *rates, r *http.Request) error {
	wait := t.take(e.Proxies.Client(r), unlimited, 1, time.Now())
	return tooMany(wait, "Too many requests from this address. Retry-After says when to continue.")
}

// charge takes what a request costs beside itself from its client's rate and from the share of all clients.
func (e *edge) charge(t *rates, r *http.Request, cost int) (wait time.Duration) {
	if cost <= 0 {
		return 0
	}
	return t.take(e.Proxies.Client(r), e.all, cost, time.Now())
}

// admit charges for a search, or for the bytes of a large file.
func (e *edge) admit(r *http.Request, cost int) error {
	return tooMany(e.charge(e.searches, r, cost), "Too many costly requests: a common phrase in many reviews takes long to count, "+
		"and all reviews take long to send. Retry-After says when to continue; other requests are not affected.")
}

// tooMany is the error for a client that has to wait; nil for one that hasn't.
func tooMany(wait time.Duration, detail string) error {
	if wait <= 0 {
		return nil
	}
	return &failure{retryAfter: wait, ErrorBody: reviewcast.NewError(http.StatusTooManyRequests, detail)}
}

// rates is a table of rate limiters by client. When the young map holds half of maxClients it
// becomes the old map, and the old one is dropped: about least recently used.
type rates struct {
	perSecond rate.Limit
	burst     int

	mu         sync.Mutex
	young, old map[netip.Prefix]*rate.Limiter
}

// newRates returns nil for no limit.
func newRates(perSecond float64) *rates {
	if perSecond <= 0 {
		return nil
	}
	return &rates{perSecond: rate.Limit(perSecond), burst: max(1, int(burst*perSecond)), young: map[netip.Prefix]*rate.Limiter{}}
}

var unlimited = rate.NewLimiter(rate.Inf, 0)

// take takes units from the limiter of a client and from one that all share, or from neither: a client that the first
// refuses must not use up the second. It returns how long the client has to wait, or 0. Nil means no limit.
func (t *rates) take(client netip.Addr, shared *rate.Limiter, units int, now time.Time) (wait time.Duration) {
	if t == nil {
		return 0
	}
	l := t.limiter(network(client))
	own := l.ReserveN(now, min(units, l.Burst()))
	if wait = own.DelayFrom(now); wait > 0 {
		own.CancelAt(now)
		return wait
	}
	all := shared.ReserveN(now, min(units, shared.Burst()))
	if wait = all.DelayFrom(now); wait > 0 {
		all.CancelAt(now)
		own.CancelAt(now)
	}
	return wait
}

func (t *rates) limiter(key netip.Prefix) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.young[key]; ok {
		return l
	}
	l := cmp.Or(t.old[key], rate.NewLimiter(t.perSecond, t.burst))
	if len(t.young) >= maxClients/2 {
		t.old, t.young = t.young, make(map[netip.Prefix]*rate.Limiter)
	}
	t.young[key] = l
	return l
}

// network is what counts as one client: an IPv4 address, or the /64 network of an IPv6 address.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero prefix without an address, as on a Unix socket: all count as one client
	return p
}

// ProxySecretHeader carries [Proxies].Secret.
const ProxySecretHeader = "Reviewcast-Proxy-Secret"

// Proxies says which proxies are believed about a client's address. The zero value believes none.
type Proxies struct {
	Trusted []netip.Prefix // the networks of the proxies
	Secret  string         // a value that only the proxy can set in [ProxySecretHeader]; empty believes no such header
	Header  string         // the field with the client's address; empty means X-Forwarded-For
}

// Client returns the address of the client: the peer's or, if that is a trusted proxy, the
// rightmost address in the header that isn't one. A client may forge everything to the left of it.
func (p *Proxies) Client(r *http.Request) netip.Addr {
	client, _ := parseHop(r.RemoteAddr) // the zero address on a Unix socket
	secret := []byte(r.Header.Get(ProxySecretHeader))
	believed := p.trusts(client) || p.Secret != "" && subtle.ConstantTimeCompare(secret, []byte(p.Secret)) == 1
	if !believed {
		return client
	}
	lines := r.Header.Values(cmp.Or(p.Header, "X-Forwarded-For"))
	for _, hop := range slices.Backward(strings.Split(strings.Join(lines, ","), ",")) {
		addr, ok := parseHop(strings.TrimSpace(hop))
		if !believed || !ok { // a trusted proxy may record something that is not an address, or nothing
			return client
		}
		client, believed = addr, p.trusts(addr)
	}
	return client
}

// Network returns what counts as one client as text: see network.
func (p *Proxies) Network(r *http.Request) string { return network(p.Client(r)).String() }

// Limiter returns a rate limiter for a handler outside this package: how long a client has to wait,
// or 0. A rate of zero means no limit.
func (p *Proxies) Limiter(perSecond float64) func(*http.Request) time.Duration {
	t := newRates(perSecond)
	return func(r *http.Request) time.Duration { return t.take(p.Client(r), unlimited, 1, time.Now()) }
}

func (p *Proxies) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHop parses an address with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return normalAddr(ap.Addr()), true
	}
	a, err := netip.ParseAddr(strings.Trim(s, "[]"))
	return normalAddr(a), err == nil
}

// normalAddr gives an address one form: without zone, and IPv4 not mapped to IPv6.
func normalAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
