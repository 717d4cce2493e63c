// Package hub is a WebSub hub (W3C Recommendation of 23 January 2018) for the
// topics of one published directory: it takes subscriptions, verifies them, and
// pushes every change to every subscriber. New makes it; it is the http.Handler
// of reviewcast.PathHub, and Run does the work behind it.
//
// # A subscription's life
//
// A subscription is a callback and a topic. What is in the store is all that
// there is; reviewcast/edge/hub/store has the tables.
//
//	none      subscribe asked    -> a handshake is noted, then 202
//	handshake challenge echoed   -> active: a row in subscriptions
//	handshake any other answer   -> the handshake goes; a subscription that was there stays as it was
//	handshake no answer          -> asked again, three times in all, then as any other answer
//	handshake newer request      -> replaced; the challenge echoed to the old one counts until the newer is settled
//	active    subscribe verified -> active, with the new lease and secret
//	active    unsubscribe verified -> none
//	active    delivery: 2xx      -> active, failures 0
//	active    delivery: 410      -> none
//	active    delivery: other    -> active, failures + 1, waiting 30 s, then 1 h
//	active    third failure in a row -> none, and a handshake that says hub.mode=denied
//	active    lease ends         -> none, without a word
//
// A new subscription is not sent what is there already; it is sent every change
// from the request on, even one that comes before it is verified. Renewing changes
// the lease and the secret, and nothing else: not what is still to be delivered,
// nor a wait, nor the count of failures.
//
// # Why nothing is lost
//
// Publishing writes one row: the topic's new version, hash and sequence. Whoever
// has been delivered a lower version is due, by a query; there is no queue. A
// claim keeps two workers or two hubs from delivering the same, and lapses when
// its owner is dead. The cases of a kill:
//
//   - before a request is noted: there was no 202, and the subscriber asks again;
//   - during a handshake: its row stands, the claim lapses, the callback is asked
//     again, with another challenge;
//   - before the topic's row moved: the next start compares the published files
//     with it, as after every reload;
//   - between claim and POST: the claim lapses;
//   - between POST and acknowledgement: the claim lapses, and this subscriber
//     gets the same content twice. It is the only case of that.
//
// An edge whose files are older than the topic's row claims nothing: the claim
// names the hash that it can deliver. It looks for the newer files first.
//
// What was claimed may wait for its turn. Right before it begins, its subscription
// is looked at once more (confirm.go): nothing is sent for one that another hub or
// an operator has removed, nor older content, nor with an older secret.
//
// # Isolation
//
// Deliveries in flight are capped, in all and for each host:port. One that has
// been silent for two seconds, or for much longer than others of its host take,
// leaves these counts for a bounded slow lane, so that subscribers that never
// answer don't use up what the others need. Those that did so the last time, as the
// state knows, begin there; and of the normal slots a quarter is kept from those of
// whom nothing is known yet. So whoever has once been quick waits for no crowd of
// slow ones, old or new.
//
// Twenty exchanges in a row without an HTTP answer open the breaker of a host:port
// for thirty seconds; deliveries to it are postponed meanwhile, not failed. Every
// connection is HTTP/1.1: streams that share a connection would share its stalls.
//
// # Safety
//
// Callbacks are other people's words. All calls go through a client that checks
// each address when it dials it (guard.go), follows no redirect, knows no proxy and
// no cookies, and reads no more than 64 KiB of an answer. Handshakes have one that
// never uses a connection twice.
package hub

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// Defaults of Config, as the contract has them.
const (
	DefaultLease    = 864_000 * time.Second
	DefaultMinLease = 300 * time.Second
	DefaultMaxLease = 2_592_000 * time.Second
	DefaultPerHost  = 64
)

// DefaultRetry are the waits after the first and the second failure in a row. The
// third has none.
var DefaultRetry = [2]time.Duration{30 * time.Second, time.Hour}

// Config says what the hub is for and how far it goes.
type Config struct {
	// BaseURL is the public origin, as reviewcast.ParseBaseURL gives it. Required.
	BaseURL string
	// Store keeps the state. Required; the hub doesn't close it.
	Store store.Store
	// Published gives what is published at the moment, nil for nothing. Required.
	Published func() *Edition
	// Reload looks for newer files at once. It is called at most once a second. Nil:
	// whoever calls Changed finds them in his own time.
	Reload func()
	// Limit tells how long the client of a subscribe or unsubscribe request has to
	// wait, 0 for not at all. Nil: no limit.
	Limit func(*http.Request) time.Duration
	// Retry are the waits after a first and a second failure, each give or take a
	// fifth. Zero: DefaultRetry.
	Retry [2]time.Duration
	// MinLease and MaxLease bound what is granted. Zero: the defaults.
	MinLease, MaxLease time.Duration
	// PerHost is how many deliveries may be in flight to one host:port. Zero:
	// DefaultPerHost.
	PerHost int
	// AllowCIDR opens networks that no callback may be in otherwise.
	AllowCIDR []netip.Prefix
	// RootCAs are who may sign a callback's certificate. Nil: whom the system, or
	// SSL_CERT_FILE, names.
	RootCAs *x509.CertPool
	// Metrics take the hub's numbers. Nil: nobody counts.
	Metrics prometheus.Registerer
	// Logger takes the log. Nil drops it.
	Logger *slog.Logger

	// dial replaces the network, guard included, in tests that need to own time.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// look replaces the constant in tests whose time is hours, fresh in those that
	// want every delivery looked at.
	look, fresh time.Duration
	// part divides the lanes' slots in tests of crowds.
	part int
}

// Edition is a published set of files, as far as the hub cares. It doesn't change.
type Edition struct {
	Sequence int64              // of the manifest
	Topics   map[string]Content // by path, see reviewcast.Topics
}

// Content is a topic's body.
type Content struct {
	Body      []byte
	MediaType string // as it stands in Content-Type
	SHA256    string // hex, of Body
}

// Hub takes requests and does what they ask for.
type Hub struct {
	Config
	owner    string       // of claims
	client   *http.Client // of deliveries
	asker    *http.Client // of handshakes
	guard    *guard
	lanes    *lanes
	metrics  *metrics
	acks     chan store.Outcome
	confirms chan confirmation
	full     atomic.Bool // as of the last count, there are as many subscriptions as there may be

	published  chan struct{} // Changed was called
	reload     chan struct{} // a ping, or another hub is ahead
	deliveries chan struct{} // there may be work for deliver
	handshakes chan struct{} // there may be work for shake
	shaking    sync.WaitGroup
	complaints sync.Mutex
	complained map[string]time.Time // when a complaint was logged last
	told       map[string]int64     // topics whose older content was logged, with its sequence
	behind     map[string]time.Time // topics whose content is older than another hub's, since when
	due        []vein               // where there was work at the last look; nil: look
	dry        map[vein][]string    // of which nothing more is due, but to these endpoints
}

// New makes a hub.
func New(c Config) (*Hub, error) {
	origin, err := reviewcast.ParseBaseURL(c.BaseURL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("make hub: %w", err)
	case c.Store == nil || c.Published == nil:
		return nil, errors.New("make hub: it needs a store and something published")
	}
	c.BaseURL = origin
	if c.Retry == [2]time.Duration{} {
		c.Retry = DefaultRetry
	}
	if c.MinLease == 0 {
		c.MinLease = DefaultMinLease
	}
	if c.MaxLease == 0 {
		c.MaxLease = DefaultMaxLease
	}
	if c.PerHost == 0 {
		c.PerHost = DefaultPerHost
	}
	if c.look == 0 {
		c.look = look
	}
	if c.fresh == 0 {
		c.fresh = fresh
	}
	if c.part == 0 {
		c.part = 1
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.MinLease < time.Second || c.MaxLease < c.MinLease:
		return nil, fmt.Errorf("make hub: leases from %s to %s are no range; the least is a second", c.MinLease, c.MaxLease)
	case c.Retry[0] <= 0 || c.Retry[1] <= 0:
		return nil, fmt.Errorf("make hub: waits of %s and %s before a retry: both must be positive", c.Retry[0], c.Retry[1])
	case c.PerHost < 1:
		return nil, fmt.Errorf("make hub: %d deliveries in flight per host: it must be one at least", c.PerHost)
	}
	h := &Hub{
		Config: c, owner: rand.Text(), guard: newGuard(c.AllowCIDR), metrics: newMetrics(origin),
		acks: make(chan store.Outcome, maxReady), confirms: make(chan confirmation, maxFast),
		published: make(chan struct{}, 1), reload: make(chan struct{}, 1),
		deliveries: make(chan struct{}, 1), handshakes: make(chan struct{}, 1),
		complained: map[string]time.Time{}, told: map[string]int64{}, behind: map[string]time.Time{}, dry: map[vein][]string{},
	}
	h.client = newClient(h.guard, c)
	h.asker = onceClient(h.client)
	h.lanes = newLanes(c.PerHost, c.part, func() { signal(h.deliveries) })
	if c.Metrics != nil {
		if err := h.metrics.register(c.Metrics, h); err != nil {
			return nil, fmt.Errorf("make hub: %w", err)
		}
	}
	return h, nil
}

// Changed tells the hub that Published gives something new. It doesn't wait.
func (h *Hub) Changed() { signal(h.published) }

// signal sets a flag that a loop waits for.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is set already
	}
}

// topic is the URL of a topic's path.
func (h *Hub) topic(path string) string { return h.BaseURL + path }
