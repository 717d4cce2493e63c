package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"reviewcast/cmd/reviewcast/devserver"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
)

type devCmd struct {
	contentFlags
	Listen  string        `help:"The address to serve on; it is the base URL, unless --base-url says otherwise." default:"localhost:8080" placeholder:"ADDR"`
	Poll    time.Duration `help:"Compare the files at this interval instead of waiting for events of the system; for network folders." placeholder:"1s"`
	Quiet   bool          `short:"q" xor:"volume" help:"Print problems only."`
	Verbose bool          `short:"v" xor:"volume" help:"Also list every file that changed, and what the edge and the hub log."`
	serveFlags
}

// Help is what --help says beside the flags.
func (c *devCmd) Help() string {
	return `Builds the content folder, serves it on this machine and builds again whenever a
file is saved. The page in the browser reloads by itself. Errors appear in the terminal
and in an overlay on the page, and disappear once they are fixed; until then the last
good build is shown. Nothing is published, and no file is written. Stop it with Ctrl-C.

Examples:
  reviewcast dev
  reviewcast dev --content my-content --listen localhost:9000`
}

// Run builds and serves until ctx ends.
func (c *devCmd) Run(ctx context.Context, std streams) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	l, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	defer l.Close() // again, if serving has closed it
	if cfg.BaseURL == "" {
		cfg.BaseURL = localURL(l.Addr())
	}
	cfg.Lenient = true
	// Editors read the terminal, not a log: informational messages come with -v.
	level := slog.LevelWarn
	if c.Verbose || c.AccessLog {
		level = slog.LevelInfo
	}
	log := c.logger(std, level)
	if c.Quiet {
		std.out = io.Discard
	}
	return c.serve(ctx, std, l, cfg, log)
}

func (c *devCmd) serve(ctx context.Context, std streams, l net.Listener, cfg generator.Config, log *slog.Logger) error {
	holder := &snapshot.Holder{}
	ec := c.edgeConfig(holder, cfg.BaseURL, log)
	ec.Dev = true
	pushes, err := c.mountDevHub(ctx, &ec, c.Public)
	if err != nil {
		return err
	}
	mcp, err := c.mountMCP(&ec, pushes)
	var whole http.Handler
	if err == nil {
		whole, err = edge.New(ec)
	}
	if err != nil {
		return errors.Join(err, pushes.close())
	}
	preview, err := devserver.New(devserver.Config{
		Builder: generator.NewBuilder(cfg), ContentDir: c.Content, Poll: c.Poll, Snapshots: holder, Handler: whole,
		BaseURL: cfg.BaseURL, AccessLog: c.AccessLog, Logger: log, Out: std.out, Err: std.err, Verbose: c.Verbose,
	})
	if err != nil {
		return errors.Join(err, pushes.close())
	}
	return errors.Join(serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: preview, holder: holder, metrics: pushes.metrics, log: log,
		work: []func(context.Context) error{preview.Run, mcp, pushes.run},
	}), pushes.close())
}

// localURL is the base URL of a listener. An address that means every interface is
// reached as localhost.
func localURL(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
