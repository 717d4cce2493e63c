package hub

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// maxRecent is the number of endpoints that are remembered because they answered last,
	// and maxWitnesses the number that a check dials.
	maxRecent    = 16
	maxWitnesses = 3
	// checkTimeout is the time for the connections of a check, and checkFor how long its result holds.
	checkTimeout = 3 * time.Second
	checkFor     = time.Second
	// probeEvery is how often the network is checked, and one delivery is attempted, during
	// an outage. postponeFor is the wait of the others.
	probeEvery  = 5 * time.Second
	postponeFor = 10 * time.Second
	localWait   = 30 * time.Second // the wait after an error of this machine
)

var (
	errOutage = errors.New("the hub's network is down")
	errLocal  = errors.New("the hub could not call")
)

// network decides whether unanswered exchanges are failures of subscribers or an outage
// of our own network, which is nobody's failure.
//
// An exchange without an answer is a failure if any exchange was answered since it began, unless it began during an
// outage. Otherwise the network is checked: connections to witnesses, the other endpoints that answered last. If none
// of them can be connected to, the network is down: deliveries and verifications are postponed, without counting as
// attempts, until an exchange is answered or a witness can be connected to. An endpoint with a failure is no witness:
// otherwise two endpoints that are gone would look like an outage. If no other endpoint has answered, the witness is
// the site's own address, provided that it could be connected to when the hub started. It comes last: it may be this
// machine, which says nothing about the network. Without a witness the exchange is a failure.
type network struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	log  *slog.Logger

	mu          sync.Mutex
	answeredAt  time.Time
	upAt        time.Time // the end of the last outage
	recent      []string  // endpoints that have answered, the last at the end
	site        []string  // the endpoint of the site, if it could be connected to
	down        bool
	unreachable []string // the witnesses that couldn't be connected to when it went down

	// When the next delivery and the next verification may be attempted although the network is down.
	nextDelivery, nextVerification time.Time

	checking  chan struct{} // holds a value during a check
	checkedAt time.Time
	checkOK   bool
}

// remember adds endpoints that answered before this hub began, the last first.
func (n *network) remember(endpoints []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range endpoints {
		if len(n.recent) < maxRecent && !slices.Contains(n.recent, e) {
			n.recent = slices.Insert(n.recent, 0, e)
		}
	}
}

// answered records an answer, and the end of an outage. Endpoint is empty for exchanges that anybody can cause.
func (n *network) answered(endpoint string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answeredAt = time.Now()
	if last := len(n.recent) - 1; endpoint != "" && (last < 0 || n.recent[last] != endpoint) {
		n.forget(endpoint)
		n.recent = append(n.recent, endpoint)
		n.recent = n.recent[max(0, len(n.recent)-maxRecent):]
	}
	if n.down {
		n.down, n.upAt = false, n.answeredAt
		n.log.Info("the network of the hub works again")
	}
}

// forget removes an endpoint. The caller holds mu.
func (n *network) forget(endpoint string) {
	n.recent = slices.DeleteFunc(n.recent, func(e string) bool { return e == endpoint })
}

func (n *network) isDown() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

// allow reports whether an exchange may be attempted: always, except during an outage, when one may every probeEvery.
// Next is nextDelivery or nextVerification: endpoints that have answered may be gone for good, so both are attempted.
func (n *network) allow(now time.Time, next *time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.down {
		return true
	}
	if now.Before(*next) {
		return false
	}
	*next = now.Add(probeEvery)
	return true
}

// isOutage reports whether an exchange without an answer is due to an outage.
func (n *network) isOutage(ctx context.Context, endpoint string, began time.Time) bool {
	n.mu.Lock()
	outage := n.down || began.Before(n.upAt)
	works := outage || n.answeredAt.After(began)
	witnesses := n.witnesses(endpoint)
	n.mu.Unlock()
	works = works || n.check(ctx, witnesses)
	n.mu.Lock()
	defer n.mu.Unlock()
	if works {
		if !outage {
			n.forget(endpoint)
		}
		return outage
	}
	if !n.down {
		n.down, n.unreachable, n.nextDelivery = true, witnesses, time.Now().Add(probeEvery)
		n.log.Warn("the network of the hub is down: deliveries are postponed", "error", "no connection to "+strings.Join(witnesses, ", "))
	}
	return true
}

// witnesses returns the endpoints that show whether the network works when another one
// doesn't answer. The caller holds mu.
func (n *network) witnesses(except string) []string {
	list := slices.DeleteFunc(slices.Clone(n.recent), func(e string) bool { return e == except })
	if len(list) == 0 {
		return n.site
	}
	return list[max(0, len(list)-maxWitnesses):]
}

// check reports whether any of the witnesses can be connected to, or there is none.
func (n *network) check(ctx context.Context, witnesses []string) bool {
	n.checking <- struct{}{}
	defer func() { <-n.checking }()
	if len(witnesses) > 0 && time.Since(n.checkedAt) >= checkFor {
		n.checkOK = n.connect(ctx, witnesses)
		n.checkedAt = time.Now()
	}
	return len(witnesses) == 0 || n.checkOK
}

// connect reports whether any of the endpoints can be connected to.
func (n *network) connect(ctx context.Context, endpoints []string) bool {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var dials sync.WaitGroup
	var connected atomic.Int32
	for _, endpoint := range endpoints {
		dials.Go(func() {
			if conn, err := n.dial(ctx, "tcp", endpoint); err == nil && conn.Close() == nil {
				connected.Add(1)
			}
		})
	}
	dials.Wait()
	return connected.Load() > 0
}

// networkLoop checks the network during an outage until ctx is done.
func (h *Hub) networkLoop(ctx context.Context) {
	site, _ := url.Parse(h.BaseURL) // a base URL is valid
	if endpoint, _ := store.Endpoint(site); h.network.connect(ctx, []string{endpoint}) {
		h.network.mu.Lock()
		h.network.site = []string{endpoint}
		h.network.mu.Unlock()
	}
	every(ctx, probeEvery, func(ctx context.Context) {
		h.network.mu.Lock()
		down, lost := h.network.down, h.network.unreachable
		h.network.mu.Unlock()
		if !down {
			return
		}
		if h.network.check(ctx, lost) {
			h.network.answered("")
		}
		signal(h.wakeDeliver)
		signal(h.wakeVerify)
	})
}

// isLocal reports whether an exchange failed on this machine: no route, no descriptors or
// ports, or a name server that doesn't answer. It says nothing about the subscriber.
func isLocal(err error) bool {
	machine := slices.ContainsFunc([]error{
		syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL,
	}, func(local error) bool { return errors.Is(err, local) })
	cert, invalid := errors.AsType[x509.CertificateInvalidError](err)
	clock := invalid && cert.Reason == x509.Expired && time.Now().Before(cert.Cert.NotBefore) // ours may be behind
	lookup, unknown := errors.AsType[*net.DNSError](err)
	return machine || clock || unknown && !lookup.IsNotFound
}

const (
	breakerTrips = 20               // how many consecutive exchanges without an HTTP answer open a breaker
	breakerOpen  = 30 * time.Second // for how long it stays open
	breakerProbe = 2 * time.Second  // for how long other deliveries are postponed while a probe is in flight
)

// breaker keeps a host:port that doesn't answer from using up attempts and slots. It counts consecutive exchanges that
// end without an HTTP status. Any status is an answer and closes the breaker. After breakerOpen it allows one exchange
// as a probe. The scheduler's mutex guards it.
type breaker struct {
	failures  int // consecutive exchanges without an answer
	openUntil time.Time
	probing   bool // the probe is in flight
}

// wait returns after what time to ask again whether an exchange may begin, 0 if one may.
func (b *breaker) wait(now time.Time) time.Duration {
	if b.probing {
		return breakerProbe
	}
	return max(0, b.openUntil.Sub(now))
}

// unanswered records an exchange without a status, and reports whether that opened the breaker. Exchanges that began
// before it opened may end while it is open; they don't extend the time.
func (b *breaker) unanswered(now time.Time) (opened bool) {
	b.failures++
	if b.failures < breakerTrips || now.Before(b.openUntil) {
		return false
	}
	b.probing, b.openUntil = false, now.Add(breakerOpen)
	return true
}
