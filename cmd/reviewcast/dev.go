package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"

	"reviewcast/edge"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
)

type devCmd struct {
	buildFlags
	Encodings string        `help:"Encoded variants to write beside each file: none, gzip or all." enum:"none,gzip,all" default:"none" placeholder:"WHICH"`
	Listen    string        `help:"The address to serve on; it is the base URL, unless --base-url says otherwise." default:"localhost:8080" placeholder:"ADDR"`
	Poll      time.Duration `help:"Look for changes at this interval instead of waiting for the system to tell; for network folders." placeholder:"1s"`
	serveFlags
}

func (c *devCmd) Help() string {
	return `Builds the editors' folder, serves it on this machine and builds again whenever a
file is saved. A mistake is shown with its place, and the last good output stays
up. Stop it with Ctrl-C.

Examples:
  reviewcast dev
  reviewcast dev --content my-content --listen localhost:9000`
}

// Run builds and serves until ctx ends.
func (c *devCmd) Run(ctx context.Context, std streams) error {
	cfg, err := c.buildConfig(c.Encodings)
	if err != nil {
		return err
	}
	l, err := listen(ctx, c.Listen)
	if err != nil {
		return err
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = localURL(l.Addr())
	}
	cfg.Lenient = true
	log := c.logger(std)
	d := &dev{
		builder: generator.NewBuilder(cfg), holder: &snapshot.Holder{}, std: std, content: c.Content, hub: c.Hub,
		config: snapshot.Config{BaseURL: cfg.BaseURL, Logger: log},
	}
	ec := c.edgeConfig(d.holder, cfg.BaseURL, log)
	ec.Dev = true
	handler, err := edge.New(ec)
	if err != nil {
		l.Close()
		return err
	}
	return serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: handler, holder: d.holder, log: log,
		work: []func(context.Context) error{func(ctx context.Context) error {
			return generator.Watch(ctx, c.Content, c.Poll, log, func() { d.rebuild(ctx) })
		}},
	})
}

// localURL is the base URL of a listener: an address that means every interface
// is reached as localhost.
func localURL(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// dev is the loop of an editor's day: build, show, write, tell.
type dev struct {
	builder *generator.Builder
	holder  *snapshot.Holder
	config  snapshot.Config
	std     streams
	content string
	hub     string
}

// rebuild builds once. What is built is served from memory first; the disk
// follows. Whatever goes wrong is told, and the last good output stays up.
func (d *dev) rebuild(ctx context.Context) {
	start := time.Now()
	res, err := d.builder.Prepare(ctx)
	if err != nil {
		if ctx.Err() == nil {
			fmt.Fprintf(d.std.err, "%s\n", d.std.buildError(d.content, err))
		}
		return
	}
	d.std.problems(d.content, res.Problems)
	first := d.holder.Load() == nil
	if first || len(res.Changed)+len(res.Removed) > 0 {
		if err := d.show(res); err != nil {
			fmt.Fprintf(d.std.err, "show the build: %s\n", err)
			return
		}
	}
	fmt.Fprintf(d.std.out, "%s, %s\n", summary(res), took(start))
	if first {
		fmt.Fprintf(d.std.out, "look at it on %s (Ctrl-C stops)\n", res.BaseURL)
	}
	if err := d.builder.Write(ctx, res); err != nil {
		fmt.Fprintf(d.std.err, "write the build: %s\n", err)
		return
	}
	d.std.ping(ctx, d.hub, res)
}

// show puts the build before the edge without a detour over the disk.
func (d *dev) show(res *generator.Result) error {
	manifest, err := json.Marshal(res.Manifest)
	if err != nil {
		return err
	}
	bodies := make(map[string][]byte, len(res.Artifacts))
	for _, a := range res.Artifacts {
		bodies[a.Path] = a.Body
	}
	s, err := snapshot.FromArtifacts(manifest, bodies, d.config)
	if err != nil {
		return err
	}
	d.holder.Swap(s)
	return nil
}
