package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"reviewcast"
	"reviewcast/edge"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/mcpserver"
	"reviewcast/edge/snapshot"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
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

// mcpFlags configure the MCP server.
type mcpFlags struct {
	MCPAllowOrigin []string      `name:"mcp-allow-origin" help:"Origins, in addition to the public one, whose pages may use the MCP server; * allows all." placeholder:"ORIGIN"`
	MCPSessions    int           `name:"mcp-sessions" help:"MCP sessions with streams or subscriptions that may be open at once." default:"5000" placeholder:"N"`
	MCPIdle        time.Duration `name:"mcp-idle" help:"How long an MCP session may be silent before its subscriptions are dropped." default:"30m" placeholder:"TIME"`
	RateMCP        float64       `name:"rate-mcp" help:"MCP requests per second and client address, with bursts of ten times as many; 0 means no limit." default:"100" placeholder:"N"`
}

// mountMCP adds an MCP server to an edge. Hub may be nil. Run must run beside the edge.
func (f *mcpFlags) mountMCP(c *edge.Config, hub *edgeHub) (run func(context.Context) error, err error) {
	mc := mcpserver.Config{
		Snapshots: c.Snapshots, BaseURL: c.BaseURL, AllowOrigins: f.MCPAllowOrigin, MaxSessions: f.MCPSessions, Idle: f.MCPIdle,
		Client: c.Proxies.Network, Logger: c.Logger, Metrics: c.Metrics,
	}
	if hub != nil {
		mc.State = hub.opened
	}
	server, err := mcpserver.New(mc)
	if err != nil {
		return nil, usageError{err}
	}
	c.MCP, c.RateMCP = server, f.RateMCP
	return server.Run, nil
}

type edgeCmd struct {
	Public      string        `help:"The output folder of a build (default: public) or, with --origin, the folder of the copy (default: copy)." placeholder:"DIR"`
	Listen      string        `help:"The address to serve on." default:"localhost:8080" placeholder:"ADDR"`
	BaseURL     string        `name:"base-url" help:"The public origin; files built for another are refused (default: --origin, or the one that the files were built for)." placeholder:"URL"`
	Origin      string        `help:"Serve a copy of the data that this site publishes, and keep it up to date in the directory of --public; pages are left to the site (default: serve what a build writes to --public)." placeholder:"URL"`
	OriginEvery time.Duration `name:"origin-every" help:"How often to look for a new version, at least every second; a publish ping makes the edge look at once." default:"30s" placeholder:"TIME"`
	serveFlags
	PrintConfig bool `name:"print-config" help:"Print every flag with its value, without passwords, and where it is from, and exit."`
}

// Run serves until ctx ends.
func (c *edgeCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	c.Public = cmp.Or(c.Public, diagnostic.Pick(c.Origin == "", "public", copyDir))
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
	s := service{holder: &snapshot.Holder{}, baseURL: baseURL, state: state, log: c.logger(std, slog.LevelInfo)}
	if c.Origin == "" {
		c.watch(&s)
	} else if err := c.follow(&s); err != nil {
		return err
	}
	s.work = append(s.work, func(ctx context.Context) error {
		s.holder.Index(ctx, s.log)
		return nil
	})
	if s.listener, err = listen(ctx, "--listen", c.Listen); err != nil {
		return err
	}
	return c.serve(ctx, s)
}

func (c *edgeCmd) watch(s *service) {
	wake := make(chan struct{}, 1)
	watcher := &snapshot.Watcher{
		Dir: c.Public, Config: snapshot.Config{BaseURL: s.baseURL, Logger: s.log}, Holder: s.holder, Wake: wake,
	}
	s.work = append(s.work, watcher.Run)
	s.reload = func([]string) {
		select {
		case wake <- struct{}{}:
		default: // it is about to look
		}
	}
}

// baseURL returns the base URL that the files must have been built for.
func (c *edgeCmd) baseURL() (string, error) {
	built, missing := manifestOf(c.Public)
	given := cmp.Or(c.BaseURL, c.Origin)
	if err := checkPublished(c.Public); err != nil && missing != nil && (given == "" || isContent(c.Public)) {
		return "", err
	} else if given == "" && missing != nil {
		return "", fmt.Errorf("%w; run `reviewcast build` first, or give --base-url to serve the folder as soon as it is built", missing)
	}
	baseURL, err := reviewcast.ParseBaseURL(cmp.Or(given, built.BaseURL))
	switch {
	case err != nil:
		return "", usageError{fmt.Errorf("%s%w", diagnostic.When(given != "", diagnostic.Pick(c.BaseURL == "", "--origin: ", "--base-url: ")), err)}
	case source.IsLocal(baseURL) && missing == nil && built.BaseURL != baseURL && c.Origin == "":
		return "", usageError{fmt.Errorf("--base-url: %s was built for %s; leave --base-url out, or run reviewcast dev to look at the pages", c.Public, built.BaseURL)}
	}
	return baseURL, nil
}

type service struct {
	listener net.Listener
	holder   *snapshot.Holder
	baseURL  string
	state    string                          // of the hub
	reload   func(manifests []string)        // see hub.Config; it doesn't wait
	origin   *originSite                     // nil for a directory
	preview  func(http.Handler) http.Handler // what dev puts before the edge; nil in edge
	log      *slog.Logger
	work     []func(context.Context) error // beside the listeners, the hub and the MCP server
}

// Validate is called by kong.
func (f *serveFlags) Validate() error {
	for flag, rate := range map[string]float64{"--rate-search": f.RateSearch, "--rate-mcp": f.RateMCP, "--hub-subscribe-rate": f.HubSubscribeRate} {
		if !(rate >= 0) || math.IsInf(rate, 1) { // NaN, too
			return fmt.Errorf("%s: %v is not a rate; write a number such as 100, or 0 for no limit", flag, rate)
		}
	}
	if !forms("headerForm").MatchString(f.ClientHeader) {
		return fmt.Errorf("--client-header: %q is not the name of a header; write one such as X-Forwarded-For", f.ClientHeader)
	}
	return nil
}

// serve runs all parts until ctx ends or one of them fails, and returns when every part has ended.
func (f *serveFlags) serve(ctx context.Context, s service) (err error) {
	defer s.listener.Close() // again, if serving has closed it
	registry := prometheus.NewRegistry()
	registerVersions(registry, s.holder)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	c := edge.Config{
		Snapshots: s.holder, BaseURL: s.baseURL, RateSearch: f.RateSearch,
		Proxies:   edge.Proxies{Trusted: f.TrustedProxies, Secret: f.ProxySecret, Header: f.ClientHeader},
		AccessLog: f.AccessLog, Logger: s.log, Dev: s.preview != nil, Metrics: registry,
	}
	hub, err := f.newHub(ctx, &c, s.state, s.reload)
	if err != nil {
		return err
	}
	parts := map[string]func() error{} // for /readyz, beside the holder
	if hub != nil {
		defer func() { err = errors.Join(err, hub.close()) }()
		c.Hub, parts["hub"] = hub, hub.health
		s.work = append(s.work, hub.run)
	}
	if s.origin != nil {
		parts["origin"] = s.origin.health
		s.origin.register(registry)
	}
	mcp, err := f.mountMCP(&c, hub)
	if err != nil {
		return err
	}
	handler := edge.New(c)
	if s.preview != nil {
		handler = s.preview(handler)
	}
	s.work = append(s.work, mcp, answering(s.listener, handler, s.log))
	if f.AdminListen != "" {
		private, err := listen(ctx, "--admin-listen", f.AdminListen)
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		mux.Handle("/", edge.Admin(s.holder, parts))
		mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		s.log.Info("serving operators", "addr", private.Addr().String())
		s.work = append(s.work, answering(private, mux, s.log))
	}
	s.log.Info("serving", "addr", s.listener.Addr().String())
	// Parts end when their context does, or with an error, which ends the others.
	parallel, running := errgroup.WithContext(ctx)
	for _, work := range s.work {
		parallel.Go(func() error { return work(running) })
	}
	if err := parallel.Wait(); ctx.Err() == nil || !errors.Is(err, context.Canceled) { // a part may have been stopped while it started
		return err
	}
	return nil
}

// answering serves on a listener.
func answering(l net.Listener, h http.Handler, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error { return edge.Run(ctx, l, edge.Server(h, log), edge.Grace) }
}

// wsaAddrInUse is the EADDRINUSE of Windows, which package syscall does not map.
const wsaAddrInUse = syscall.Errno(10048)

// listen opens the address that a flag gives. The error explains why it cannot be opened and names one that can.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	host, port, splitErr := net.SplitHostPort(addr)
	switch {
	case err == nil:
		return l, nil
	case splitErr != nil || !isPort(port):
		return nil, usageError{explain("addresses", flag+" "+strconv.Quote(addr)+"\n"+addr)}
	case errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaAddrInUse):
		return nil, fmt.Errorf("%s: address already in use, perhaps by another reviewcast; stop that one, or take the next free port: %s %s",
			addr, flag, nextFree(ctx, host, port))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("port %s is for administrators only; choose one from 1024 on, such as %s %s", port, flag, net.JoinHostPort(host, "8080"))
	}
	return nil, fmt.Errorf("%w; choose an address of this machine, such as %s localhost:8080", err, flag)
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// nextFree returns the address of the next free port after one in use; that of the twentieth if all are in use.
func nextFree(ctx context.Context, host, port string) (addr string) {
	first, _ := strconv.Atoi(port) // isPort
	for n := range 20 {
		addr = net.JoinHostPort(host, strconv.Itoa(min(first, 1<<16-21)+1+n))
		if l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr); err == nil {
			l.Close()
			break
		}
	}
	return addr
}

// localURL returns the base URL of a listener; the address of every interface is localhost.
func localURL(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String()) // a listener's has both
	if ip := net.ParseIP(host); ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	base, _ := reviewcast.ParseBaseURL("http://" + net.JoinHostPort(host, port)) // without :80
	return base
}

// edgeEnvironment names an environment variable for every flag of edge, for services.
func edgeEnvironment(k *kong.Kong) error {
	i := slices.IndexFunc(k.Model.Children, func(command *kong.Node) bool { return command.Name == "edge" })
	for _, f := range k.Model.Children[i].Flags {
		if f.Name != "print-config" && len(f.Envs) == 0 {
			f.Envs = []string{"REVIEWCAST_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
			f.Tag.Envs = f.Envs
		}
	}
	return nil
}

// printConfig prints the flags with their values, without passwords, and where each is from.
func printConfig(std streams, k *kong.Context) {
	for _, f := range k.Selected().Flags {
		if f.Name == "print-config" {
			continue
		}
		source := "default"
		for _, env := range f.Envs {
			_, set := os.LookupEnv(env)
			source = diagnostic.Pick(set, env, source)
		}
		if slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag == f }) {
			source = "flag"
		}
		value := fmt.Sprint(f.Target.Interface())
		if f.IsSlice() {
			value = strings.Join(strings.Fields(strings.Trim(value, "[]")), ",")
		}
		fmt.Fprintf(std.out, "--%s=%s\t(%s)\n", f.Name, withoutPassword(f.Name, value), source)
	}
}

// withoutPassword hides values of flags that are secret or may have a password, in an address or in a database's
// settings, also those that would be refused.
func withoutPassword(flag, value string) string {
	switch {
	case store.IsPostgres(value):
		return stateSource(value)
	case strings.Contains(value, "@") || strings.Contains(strings.ToLower(value), "password=") || strings.HasSuffix(flag, "-secret") && value != "":
		return "xxxxx"
	}
	return value
}
