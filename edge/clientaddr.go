package edge

import (
	"cmp"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// ProxySecretHeader carries [Proxies].Secret.
const ProxySecretHeader = "Reviewcast-Proxy-Secret"

// Proxies says which proxies are believed about a client's address. The zero value believes none.
type Proxies struct {
	// Trusted are the networks of the proxies.
	Trusted []netip.Prefix
	// Secret is a value that only the proxy can set in [ProxySecretHeader]. Empty believes no such header.
	Secret string
	// Header is the field with the client's address. Empty means X-Forwarded-For.
	Header string
}

// Client returns the address of the client: the peer's or, if that is a trusted proxy, the
// rightmost address in the header that isn't one. A client may forge everything to the left of it.
func (p *Proxies) Client(r *http.Request) netip.Addr {
	var client netip.Addr
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		client = normalAddr(peer.Addr())
	}
	secret := []byte(r.Header.Get(ProxySecretHeader))
	believed := p.trusts(client) || p.Secret != "" && subtle.ConstantTimeCompare(secret, []byte(p.Secret)) == 1
	if !believed {
		return client
	}
	for _, line := range slices.Backward(r.Header[http.CanonicalHeaderKey(cmp.Or(p.Header, "X-Forwarded-For"))]) {
		hops := strings.Split(line, ",")
		for _, hop := range slices.Backward(hops) {
			if !believed && !p.trusts(client) {
				return client
			}
			addr, ok := parseHop(strings.TrimSpace(hop))
			if !ok {
				return client // a trusted proxy recorded something that is not an address
			}
			client, believed = addr, false
		}
	}
	return client
}

// Network returns what counts as one client as text: see network.
func (p *Proxies) Network(r *http.Request) string { return network(p.Client(r)).String() }

// Limiter returns a rate limiter for a handler outside this package: how long a client has to wait,
// or 0. It is nil without a limit.
func (p *Proxies) Limiter(perSecond float64) func(*http.Request) time.Duration {
	if perSecond <= 0 {
		return nil
	}
	t := newRates(perSecond)
	return func(r *http.Request) time.Duration { return t.take(p.Client(r), time.Now()) }
}

func (p *Proxies) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHop parses an address with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return normalAddr(a), true
	}
	ap, err := netip.ParseAddrPort(s)
	return normalAddr(ap.Addr()), err == nil
}

// normalAddr gives an address one form: without zone, and IPv4 not mapped to IPv6.
func normalAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
