package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"reviewcast"
	"reviewcast/edge"
	"reviewcast/edge/hub"
	"reviewcast/edge/mcpserver"
	"reviewcast/edge/snapshot"
)

// hubFlags are what the hub can be told.
type hubFlags struct {
	stateFlag
	HubRetry         []time.Duration `name:"hub-retry" help:"The waits after a subscriber's first and second failure in a row; the third ends the subscription." default:"30s,1h" placeholder:"TIME,TIME"`
	HubMinLease      time.Duration   `name:"hub-min-lease" help:"The shortest lease that is granted." default:"5m" placeholder:"TIME"`
	HubMaxLease      time.Duration   `name:"hub-max-lease" help:"The longest lease that is granted." default:"720h" placeholder:"TIME"`
	HubSubscribeRate float64         `name:"hub-subscribe-rate" help:"Subscribe requests a second and client address, ten times as many at once; 0 is no limit." default:"10" placeholder:"N"`
	HubPerHost       int             `name:"hub-per-host" help:"Deliveries in flight to one host and port." default:"64" placeholder:"N"`
	HubAllowCIDR     []netip.Prefix  `name:"hub-allow-cidr" help:"Networks that callbacks may be in although they aren't public; for development." placeholder:"CIDR"`
}

// mountedHub is a hub in an edge.
type mountedHub struct {
	run      func(context.Context) error
	state    mcpserver.State // nil without a state
	registry *prometheus.Registry
	metrics  http.Handler
	health   func() error // why the hub doesn't accept requests; nil if it does
	close    func() error // after everything that uses it has ended
}

// mountHub opens the state and puts a hub into an edge's configuration. Reload looks for
// newer files; nil if they are loaded without it. A state that can't be opened at once is
// opened later: the edge serves its files meanwhile.
func (f *hubFlags) mountHub(ctx context.Context, c *edge.Config, state string, reload func([]string)) (*mountedHub, error) {
	if len(f.HubRetry) != len(hub.DefaultRetry) {
		return nil, usageError{fmt.Errorf("--hub-retry: %d waits given; there are two, such as 30s,1h", len(f.HubRetry))}
	}
	if f.HubPerHost < 1 || f.HubMinLease <= 0 || f.HubMaxLease <= 0 { // to hub.Config these are its defaults
		return nil, usageError{errors.New("--hub-per-host, --hub-min-lease and --hub-max-lease must be more than 0")}
	}
	registry := prometheus.NewRegistry()
	registerVersions(registry, c.Snapshots)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if state == noState {
		idle := func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}
		return &mountedHub{run: idle, registry: registry, metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), health: func() error { return nil }, close: func() error { return nil }}, nil
	}
	l := &lateHub{log: c.Logger, state: state, snapshots: c.Snapshots, config: hub.Config{
		BaseURL: c.BaseURL, Published: func() *hub.Edition { return editionOf(c.Snapshots.LoadFiles()) }, Reload: reload, Client: c.Proxies.Client,
		Limit: c.Proxies.Limiter(f.HubSubscribeRate), Retry: [2]time.Duration(f.HubRetry),
		MinLease: f.HubMinLease, MaxLease: f.HubMaxLease, Limits: hub.Limits{PerHost: f.HubPerHost}, AllowCIDR: f.HubAllowCIDR,
		Logger: c.Logger,
	}}
	if err := l.start(ctx); err != nil {
		return nil, err
	}
	c.Hub = l
	return &mountedHub{run: l.run, state: l, registry: registry, metrics: l.serveMetrics(registry), health: l.health, close: l.close}, nil
}

// editionOf is a version as the hub sees it.
func editionOf(s *snapshot.Files) *hub.Edition {
	if s == nil {
		return nil
	}
	e := &hub.Edition{Sequence: s.Sequence(), Topics: make(map[string]hub.Content, len(reviewcast.Topics))}
	for _, path := range reviewcast.Topics {
		if f, ok := s.File(path); ok {
			e.Topics[path] = hub.Content{Body: f.Body, MediaType: f.MediaType, SHA256: f.SHA256, Modified: f.LastModified}
		}
	}
	return e
}

// mountDevHub is mountHub for dev, whose state, unless a flag names one, is a
// temporary one: what an editor tries out reaches no subscriber of the real thing.
func (f *hubFlags) mountDevHub(ctx context.Context, c *edge.Config, public string) (*mountedHub, error) {
	// The environment names the state of the real thing. Kong doesn't tell where a
	// value is from; a flag that says the same can't be meant either.
	if f.State != "" && f.State != os.Getenv("REVIEWCAST_STATE") {
		state, err := f.path(c.BaseURL, public)
		if err != nil {
			return nil, err
		}
		return f.mountHub(ctx, c, state, nil)
	}
	dir, err := os.MkdirTemp("", "reviewcast-dev-")
	if err != nil {
		return nil, err
	}
	h, err := f.mountHub(ctx, c, filepath.Join(dir, "hub.sqlite"), nil)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	closeHub := h.close
	h.close = func() error { return errors.Join(closeHub(), os.RemoveAll(dir)) }
	return h, nil
}
