package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast/edge"
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const (
	// openAtOnce is how long a start waits for the state before it goes on without it.
	openAtOnce = 2 * time.Second
	// openTimeout bounds one attempt to open the state, and openAgain is the wait after it.
	openTimeout = 30 * time.Second
	openAgain   = 5 * time.Second
)

var errNotOpen = errors.New("the hub's state is not open yet")

// lateHub is a hub whose state may be opened after the edge has started, so that a hanging database or a damaged
// file doesn't keep the files from being served. Until then it rejects requests with 503.
type lateHub struct {
	log       *slog.Logger
	state     string
	snapshots *snapshot.Holder
	config    hub.Config
	metrics   *prometheus.Registry
	down      prometheus.Gauge // state_up 0, before the state is open

	mu          sync.Mutex
	hub         *hub.Hub // nil: not open yet
	store       *store.Store
	err         error // of the last attempt
	unsubscribe func()
}

// start opens the state, or leaves that to run if it takes too long or fails in a way that may pass.
func (l *lateHub) start(ctx context.Context) error {
	l.down = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "reviewcast", Subsystem: "hub", Name: "state_up", Help: "0: the state is not open yet."})
	l.metrics.MustRegister(l.down)
	attempt, cancel := context.WithTimeout(ctx, openAtOnce)
	defer cancel()
	err := l.open(attempt)
	if err == nil || ctx.Err() != nil || isPermanent(err) {
		return err
	}
	l.log.Warn("the hub's state can't be opened; serving without the hub and trying again", "state", stateSource(l.state), "error", err)
	return nil
}

// isPermanent reports whether opening needs an operator: another --state or version, or the end of another edge.
func isPermanent(err error) bool {
	var usage usageError
	var path *fs.PathError
	return errors.Is(err, store.ErrSchema) || errors.Is(err, store.ErrInUse) || errors.As(err, &usage) || errors.As(err, &path)
}

// open opens the state and creates the hub.
func (l *lateHub) open(ctx context.Context) error {
	s, err := openState(ctx, l.state, l.log)
	if err == nil {
		err = l.mount(ctx, s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
	return err
}

// mount creates the hub on an open state.
func (l *lateHub) mount(ctx context.Context, s *store.Store) error {
	// A wrong state is empty.
	counts, err := s.Counts(ctx, time.Now())
	if err != nil {
		return errors.Join(fmt.Errorf("open state: %w", err), s.Close())
	}
	l.log.Info("hub state", "state", stateSource(l.state), "subscriptions", counts.Total)
	c := l.config
	if reload := c.Reload; reload != nil {
		c.Reload = func(manifests []string) {
			reload(manifests)
			if manifests == nil {
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := s.Ping(ctx, manifests); err != nil {
				l.log.Warn("publish ping not passed on to other edges", "error", err)
			}
		}
	}
	c.Store = s
	l.metrics.Unregister(l.down)
	h, err := hub.New(c)
	if err != nil {
		return errors.Join(usageError{err}, s.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hub, l.store = h, s
	l.unsubscribe = l.snapshots.SubscribeFiles(func(_, _ *snapshot.Files) { h.Changed() })
	return nil
}

// receivePings looks for newer files when another edge has got a ping, until ctx is done.
func (l *lateHub) receivePings(ctx context.Context, s *store.Store) {
	for {
		select {
		case <-ctx.Done():
			return
		case manifests := <-s.Pings():
			if l.config.Reload != nil {
				l.config.Reload(manifests)
			}
		}
	}
}

// current returns the hub, nil if its state isn't open yet.
func (l *lateHub) current() *hub.Hub {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hub
}

// run opens the state if it isn't open yet, and runs the hub until ctx is done.
func (l *lateHub) run(ctx context.Context) error {
	for l.current() == nil {
		attempt, cancel := context.WithTimeout(ctx, openTimeout)
		err := l.open(attempt)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // stopped while opening
		case err != nil && isPermanent(err):
			return err
		case err != nil:
			l.log.Warn("the hub's state can't be opened; trying again", "state", stateSource(l.state), "error", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(openAgain):
			}
		}
	}
	var receiving sync.WaitGroup
	defer receiving.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	receiving.Go(func() { l.receivePings(ctx, l.store) })
	return l.current().Run(ctx)
}

// ServeHTTP is the hub's, once its state is open.
func (l *lateHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := l.current(); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Retry-After", "30")
	http.Error(w, "The hub can't accept requests at the moment.", http.StatusServiceUnavailable)
}

// health returns why the hub doesn't accept requests, nil if it does.
func (l *lateHub) health() error {
	l.mu.Lock()
	h, err := l.hub, l.err
	l.mu.Unlock()
	if h != nil {
		return h.Health()
	}
	return errors.Join(errNotOpen, err)
}

// SessionKey implements [mcpserver.State].
func (l *lateHub) SessionKey(ctx context.Context) ([]byte, error) {
	s, err := l.opened()
	if err != nil {
		return nil, err
	}
	return s.SessionKey(ctx)
}

// EndSession implements [mcpserver.State].
func (l *lateHub) EndSession(ctx context.Context, id string, now, expires time.Time) error {
	s, err := l.opened()
	if err != nil {
		return err
	}
	return s.EndSession(ctx, id, now, expires)
}

// EndedSessions implements [mcpserver.State].
func (l *lateHub) EndedSessions(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	s, err := l.opened()
	if err != nil {
		return nil, err
	}
	return s.EndedSessions(ctx, now)
}

// opened returns the state, or an error if it isn't open yet.
func (l *lateHub) opened() (*store.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.store == nil {
		return nil, errNotOpen
	}
	return l.store, nil
}

func (l *lateHub) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hub == nil {
		return nil
	}
	l.unsubscribe()
	return l.store.Close()
}

// openState opens a state. One that another edge has open is waited for as long as that may take to stop.
func openState(ctx context.Context, state string, log *slog.Logger) (*store.Store, error) {
	waits := false
	for deadline := time.Now().Add(edge.Grace + 4*time.Second); ; {
		s, err := store.Open(ctx, state, store.Options{Exclusive: true})
		switch {
		case !errors.Is(err, store.ErrInUse):
			return s, err
		case !waits:
			waits = true
			log.Warn("another edge has the hub's state open; waiting for it to end", "state", stateSource(state), "until", deadline.UTC().Format(time.RFC3339))
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%w; name another with --state, or use --state none to run without a hub", err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
