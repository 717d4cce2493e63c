package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

// Defaults of requests, and of [Config].
const (
	DefaultLease        = 864_000 * time.Second // the lease of a request that names none, within the bounds of [Config]
	DefaultPollInterval = time.Second           // that of [Config].PollInterval
)

// Config configures [New].
type Config struct {
	// BaseURL is the public origin, as reviewcast.ParseBaseURL returns it. Required.
	BaseURL string
	// Store keeps the state. Required; the hub doesn't close it.
	Store *store.Store
	// Files are those that are published now. Required.
	Files *snapshot.Current[snapshot.Files]
	// Reload asks for newer files and doesn't wait for them. It is called at most once a second: after pings, also of
	// hubs that share the state, with the hashes of the manifests that they have named, which may be none; and with none
	// when another hub has published newer files. Nil: the files are reloaded without the hub.
	Reload func(manifests []string)
	// Client returns the address of the client of a request, which bounds the pending
	// verifications of its network. Required.
	Client func(*http.Request) netip.Addr
	// Limit returns how long the client of a subscribe or unsubscribe request must wait,
	// 0 for not at all. Nil: no limit.
	Limit func(*http.Request) time.Duration
	// Retry are the waits after a first and a second consecutive failure, each ±20 %. The third failure ends the
	// subscription. Required.
	Retry [2]time.Duration
	// MinLease and MaxLease bound the granted lease. Required.
	MinLease, MaxLease time.Duration
	// PerHost is the number of normal slots for deliveries to one host:port. It may have
	// slowPerHost times as many slow slots. Required.
	PerHost int
	// PollInterval is how often the store is asked for work that was not announced (retries, lapsed claims, changes by
	// other hubs), and a heartbeat sent. Where hubs share a state it must be below half of store.OwnerLapse. Zero:
	// DefaultPollInterval.
	PollInterval time.Duration
	// AllowCIDR are networks that callbacks may be in although they aren't public.
	AllowCIDR []netip.Prefix
	// Dial opens the connections to callbacks. Nil: a net.Dialer that checks every address against AllowCIDR. A
	// replacement must refuse private addresses itself, as a gateway for outgoing connections does.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// RootCAs verify the certificates of callbacks. Nil: those of the system, or of SSL_CERT_FILE.
	RootCAs *x509.CertPool
	// Metrics is where the hub's metrics are registered. Required.
	Metrics prometheus.Registerer
	// Logger receives the log. Nil discards it.
	Logger *slog.Logger
}

// Hub accepts requests and delivers changes.
type Hub struct {
	Config
	owner         string       // of claims
	deliverClient *http.Client // keeps connections
	verifyClient  *http.Client // uses each connection once
	guard         *guard
	network       *network
	scheduler     *scheduler
	metrics       *metrics
	outcomes      chan store.Outcome        // to acknowledgeLoop
	confirmedAt   atomic.Pointer[time.Time] // when a verification last changed a subscription
	busy, full    atomic.Bool               // the last count reached maxPending, maxSubscriptions
	exchanges     sync.WaitGroup            // deliveries and verifications in flight

	// Each of these wakes one loop; changed wakes deliverLoop, too, when Files have.
	wakeReload, wakeDeliver, wakeVerify chan struct{}
	changed                             <-chan struct{}

	pings  chan []string         // manifests that pings have announced, to reloadLoop
	health atomic.Pointer[error] // of the last heartbeat, or that it is late
	errors sync.Map              // a *rate.Sometimes for each message, see logError
}

// New returns a hub.
func New(c Config) (*Hub, error) {
	switch {
	case c.MinLease < time.Second || c.MaxLease < c.MinLease:
		return nil, fmt.Errorf("create hub: leases from %s to %s are not a range; the minimum is a second", c.MinLease, c.MaxLease)
	case c.Retry[0] <= 0 || c.Retry[1] <= 0:
		return nil, fmt.Errorf("create hub: waits of %s and %s before a retry: both must be positive", c.Retry[0], c.Retry[1])
	}
	c.PollInterval, c.Logger = cmp.Or(c.PollInterval, DefaultPollInterval), cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	guard := newGuard(c.AllowCIDR)
	if c.Dial == nil {
		c.Dial = guardedDialer(guard)
	}
	h := &Hub{
		Config: c, owner: rand.Text(), guard: guard, metrics: newMetrics(c.BaseURL, c.Metrics),
		deliverClient: newClient(c, false), verifyClient: newClient(c, true),
		network:   &network{dial: c.Dial, log: c.Logger, checking: make(chan struct{}, 1)},
		scheduler: newScheduler(c.PerHost), outcomes: make(chan store.Outcome, maxReady), pings: make(chan []string, maxPings),
		wakeReload: make(chan struct{}, 1), wakeDeliver: make(chan struct{}, 1), wakeVerify: make(chan struct{}, 1),
		changed: c.Files.Changed(),
	}
	c.Metrics.MustRegister(state{h})
	return h, nil
}

// signal sets a flag that a loop waits for.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is set already
	}
}

// What a hub has in flight at once, sized for one process on two cores.
const (
	maxDeliveries = 256 // the number of normal slots for deliveries; it bounds connections and memory
	// maxSlowDeliveries is the number of slow slots for deliveries that are silent. A thousand silent subscribers, one
	// per cent of a hundred thousand, wait there for their 30 seconds. Deliveries that find no slow slot stay in their
	// normal slot.
	maxSlowDeliveries = 1024
	// slowPerHost is how many times more slow slots than normal ones a host may use, so
	// that silent subscribers of one host leave slow slots to those of others.
	slowPerHost  = 4
	queuePerHost = 8 // times PerHost claimed deliveries may wait for one host; no more are claimed for it
	// maxReady is the number of claimed deliveries that wait although their host has a free slot. It is enough to keep
	// the slots busy while the next are claimed, and small enough that they rarely wait longer than claimAge.
	maxReady = 512
	// claimAge is the age from which on a claimed delivery is revalidated before it begins. No delivery begins later
	// than this after another hub or an operator has removed or renewed its subscription. At full speed claims are
	// younger when they begin, so that only deliveries that wait cost a query.
	claimAge = 250 * time.Millisecond
	maxHosts = 10_000 // the number of idle hosts whose breakers are remembered
)
