package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast/edge"
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/mcpserver"
)

// hubFlags configure the hub.
type hubFlags struct {
	stateFlag
	HubRetry         []time.Duration `name:"hub-retry" help:"The waits after a subscriber's first and second failure in a row; the third ends the subscription." default:"30s,1h" placeholder:"TIME,TIME"`
	HubMinLease      time.Duration   `name:"hub-min-lease" help:"The shortest lease that is granted." default:"5m" placeholder:"TIME"`
	HubMaxLease      time.Duration   `name:"hub-max-lease" help:"The longest lease that is granted." default:"720h" placeholder:"TIME"`
	HubSubscribeRate float64         `name:"hub-subscribe-rate" help:"Subscribe requests a second and client address, ten times as many at once; 0 is no limit." default:"10" placeholder:"N"`
	HubPerHost       int             `name:"hub-per-host" help:"Deliveries in flight to one host and port." default:"64" placeholder:"N"`
	HubAllowCIDR     []netip.Prefix  `name:"hub-allow-cidr" help:"Networks that callbacks may be in although they aren't public; for development." placeholder:"CIDR"`
}

// newHub opens the state and makes the hub of an edge; nil without a state. reload looks for newer files; nil if
// they are loaded without it.
func (f *hubFlags) newHub(ctx context.Context, c *edge.Config, state string, reload func([]string)) (*edgeHub, error) {
	if len(f.HubRetry) != 2 {
		return nil, usageError{fmt.Errorf("--hub-retry: %d waits given; there are two, such as 30s,1h", len(f.HubRetry))}
	}
	if f.HubPerHost < 1 || f.HubMinLease <= 0 || f.HubMaxLease <= 0 {
		return nil, usageError{errors.New("--hub-per-host, --hub-min-lease and --hub-max-lease must be more than 0")}
	}
	if state == noState {
		return nil, nil
	}
	l := &edgeHub{log: c.Logger, state: state, config: hub.Config{
		BaseURL: c.BaseURL, Files: &c.Snapshots.Files, Reload: reload, Client: c.Proxies.Client,
		Limit: c.Proxies.Limiter(f.HubSubscribeRate), Retry: [2]time.Duration(f.HubRetry),
		MinLease: f.HubMinLease, MaxLease: f.HubMaxLease, PerHost: f.HubPerHost, AllowCIDR: f.HubAllowCIDR,
		Logger: c.Logger, Metrics: c.Metrics,
	}}
	return l, l.start(ctx)
}

const (
	// openAtOnce is how long a start waits for the state before it goes on without it.
	openAtOnce = 2 * time.Second
	// openTimeout bounds one attempt to open the state, and openAgain is the wait after it.
	openTimeout = 30 * time.Second
	openAgain   = 5 * time.Second
	// inUseAgain is the wait while another edge has the state open, and inUse how long that is waited for.
	inUseAgain = 200 * time.Millisecond
	inUse      = edge.Grace + 4*time.Second
	// stopHub is how long the hub may take to stop: its own time, and a second.
	stopHub = hub.Grace + 3*time.Second
)

var errNotOpen = errors.New("the hub's state is not open yet")

// edgeHub is the hub of an edge. Its state may be opened after the edge has started, so that a hanging database or a
// damaged file doesn't keep the files from being served. Until then it rejects requests with 503.
type edgeHub struct {
	log     *slog.Logger
	state   string
	config  hub.Config
	down    prometheus.Collector // state_up 0, before the state is open
	opening chan error           // of the attempt that runs; nil: none

	err   atomic.Pointer[error]   // of the last attempt that has ended
	hub   atomic.Pointer[hub.Hub] // nil: not open yet
	store *store.Store            // set before hub is
}

// start opens the state, or leaves that to run if it takes too long or fails in a way that may pass.
func (l *edgeHub) start(ctx context.Context) error {
	l.down = gauge(l.config.Metrics, "hub_state_up", "0: the state is not open yet.", func() float64 { return 0 })
	err := l.attempt(ctx, openAtOnce)
	if err == nil || ctx.Err() != nil || l.isPermanent(err) {
		return err
	}
	l.log.Warn("the hub's state can't be opened; serving without the hub and trying again", "state", stateSource(l.state), "error", err)
	return nil
}

// attempt opens the state within a time. An attempt that a disk holds up goes on, and the next call waits for it.
func (l *edgeHub) attempt(ctx context.Context, within time.Duration) error {
	limit, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if l.opening == nil {
		opening := make(chan error, 1)
		go func() { opening <- l.open(limit) }()
		l.opening = opening
	}
	select {
	case err := <-l.opening:
		l.opening = nil
		l.err.Store(&err)
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(within + time.Second): // longer than a database that hangs
		return errNotOpen
	}
}

// isPermanent reports whether opening needs an operator: another --state or version. A file that
// exists may become writable again.
func (l *edgeHub) isPermanent(err error) bool {
	_, usage := errors.AsType[usageError](err)
	_, path := errors.AsType[*fs.PathError](err)
	return usage || path && (!exists(l.state) || isFolder(l.state)) || errors.Is(err, store.ErrSchema)
}

// open opens the state and creates the hub.
func (l *edgeHub) open(ctx context.Context) error {
	s, err := store.Open(ctx, l.state, store.Options{Exclusive: true})
	if err != nil {
		return err
	}
	if err := l.mount(ctx, s); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// mount creates the hub on an open state.
func (l *edgeHub) mount(ctx context.Context, s *store.Store) error {
	counts, err := s.Counts(ctx, time.Now())
	if err != nil {
		return fmt.Errorf("open state: %w", err)
	}
	// A wrong state is empty.
	l.log.Info("hub state", "state", stateSource(l.state), "subscriptions", counts.Total)
	c := l.config
	c.Store = s
	l.config.Metrics.Unregister(l.down)
	h, err := hub.New(c)
	if err != nil {
		return usageError{err}
	}
	l.store = s
	l.hub.Store(h)
	return nil
}

// run opens the state if it isn't open yet, and runs the hub until ctx is done.
func (l *edgeHub) run(ctx context.Context) error {
	return stopping(ctx, stopHub, func() error { return l.work(ctx) }, l.left)
}

func (l *edgeHub) work(ctx context.Context) error {
	for began := time.Now(); l.hub.Load() == nil; {
		err := l.attempt(ctx, openTimeout)
		wait := openAgain
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // stopped while opening
		case err == nil:
			continue
		case l.isPermanent(err):
			return err
		case errors.Is(err, store.ErrInUse) && time.Since(began) > inUse:
			return fmt.Errorf("%w; name another with --state, or use --state none to run without a hub", err)
		case errors.Is(err, store.ErrInUse): // start has said so
			wait = inUseAgain
		default:
			l.log.Warn("the hub's state can't be opened; trying again", "state", stateSource(l.state), "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
	return l.hub.Load().Run(ctx)
}

// ServeHTTP is the hub's, once its state is open.
func (l *edgeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := l.hub.Load(); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Retry-After", "30")
	http.Error(w, "The hub can't accept requests at the moment.", http.StatusServiceUnavailable)
}

// health returns why the hub doesn't accept requests, nil if it does.
func (l *edgeHub) health() error {
	if h := l.hub.Load(); h != nil {
		return h.Health()
	}
	return *cmp.Or(l.err.Load(), &errNotOpen)
}

func (l *edgeHub) opened() (mcpserver.State, error) {
	if l.hub.Load() == nil {
		return nil, errNotOpen
	}
	return l.store, nil
}

func (l *edgeHub) close() error {
	if l.hub.Load() == nil {
		return nil
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	return stopping(now, stopWithin, l.store.Close, l.left)
}

func (l *edgeHub) left() {
	l.log.Warn("the hub's state is still being written; the next start goes on with it", "state", stateSource(l.state))
}

type stateFlag struct {
	State string `help:"Where subscriptions are kept: a SQLite file, or a PostgreSQL address that several edges share (default: a file in the user's state directory, named by the base URL; in dev a temporary one). With none there is no hub." placeholder:"FILE|postgres://…|none" env:"REVIEWCAST_STATE"`
}

// noState runs an edge without a hub.
const noState = "none"

// path returns the state of a base URL. It rejects files within public: a state holds subscribers' secrets.
func (f *stateFlag) path(baseURL, public string) (string, error) {
	if store.IsPostgres(f.State) || f.State == noState {
		return f.State, nil
	}
	// What looks like a database would be a new, empty state. The message doesn't repeat what may hold a password.
	if err := explain("states", f.State); err != nil {
		return "", usageError{err}
	}
	file := f.State
	if file == "" {
		dir, err := stateDir()
		if err != nil {
			return "", usageError{fmt.Errorf("--state: %w; name a file, or use --state none to run without a hub", err)}
		}
		_, host, _ := strings.Cut(baseURL, "://")
		file = filepath.Join(dir, "hub-"+strings.NewReplacer(":", "_", "[", "", "]", "").Replace(host)+".sqlite")
	}
	if within(file, public) {
		return "", usageError{fmt.Errorf("--state: %s is within %s, which is published; the state holds subscribers' secrets", file, public)}
	}
	return file, nil
}

// devState returns the state of dev's hub and what to call at the end. Unless a flag names one, it is a temporary
// one: what an editor tries out reaches no real subscriber.
func (f *stateFlag) devState(baseURL, public string) (state string, remove func() error, err error) {
	// The environment variable names the state of the published site; kong doesn't say where a value is from.
	if f.State != "" && f.State != os.Getenv("REVIEWCAST_STATE") {
		state, err = f.path(baseURL, public)
		return state, func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "reviewcast-dev-")
	return filepath.Join(dir, "hub.sqlite"), func() error { return os.RemoveAll(dir) }, err
}

func stateSource(state string) string {
	if !store.IsPostgres(state) {
		return state
	}
	u, err := url.Parse(state)
	if err != nil {
		return "postgres"
	}
	return "postgres://" + u.Host + u.Path
}

func stateDir() (dir string, err error) {
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%
	case "darwin":
		dir, err = os.UserConfigDir() // Library/Application Support
	default:
		if dir = os.Getenv("XDG_STATE_HOME"); !filepath.IsAbs(dir) {
			dir, err = os.UserHomeDir()
			dir = filepath.Join(dir, ".local", "state")
		}
	}
	return filepath.Join(dir, "reviewcast"), err
}
