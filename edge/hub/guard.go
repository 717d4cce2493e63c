package hub

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// connectTimeout is the time for a connection, and for TLS on it. Silence ends a
	// delivery later; this ends connections that nobody waits for any more.
	connectTimeout = 10 * time.Second
	// idleTimeout keeps connections for the next change.
	idleTimeout = 90 * time.Second
	// maxIdle is how many connections wait. It stops many callbacks from holding
	// all file descriptors.
	maxIdle = 1024
	// maxAnswerHeader stops answers whose header never ends.
	maxAnswerHeader = 64 << 10
	// maxAnswer is how much of an answer's body is read. It stops answers that never
	// end; what is shorter leaves its connection fit for the next exchange.
	maxAnswer = 64 << 10
)

var errPort = errors.New("prohibited port: callbacks are reached on 443, 8443 and from 1024 up")

// guard decides which addresses callbacks may be reached at: public ones, on ports
// where no mail server or database takes a request for its own protocol. It is
// asked with the address that is about to be dialled, after every name has been
// resolved, so that no name service can show it one address and the dialler
// another.
type guard struct{ addresses *ssrf.Guardian }

func newGuard(allow []netip.Prefix) *guard {
	var v4, v6 []netip.Prefix
	for _, p := range allow {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return &guard{ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))}
}

// control is a net.Dialer's Control.
func (g *guard) control(network, address string, c syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("dial %q: %w", address, err)
	}
	if !allowedPort(at.Port()) {
		return fmt.Errorf("dial port %d: %w", at.Port(), errPort)
	}
	return g.addresses.Safe(network, address, c)
}

// literal checks a host that is an address itself; others can't be told before
// they are dialled.
func (g *guard) literal(host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		return g.addresses.SafeAddr(a.WithZone(""))
	}
	return nil
}

func allowedPort(port uint16) bool { return port == 443 || port == 8443 || port >= 1024 }

// newClient makes the client of deliveries; that of handshakes is made from it.
func newClient(g *guard, c Config) *http.Client {
	dial := c.dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: connectTimeout, Control: g.control}).DialContext
	}
	t := &http.Transport{
		Proxy:                  nil, // the environment's would dial in our stead, unguarded
		DialContext:            dial,
		TLSHandshakeTimeout:    connectTimeout,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(maxIdle)},
		DisableCompression:     true, // a challenge is compared as it was sent
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    c.PerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxAnswerHeader,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return &http.Client{
		Transport: t,
		// A redirect is an answer that isn't 2xx, and leads who knows where.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// onceClient is a client whose connections serve one request each. On one that was
// used before, net/http repeats a GET that nobody has answered: a challenge would be
// sent twice, and not count as the tries that they are.
func onceClient(c *http.Client) *http.Client {
	once := *c
	t := c.Transport.(*http.Transport).Clone()
	t.DisableKeepAlives = true
	once.Transport = t
	return &once
}
