package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddr returns a function that returns the address of a request's client, for
// handlers outside this package. trusted is as in [Config].TrustedProxies.
func ClientAddr(trusted []netip.Prefix) func(*http.Request) string {
	e := &edge{Config: Config{TrustedProxies: trusted}}
	return func(r *http.Request) string { return network(e.client(r)).String() }
}

// client returns the address of the client: the peer's or, if the peer is a trusted
// proxy, the rightmost address in X-Forwarded-For that is not a trusted proxy. The
// client may have forged everything to the left of it.
func (e *edge) client(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := normalAddr(peer.Addr())
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
				return client // a trusted proxy recorded something that is not an address
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
