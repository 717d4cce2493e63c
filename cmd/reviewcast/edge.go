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

// serveFlags are the flags of serving, shared by edge and dev.
type serveFlags struct {
	AdminListen    string         `name:"admin-listen" help:"A second, private address for /healthz, /readyz and /metrics (default: none)." placeholder:"ADDR"`
	RateSearch     float64        `name:"rate-search" help:"Searches per second and client address, with bursts of ten times as many; 0 is no limit." default:"100" placeholder:"N"`
	TrustedProxies []netip.Prefix `name:"trusted-proxies" help:"Networks of proxies that are believed about the addresses of clients." placeholder:"CIDR"`
	ProxySecret    string         `name:"proxy-secret" help:"A secret that your CDN sends in the header Reviewcast-Proxy-Secret, to be believed about the addresses of clients." env:"REVIEWCAST_PROXY_SECRET" placeholder:"SECRET"`
	ClientHeader   string         `name:"client-header" help:"The header in which proxies give the client's address." default:"X-Forwarded-For" placeholder:"NAME"`
	AccessLog      bool           `name:"access-log" help:"Log every request, not only failures."`
	LogFormat      string         `name:"log-format" help:"The format of the log: text or json." enum:"text,json" default:"text" placeholder:"FORM"`
	mcpFlags
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
		Snapshots: h, BaseURL: baseURL, RateSearch: f.RateSearch,
		Proxies:   edge.Proxies{Trusted: f.TrustedProxies, Secret: f.ProxySecret, Header: f.ClientHeader},
		AccessLog: f.AccessLog, Logger: log,
	}
}

type edgeCmd struct {
	Public  string `help:"The output folder of a build." default:"public" placeholder:"DIR"`
	Listen  string `help:"The address to serve on." default:"localhost:8080" placeholder:"ADDR"`
	BaseURL string `name:"base-url" help:"The public origin; files built for another are refused (default: the one they were built for)." placeholder:"URL"`
	serveFlags
}

// Help is what --help says beside the flags.
func (c *edgeCmd) Help() string {
	return `Loads the output folder into memory, checks it against its manifest, and loads it again
when a build has replaced it. If a set is broken, the old one stays in use. After SIGTERM
or SIGINT, running requests have 8 seconds to finish.

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
	l, err := listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	defer l.Close() // again, if serving has closed it
	log := c.logger(std, slog.LevelInfo)
	holder := &snapshot.Holder{}
	watcher := &snapshot.Watcher{
		Dir: c.Public, Config: snapshot.Config{BaseURL: baseURL, Logger: log}, Holder: holder, Logger: log,
	}
	ec := c.edgeConfig(holder, baseURL, log)
	pushes, err := c.mountHub(ctx, &ec, state, func([]string) { _ = watcher.Look() }) // it has logged the error
	if err != nil {
		return err
	}
	ec.Metrics = pushes.registry
	mcp, err := c.mountMCP(&ec, pushes)
	var handler http.Handler
	if err == nil {
		handler, err = edge.New(ec)
	}
	if err != nil {
		return errors.Join(err, pushes.close())
	}
	return errors.Join(serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: handler, holder: holder, metrics: pushes.metrics, health: pushes.health, log: log,
		work: []func(context.Context) error{watcher.Run, mcp, pushes.run},
	}), pushes.close())
}

// origin returns the base URL that the files must have been built for.
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
		return "", fmt.Errorf("%w; run `reviewcast build` first, or give --base-url to serve the folder as soon as it is built", err)
	}
	var m reviewcast.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return "", fmt.Errorf("read %s of %s: %w", reviewcast.PathManifest, c.Public, err)
	}
	return reviewcast.ParseBaseURL(m.BaseURL)
}

// service is what runs together: the public listener, the private one, and background
// work.
type service struct {
	listener net.Listener
	admin    string // address of the private listener; empty for none
	handler  http.Handler
	metrics  http.Handler // for the private listener; nil for none
	health   func() error // of the hub, for /readyz; nil for none
	holder   *snapshot.Holder
	log      *slog.Logger
	work     []func(context.Context) error
}

// serve runs all parts until ctx ends or one of them fails, and returns when every
// part has ended. A private address that is in use is an error at once.
func serve(ctx context.Context, s service) error {
	l := s.listener
	parts := append([]func(context.Context) error{func(ctx context.Context) error {
		return edge.Run(ctx, l, edge.Server(s.handler, s.log), edge.Grace)
	}}, s.work...)
	if s.admin != "" {
		private, err := listen(ctx, "--admin-listen", s.admin)
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
			defer cancel() // the end of one part ends the others
			errs[i] = part(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// operators returns the handler of the private listener.
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
