package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"reviewcast"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
)

// serveFlags are what serving can be told, alone or within dev.
type serveFlags struct {
	AdminListen    string         `name:"admin-listen" help:"A second, private address for /healthz, /readyz and /metrics; without it there is none." placeholder:"ADDR"`
	RateSearch     float64        `name:"rate-search" help:"Searches a second and client address, ten times as many at once; 0 is no limit." default:"100" placeholder:"N"`
	TrustedProxies []netip.Prefix `name:"trusted-proxies" help:"Networks whose X-Forwarded-For is believed." placeholder:"CIDR"`
	AccessLog      bool           `name:"access-log" help:"Log every request, not only those that fail."`
	LogFormat      string         `name:"log-format" help:"How the log is written: text or json." enum:"text,json" default:"text" placeholder:"FORM"`
	agentFlags
	hubFlags
}

func (f *serveFlags) logger(std streams, from slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: from}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(std.err, options))
	}
	return slog.New(slog.NewTextHandler(std.err, options))
}

func (f *serveFlags) edgeConfig(h *snapshot.Holder, baseURL string, log *slog.Logger) edge.Config {
	return edge.Config{
		Snapshots: h, BaseURL: baseURL, RateSearch: f.RateSearch, TrustedProxies: f.TrustedProxies,
		AccessLog: f.AccessLog, Logger: log,
	}
}

type edgeCmd struct {
	Public  string `help:"The published folder." default:"public" placeholder:"DIR"`
	Listen  string `help:"The address to serve on." default:"localhost:8080" placeholder:"ADDR"`
	BaseURL string `name:"base-url" help:"The public origin; a folder that was built for another is refused (default: the one that the folder was built for)." placeholder:"URL"`
	serveFlags
}

// Help is what --help says beside the flags.
func (c *edgeCmd) Help() string {
	return `Holds the folder in memory, checked against its manifest, and takes a new set of
files as soon as a build has written it. A broken set leaves the old one serving.
On SIGTERM or SIGINT requests have 8 seconds to end.

Example:
  reviewcast edge --public public --listen :8080 --base-url https://reviews.example.com --admin-listen 127.0.0.1:9090`
}

// Run serves until ctx ends.
func (c *edgeCmd) Run(ctx context.Context, std streams) error {
	baseURL, err := c.origin()
	if err != nil {
		return err
	}
	state, err := c.path(baseURL, c.Public)
	if err != nil {
		return err
	}
	l, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	defer l.Close() // again, when serving has closed it
	log := c.logger(std, slog.LevelInfo)
	holder := &snapshot.Holder{}
	watcher := &snapshot.Watcher{
		Dir: c.Public, Config: snapshot.Config{BaseURL: baseURL, Logger: log}, Holder: holder, Logger: log,
	}
	ec := c.edgeConfig(holder, baseURL, log)
	mcp, err := c.mountMCP(&ec)
	if err != nil {
		return err
	}
	pushes, err := c.mountHub(ctx, &ec, state, func([]string) { _ = watcher.Look() }) // it has logged the error
	if err != nil {
		return err
	}
	handler, err := edge.New(ec)
	if err != nil {
		return errors.Join(err, pushes.close())
	}
	return errors.Join(serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: handler, holder: holder, metrics: pushes.metrics, health: pushes.health, log: log,
		work: []func(context.Context) error{watcher.Run, mcp, pushes.run},
	}), pushes.close())
}

// origin is the base URL that files must have been built for.
func (c *edgeCmd) origin() (string, error) {
	if c.BaseURL != "" {
		origin, err := reviewcast.ParseBaseURL(c.BaseURL)
		if err != nil {
			return "", usageError{fmt.Errorf("--base-url: %w", err)}
		}
		return origin, nil
	}
	data, err := os.ReadFile(filepath.Join(c.Public, strings.TrimPrefix(reviewcast.PathManifest, "/")))
	if err != nil {
		return "", fmt.Errorf("%w; build the folder first (reviewcast build), or name --base-url to serve it as soon as it is there", err)
	}
	var m reviewcast.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return "", fmt.Errorf("read %s of %s: %w", reviewcast.PathManifest, c.Public, err)
	}
	return reviewcast.ParseBaseURL(m.BaseURL)
}

// service is what runs together: the public listener, the private one, and
// whatever works beside them.
type service struct {
	listener net.Listener
	admin    string // the private listener's address; empty for none
	handler  http.Handler
	metrics  http.Handler // for the private listener; nil for none
	health   func() error // of the hub, for /readyz; nil for none
	holder   *snapshot.Holder
	log      *slog.Logger
	work     []func(context.Context) error
}

// serve runs everything until ctx ends or one part fails; it returns when every
// part has ended. Its listeners are open by then, or a taken address is an error at
// once.
func serve(ctx context.Context, s service) error {
	l := s.listener
	parts := append([]func(context.Context) error{func(ctx context.Context) error {
		return edge.Run(ctx, l, edge.Server(s.handler, s.log), edge.Grace)
	}}, s.work...)
	if s.admin != "" {
		private, err := listen(ctx, s.admin)
		if err != nil {
			l.Close()
			return err
		}
		s.log.Info("serving operators", "addr", private.Addr().String())
		parts = append(parts, func(ctx context.Context) error {
			return edge.Run(ctx, private, edge.Server(s.operators(), s.log), edge.Grace)
		})
	}
	s.log.Info("serving", "addr", l.Addr().String())

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		wg.Go(func() {
			defer cancel() // one part down takes the others along
			errs[i] = part(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// operators is the handler of the private listener.
func (s *service) operators() http.Handler {
	mux := http.NewServeMux()
	admin := edge.Admin(s.holder)
	mux.Handle("/", admin)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if s.health != nil {
			if err := s.health(); err != nil {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Cache-Control", "no-store")
				w.WriteHeader(http.StatusServiceUnavailable)
				_ = json.NewEncoder(w).Encode(map[string]string{"status": "hub: " + err.Error()})
				return
			}
		}
		admin.ServeHTTP(w, r)
	})
	if s.metrics != nil {
		mux.Handle("GET /metrics", s.metrics)
	}
	return mux
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w; name another address with --listen", err)
	}
	return l, nil
}
