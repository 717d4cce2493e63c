package hub

import (
	"context"
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
	// connectTimeout is the time for a connection, and for the TLS handshake on it. It ends
	// connections whose exchange was cancelled.
	connectTimeout  = 10 * time.Second
	idleTimeout     = 90 * time.Second // keeps connections for the next change
	maxIdle         = 1024             // of connections: many callbacks must not hold all file descriptors
	maxAnswerHeader = 64 << 10         // ends answers whose header doesn't end
	// maxAnswer is how much of an answer's body is read. It ends answers that don't end;
	// after a shorter one the connection can be reused.
	maxAnswer = 64 << 10
)

var errPort = errors.New("prohibited port: callbacks may use 443, 8443 and ports from 1024 up")

// guard decides which addresses may be dialled: public ones, on ports where no mail server or other service could take
// a request for its own protocol. It checks the address that is about to be dialled, after names have been resolved, so
// that a name server can't return one address for the check and another for the connection.
type guard struct{ addresses *ssrf.Guardian }

// newGuard passes all prefixes as those of both versions: none contains an address of the other version.
func newGuard(allow []netip.Prefix) *guard {
	return &guard{ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(allow...), ssrf.WithAllowedV6Prefixes(allow...))}
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

func allowedPort(port uint16) bool { return port == 443 || port == 8443 || port >= 1024 }

// sendBuffer is the size of the kernel's send buffer of a connection. Without it, each slow reader of a large topic
// would hold megabytes. It limits the rate of one delivery to sendBuffer per round trip.
const sendBuffer = 128 << 10

// guardedDialer returns the function that opens connections to callbacks.
func guardedDialer(g *guard) func(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: g.control}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
			_ = tcp.SetWriteBuffer(sendBuffer) // the default works, too
		}
		return conn, err
	}
}

// newClient returns the client for deliveries, or the one for verifications, which uses each
// connection once: on a reused connection net/http repeats a GET that isn't answered, and a
// challenge would be sent twice and counted as one attempt.
func newClient(c Config, once bool) *http.Client {
	t := &http.Transport{
		Proxy:                  nil, // a proxy from the environment would dial without the guard
		DialContext:            c.Dial,
		TLSHandshakeTimeout:    connectTimeout,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(maxIdle)},
		DisableCompression:     true, // a challenge is compared as it was sent
		DisableKeepAlives:      once,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    c.PerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxAnswerHeader,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	return &http.Client{
		Transport: t,
		// A redirect is an answer that isn't 2xx, and its target is untrusted.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
