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

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
)

// serveFlags are the flags of serving, shared by edge and dev.
type serveFlags struct {
	AdminListen    string         `name:"admin-listen" help:"A second, private address for /healthz, /readyz and /metrics (default: none)." placeholder:"ADDR"`
	RateSearch     float64        `name:"rate-search" help:"Searches per second and client address, with bursts of ten times as many; 0 is no limit." default:"100" placeholder:"N"`
	TrustedProxies []netip.Prefix `name:"trusted-proxies" help:"Networks of proxies that are believed about the addresses of clients." placeholder:"CIDR"`
	ProxySecret    string         `name:"proxy-secret" help:"A secret that your CDN sends in the header Reviewcast-Proxy-Secret, to be believed about the addresses of clients." placeholder:"SECRET"`
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
	Public  string `help:"The output folder of a build or, with --origin, the folder of the copy." default:"public" placeholder:"DIR"`
	Listen  string `help:"The address to serve on." default:"localhost:8080" placeholder:"ADDR"`
	BaseURL string `name:"base-url" help:"The public origin; files built for another are refused (default: --origin, or the one that the files were built for)." placeholder:"URL"`
	originFlags
	serveFlags
	PrintConfig bool `name:"print-config" help:"Print every flag with its value, without passwords, and where it is from, and exit."`
}

// Help is what --help says beside the flags.
func (c *edgeCmd) Help() string {
	return `Loads the output folder into memory, checks it against its manifest, and loads it again
when a build has replaced it. If a set is broken, the old one stays in use. After SIGTERM
or SIGINT, running requests have 8 seconds to finish.

With --origin it needs no output folder: it copies the data of a published site, whatever
serves that, follows it, and answers searches, MCP clients and subscribers. Publish pings
to its hub may name the version that is being deployed (manifest=, a sha256): the edge
then looks for it for up to ten minutes.

Each flag can be given as an environment variable, such as REVIEWCAST_RATE_SEARCH for
--rate-search.

Examples:
  reviewcast edge --public public --listen :8080 --base-url https://reviews.example.com --admin-listen 127.0.0.1:9090
  reviewcast edge --origin https://reviews.example.com --public /var/lib/reviewcast/copy --listen :8080`
}

// Run serves until ctx ends.
func (c *edgeCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	if c.PrintConfig {
		printConfig(std, k)
		return nil
	}
	baseURL, err := c.baseURL()
	if err != nil {
		return err
	}
	state, err := c.path(baseURL, c.Public)
	if err != nil {
		return err
	}
	log := c.logger(std, slog.LevelInfo)
	holder := &snapshot.Holder{}
	files, err := c.files(baseURL, holder, log)
	if err != nil {
		return err
	}
	l, err := listen(ctx, "--listen", c.Listen)
	if err != nil {
		return err
	}
	defer l.Close() // again, if serving has closed it
	ec := c.edgeConfig(holder, baseURL, log)
	pushes, err := c.mountHub(ctx, &ec, state, files.reload)
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
	parts := map[string]func() error{}
	if state != noState {
		parts["hub"] = pushes.health
	}
	if files.origin != nil {
		parts["origin"] = files.origin.health
		files.origin.register(pushes.registry)
	}
	index := func(ctx context.Context) error {
		holder.Index(ctx, log)
		return nil
	}
	return errors.Join(serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: handler, holder: holder, metrics: pushes.metrics, parts: parts, log: log,
		work: []func(context.Context) error{files.run, index, mcp, pushes.run},
	}), pushes.close())
}

// filesFrom is where the files of an edge come from.
type filesFrom struct {
	run    func(context.Context) error
	reload func(manifests []string) // see hub.Config; it doesn't wait
	origin *follower                // nil for a directory
}

func (c *edgeCmd) files(baseURL string, holder *snapshot.Holder, log *slog.Logger) (filesFrom, error) {
	if c.Origin != "" {
		o, err := c.follow(c.Public, baseURL, holder, log)
		if err != nil {
			return filesFrom{}, err
		}
		return filesFrom{run: o.run, reload: o.keeper.Ping, origin: o}, nil
	}
	wake := make(chan struct{}, 1)
	watcher := &snapshot.Watcher{
		Dir: c.Public, Config: snapshot.Config{BaseURL: baseURL, Logger: log}, Holder: holder, Wake: wake, Logger: log,
	}
	return filesFrom{run: watcher.Run, reload: func([]string) {
		select {
		case wake <- struct{}{}:
		default: // it is about to look
		}
	}}, nil
}

// baseURL returns the base URL that the files must have been built for.
func (c *edgeCmd) baseURL() (string, error) {
	for _, given := range []struct{ flag, url string }{{"--base-url", c.BaseURL}, {"--origin", c.Origin}} {
		if given.url == "" {
			continue
		}
		baseURL, err := reviewcast.ParseBaseURL(given.url)
		if err != nil {
			return "", usageError{fmt.Errorf("%s: %w", given.flag, err)}
		}
		return baseURL, nil
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
	metrics  http.Handler            // for the private listener
	parts    map[string]func() error // for /readyz, beside the holder
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
	mux.Handle("/", edge.Admin(s.holder, s.parts))
	mux.Handle("GET /metrics", s.metrics)
	return mux
}
