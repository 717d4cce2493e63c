package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client is the address that a request comes from: the peer's, or, when that is a
// trusted proxy, the rightmost address in X-Forwarded-For that isn't one. What
// stands further left was written by the client and may be anything.
func (e *edge) client(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := plain(peer.Addr())
	if len(e.TrustedProxies) == 0 {
		return client
	}
	lines := r.Header["X-Forwarded-For"]
	for _, line := range slices.Backward(lines) {
		hops := strings.Split(line, ",")
		for _, hop := range slices.Backward(hops) {
			if !e.trusts(client) {
				return client
			}
			addr, ok := parseHop(strings.TrimSpace(hop))
			if !ok {
				return client // a proxy that we trust has seen nothing that is an address
			}
			client = addr
		}
	}
	return client
}

// Client returns a function that finds the address that a request comes from, for
// handlers outside of this package. Trusted is as in Config.TrustedProxies.
func Client(trusted []netip.Prefix) func(*http.Request) netip.Addr {
	return (&edge{Config: Config{TrustedProxies: trusted}}).client
}

func (e *edge) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(e.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// parseHop reads an address, with or without a port.
func parseHop(s string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return plain(a), true
	}
	ap, err := netip.ParseAddrPort(s)
	return plain(ap.Addr()), err == nil
}

// plain drops what makes one address look like two: a zone, and IPv4 written as
// IPv6.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
