package hub

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	// outageEndpoints is the number of endpoints that must leave deliveries unanswered, with
	// no answer from any other, before an outage of our network is assumed without a check.
	outageEndpoints = 10
	// judgeWait is how long an unanswered delivery waits for those of other endpoints, or an
	// answer, before it is a failure.
	judgeWait = 3 * time.Second
	// maxCanaries is the number of endpoints that are remembered because they answered last,
	// and canaries the number that a check dials.
	maxCanaries = 16
	canaries    = 3
	// checkTimeout is the time for the connections of a check, and checkFor how long its
	// result holds.
	checkTimeout = 3 * time.Second
	checkFor     = time.Second
	// probeEvery is how often the network is checked, and one delivery is attempted, during
	// an outage. postponeFor is the wait of the others.
	probeEvery  = 5 * time.Second
	postponeFor = 10 * time.Second
	// localWait is the wait after an error of this machine.
	localWait = 30 * time.Second
)

var (
	errOutage = errors.New("the hub's network is down")
	errLocal  = errors.New("the hub could not call")
)

// network decides whether unanswered exchanges are failures of subscribers or an outage
// of our own network, which is nobody's failure.
//
// A delivery without an answer is a failure if any exchange was answered since it began,
// unless it began during an outage.
// Otherwise the network is checked: connections to endpoints that answered last. If none
// of them can be connected to, or, while too few are known, if deliveries to
// outageEndpoints endpoints were not answered, the network is down: deliveries and
// verifications are postponed, without counting as attempts, until an exchange is
// answered or a check succeeds.
type network struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	log  *slog.Logger

	mu         sync.Mutex
	answeredAt time.Time
	upAt       time.Time       // the end of the last outage
	recent     []string        // endpoints that answered deliveries, the last at the end
	unanswered map[string]bool // endpoints of deliveries without an answer since answeredAt
	down       bool
	nextProbe  time.Time     // when a delivery may be attempted although the network is down
	changed    chan struct{} // closed at the next answer or outage

	checking  chan struct{} // holds a value during a check
	checkedAt time.Time
	checkOK   bool
}

func newNetwork(dial func(ctx context.Context, network, address string) (net.Conn, error), log *slog.Logger) *network {
	return &network{dial: dial, log: log, unanswered: map[string]bool{}, changed: make(chan struct{}), checking: make(chan struct{}, 1)}
}

// answered records an answer. Endpoint is empty for exchanges that anybody can cause.
func (n *network) answered(endpoint string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if endpoint != "" && (len(n.recent) == 0 || n.recent[len(n.recent)-1] != endpoint) {
		n.recent = append(slices.DeleteFunc(n.recent, func(e string) bool { return e == endpoint }), endpoint)
		n.recent = n.recent[max(0, len(n.recent)-maxCanaries):]
	}
	n.up()
}

// up ends an outage. The caller holds mu.
func (n *network) up() {
	n.answeredAt = time.Now()
	if n.down {
		n.log.Info("the network of the hub works again")
		n.upAt = n.answeredAt
	}
	if n.down || len(n.unanswered) > 0 {
		n.down = false
		clear(n.unanswered)
		n.notify()
	}
}

// notify wakes waiting calls of judge. The caller holds mu.
func (n *network) notify() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// isDown reports whether there is an outage.
func (n *network) isDown() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

// allow reports whether a delivery may be attempted: always, except during an outage,
// when one may every probeEvery.
func (n *network) allow(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.down {
		return true
	}
	if now.Before(n.nextProbe) {
		return false
	}
	n.nextProbe = now.Add(probeEvery)
	return true
}

// judgeDelivery reports whether an unanswered delivery is due to an outage. Endpoints is
// the number of endpoints with work.
func (n *network) judgeDelivery(ctx context.Context, endpoint string, began time.Time, endpoints int) (outage bool) {
	if outage, known := n.judge(ctx, endpoint, began); known || endpoints < outageEndpoints {
		return outage
	}
	timer := time.NewTimer(judgeWait)
	defer timer.Stop()
	n.mu.Lock()
	n.unanswered[endpoint] = true
	if len(n.unanswered) >= outageEndpoints {
		n.setDown("deliveries to many endpoints were not answered")
	}
	for !n.down && n.unanswered[endpoint] {
		changed := n.changed
		n.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		}
		n.mu.Lock()
	}
	defer n.mu.Unlock()
	return n.down
}

// judge reports whether an unanswered exchange is due to an outage, if that is known.
func (n *network) judge(ctx context.Context, endpoint string, began time.Time) (outage, known bool) {
	n.mu.Lock()
	if n.down || began.Before(n.upAt) || n.answeredAt.After(began) {
		defer n.mu.Unlock()
		return n.down || began.Before(n.upAt), true
	}
	n.mu.Unlock()
	ok, known := n.check(ctx, endpoint)
	if !known || ok {
		return false, known
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.setDown("endpoints that answered last can't be connected to")
	return true, true
}

// setDown begins an outage. The caller holds mu.
func (n *network) setDown(why string) {
	if n.down {
		return
	}
	n.down, n.nextProbe = true, time.Now().Add(probeEvery)
	n.log.Warn("the network of the hub is down: deliveries are postponed", "error", why)
	n.notify()
}

// check reports whether any of the endpoints that answered last, other than except, can
// be connected to. It isn't known while there are too few.
func (n *network) check(ctx context.Context, except string) (ok, known bool) {
	n.checking <- struct{}{}
	defer func() { <-n.checking }()
	n.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(n.recent), func(e string) bool { return e == except })
	n.mu.Unlock()
	if len(list) < canaries {
		return false, false
	}
	if time.Since(n.checkedAt) < checkFor {
		return n.checkOK, true
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	results := make(chan error, canaries)
	for _, endpoint := range list[len(list)-canaries:] {
		go func() {
			conn, err := n.dial(ctx, "tcp", endpoint)
			if err == nil {
				err = conn.Close()
			}
			results <- err
		}()
	}
	for range canaries {
		ok = <-results == nil || ok
		if ok {
			break
		}
	}
	n.checkedAt, n.checkOK = time.Now(), ok
	return ok, true
}

// networkLoop checks the network during an outage until ctx is done.
func (h *Hub) networkLoop(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !h.network.isDown() {
			continue
		}
		if ok, _ := h.network.check(ctx, ""); ok {
			h.network.answered("")
		}
		signal(h.wakeDeliver)
		signal(h.wakeVerify)
	}
}

// isLocal reports whether an exchange failed on this machine: no route, no descriptors or
// ports, or a name server that doesn't answer. It says nothing about the subscriber.
func isLocal(err error) bool {
	for _, local := range []error{
		syscall.ENETUNREACH, syscall.ENETDOWN, syscall.EHOSTUNREACH,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL,
	} {
		if errors.Is(err, local) {
			return true
		}
	}
	var lookup *net.DNSError
	return errors.As(err, &lookup) && !lookup.IsNotFound
}
