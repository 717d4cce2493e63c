package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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

// newHub opens the state and makes the hub of an edge; nil without a state. reload looks for newer files; nil if
// they are loaded without it.
func (f *hubFlags) newHub(ctx context.Context, c *edge.Config, state string, reload func([]string), metrics *prometheus.Registry) (*lateHub, error) {
	if len(f.HubRetry) != len(hub.DefaultRetry) {
		return nil, usageError{fmt.Errorf("--hub-retry: %d waits given; there are two, such as 30s,1h", len(f.HubRetry))}
	}
	if f.HubPerHost < 1 || f.HubMinLease <= 0 || f.HubMaxLease <= 0 { // to hub.Config these are its defaults
		return nil, usageError{errors.New("--hub-per-host, --hub-min-lease and --hub-max-lease must be more than 0")}
	}
	if state == noState {
		return nil, nil
	}
	l := &lateHub{log: c.Logger, state: state, snapshots: c.Snapshots, metrics: metrics, config: hub.Config{
		BaseURL: c.BaseURL, Published: func() *hub.Edition { return editionOf(c.Snapshots.LoadFiles()) }, Reload: reload, Client: c.Proxies.Client,
		Limit: c.Proxies.Limiter(f.HubSubscribeRate), Retry: [2]time.Duration(f.HubRetry),
		MinLease: f.HubMinLease, MaxLease: f.HubMaxLease, Limits: hub.Limits{PerHost: f.HubPerHost}, AllowCIDR: f.HubAllowCIDR,
		Logger: c.Logger, Metrics: metrics,
	}}
	return l, l.start(ctx)
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

// devState returns the state of dev's hub and what to call at the end. Unless a flag names one, it is a temporary
// one: what an editor tries out reaches no subscriber of the real thing.
func (f *stateFlag) devState(baseURL, public string) (state string, remove func() error, err error) {
	// The environment names the state of the real thing; kong doesn't tell where a value is from.
	if f.State != "" && f.State != os.Getenv("REVIEWCAST_STATE") {
		state, err = f.path(baseURL, public)
		return state, func() error { return nil }, err
	}
	dir, err := os.MkdirTemp("", "reviewcast-dev-")
	return filepath.Join(dir, "hub.sqlite"), func() error { return os.RemoveAll(dir) }, err
}

// mcpFlags configure the MCP server.
type mcpFlags struct {
	MCPAllowOrigin []string      `name:"mcp-allow-origin" help:"Origins, in addition to the public one, whose pages may use the MCP server; * allows all." placeholder:"ORIGIN"`
	MCPSessions    int           `name:"mcp-sessions" help:"MCP sessions with streams or subscriptions that may be open at once." default:"5000" placeholder:"N"`
	MCPIdle        time.Duration `name:"mcp-idle" help:"How long an MCP session may be silent before its subscriptions are dropped." default:"30m" placeholder:"TIME"`
	RateMCP        float64       `name:"rate-mcp" help:"MCP requests per second and client address, with bursts of ten times as many; 0 means no limit." default:"100" placeholder:"N"`
}

// mountMCP adds an MCP server to an edge. hub may be nil. run must run beside the edge.
func (f *mcpFlags) mountMCP(c *edge.Config, hub *lateHub) (run func(context.Context) error, err error) {
	mc := mcpserver.Config{
		Snapshots: c.Snapshots, BaseURL: c.BaseURL, AllowOrigins: f.MCPAllowOrigin, MaxSessions: f.MCPSessions, Idle: f.MCPIdle,
		Client: c.Proxies.Network, Logger: c.Logger, Metrics: c.Metrics,
	}
	if hub != nil {
		mc.State = hub
	}
	server, err := mcpserver.New(mc)
	if err != nil {
		return nil, usageError{err}
	}
	c.MCP, c.RateMCP = server, f.RateMCP
	return server.Run, nil
}
