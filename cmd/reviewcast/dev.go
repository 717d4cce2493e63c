package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
	"reviewcast/generator/source"
)

type devCmd struct {
	buildFlags
	Encodings string        `help:"Encoded variants to write beside each file: none, gzip or all." enum:"none,gzip,all" default:"none" placeholder:"WHICH"`
	Listen    string        `help:"The address to serve on; it is the base URL, unless --base-url says otherwise." default:"localhost:8080" placeholder:"ADDR"`
	Poll      time.Duration `help:"Look for changes at this interval instead of waiting for the system to tell; for network folders." placeholder:"1s"`
	Quiet     bool          `short:"q" xor:"volume" help:"Print nothing but problems."`
	Verbose   bool          `short:"v" xor:"volume" help:"List every file that changed, too, and what the edge and the hub tell operators."`
	serveFlags
}

// Help is what --help says beside the flags.
func (c *devCmd) Help() string {
	return `Builds the editors' folder, serves it on this machine and builds again whenever a
file is saved. The page in the browser reloads by itself. A mistake is shown with
its place, here and over the page, and the last good output stays up. Stop it with
Ctrl-C.

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
	// An editor gets a line a rebuild; what the edge and the hub tell operators comes
	// with -v.
	level := slog.LevelWarn
	if c.Verbose || c.AccessLog {
		level = slog.LevelInfo
	}
	log := c.logger(std, level)
	if c.Quiet {
		std.out = io.Discard
	}
	d := &dev{
		builder: generator.NewBuilder(cfg), holder: &snapshot.Holder{}, std: std, content: c.Content, hub: c.Hub, verbose: c.Verbose,
		config: snapshot.Config{BaseURL: cfg.BaseURL, Logger: log, Hashed: true}, preview: newPreview(c.Content, ctx.Done()),
		toIndex: make(chan indexJob, 1), toPing: make(chan *generator.Result, 1),
	}
	ec := c.edgeConfig(d.holder, cfg.BaseURL, log)
	ec.Dev = true
	pushes, err := c.mountDevHub(ctx, &ec, c.Public)
	if err != nil {
		l.Close()
		return err
	}
	mcp, err := c.mountMCP(&ec)
	if err == nil {
		d.preview.whole, err = edge.New(ec)
	}
	if err == nil {
		d.preview.files, err = edge.New(edge.Config{Snapshots: d.preview.holder, BaseURL: cfg.BaseURL, Dev: true, AccessLog: c.AccessLog, Logger: log})
	}
	if err != nil {
		l.Close()
		return errors.Join(err, pushes.close())
	}
	// An editor's machine has memory, and every build throws a whole set away: the
	// usual setting would collect several times within each. index collects when
	// nobody waits.
	debug.SetGCPercent(devGCPercent)
	return errors.Join(serve(ctx, service{
		listener: l, admin: c.AdminListen, handler: d.preview, holder: d.holder, metrics: pushes.metrics, health: pushes.health, log: log,
		work: []func(context.Context) error{
			func(ctx context.Context) error {
				return generator.Watch(ctx, c.Content, c.Poll, log, func(c generator.Change) time.Duration { return d.rebuild(ctx, c) })
			},
			d.index, d.ping, mcp, pushes.run,
		},
	}), pushes.close())
}

// devGCPercent lets the heap grow to five times what is live.
const devGCPercent = 400

// localURL is the base URL of a listener: an address that means every interface
// is reached as localhost.
func localURL(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// dev is the loop of an editor's day: build, show, write, tell. A save is on the
// page as soon as its files are made; the index that search needs, the disk and
// the hub follow.
type dev struct {
	builder *generator.Builder
	holder  *snapshot.Holder // with its index
	preview *preview
	config  snapshot.Config
	std     streams
	content string
	hub     string
	verbose bool // list the files

	shown    *generator.Result // nil before the first
	reported []source.Problem  // what the terminal shows already

	toIndex chan indexJob
	toPing  chan *generator.Result
	// building tells that a build is under way, waiting that one is put off.
	building, waiting atomic.Bool
}

// How long nothing must have happened before a build is believed that may have seen
// half a save: doubtFor, when it fails or has lost a review; goneFor, when it has
// lost most of them. Subscribers would be told.
const (
	doubtFor = 25 * time.Millisecond
	goneFor  = time.Second
)

// rebuild builds once. Whatever goes wrong is told, in the terminal and on the
// page, and the last good output stays up. What may be half a save is built again
// when nothing has happened for a while, which again asks for.
func (d *dev) rebuild(ctx context.Context, c generator.Change) (again time.Duration) {
	d.building.Store(true)
	defer func() {
		d.waiting.Store(again > 0)
		d.building.Store(false)
	}()
	if doubt := d.builder.Unfinished(c.Names); c.Still < doubt {
		return doubt
	}
	start := time.Now()
	res, err := d.builder.PrepareChanged(ctx, c.Names)
	if d.shown != nil {
		had := len(d.shown.Dataset.Reviews)
		switch {
		case err == nil && res.Site == d.shown.Site:
			d.preview.clear()
			return 0 // the second half of a save that was there already
		case !c.Settled && (err != nil || len(res.Dataset.Reviews) < had):
			return doubtFor
		case err == nil && c.Still < goneFor && 2*len(res.Dataset.Reviews) < had:
			return goneFor
		}
	}
	if err == nil {
		err = d.publish(ctx, res, start)
	}
	if err != nil && ctx.Err() == nil {
		d.fail(err)
	}
	return 0
}

// publish shows a build, tells of it and writes it.
func (d *dev) publish(ctx context.Context, res *generator.Result, start time.Time) error {
	if d.shown == nil || !sameFiles(d.shown.Manifest, res.Manifest) {
		if err := d.show(res); err != nil {
			return fmt.Errorf("show the build: %w", err)
		}
	} else {
		d.preview.clear()
	}
	d.report(res.Problems)
	if d.shown == nil {
		fmt.Fprintf(d.std.out, "%s, %s\nlook at it on %s (Ctrl-C stops)\n", summary(res), took(start), res.BaseURL)
	} else {
		fmt.Fprintf(d.std.out, "%s, %s\n", changes(d.shown.Dataset, res), took(start))
	}
	if d.verbose {
		d.std.files(res)
	}
	d.shown = res
	if err := d.builder.Write(ctx, res); err != nil {
		return fmt.Errorf("write the build: %w", err)
	}
	if d.hub != "" && len(res.ChangedTopics()) > 0 {
		select {
		case d.toPing <- res:
		case <-ctx.Done():
		}
	}
	return nil
}

// sameFiles tells whether two builds have the same files. What Result calls
// changed is held against the disk, where the build that is shown may not have
// arrived.
func sameFiles(a, b *reviewcast.Manifest) bool {
	return slices.EqualFunc(a.Files, b.Files, func(a, b reviewcast.File) bool { return a.Path == b.Path && a.SHA256 == b.SHA256 })
}

// fail tells why there is no new build.
func (d *dev) fail(err error) {
	var p *generator.ProblemsError
	if !errors.As(err, &p) {
		p = &generator.ProblemsError{}
	}
	d.report(p.Problems)
	fmt.Fprintf(d.std.err, "%s\n", err)
	d.preview.fail(err, p.Problems)
}

// report prints the problems that weren't there at the last save: an editor who
// mends one of ten needn't look for it among the other nine.
func (d *dev) report(problems []source.Problem) {
	known := make(map[source.Problem]bool, len(d.reported))
	for _, p := range d.reported {
		known[p] = true
	}
	for _, p := range problems {
		if !known[p] {
			fmt.Fprintln(d.std.err, fold(d.std.err, oneLine(d.content, p), 4))
		}
	}
	d.reported = problems
}

// show puts the build before the page without a detour over the disk, and has it
// indexed.
func (d *dev) show(res *generator.Result) error {
	manifest, err := json.Marshal(res.Manifest)
	if err != nil {
		return err
	}
	bodies := make(map[string][]byte, len(res.Artifacts))
	for _, a := range res.Artifacts {
		bodies[a.Path] = a.Body
	}
	c := d.config
	c.FilesOnly = true
	s, err := snapshot.FromArtifacts(manifest, bodies, c)
	if err != nil {
		return err
	}
	job := indexJob{manifest, bodies, d.preview.show(s)}
	select {
	case skipped := <-d.toIndex:
		job = job.insteadOf(skipped)
	default:
	}
	d.toIndex <- job // there is room: nobody else sends
	return nil
}

// indexJob is a build to be made searchable; done lets the requests through that
// wait for it.
type indexJob struct {
	manifest []byte
	bodies   map[string][]byte
	done     func()
}

// insteadOf is the job for whoever waits for a skipped one, too.
func (j indexJob) insteadOf(skipped indexJob) indexJob {
	done := j.done
	j.done = func() { skipped.done(); done() }
	return j
}

// indexCalm is how long the index waits for the browser to have its page, and for a
// newer build that makes it needless. Who asks for what needs it waits no longer.
const indexCalm = 150 * time.Millisecond

// index makes builds searchable until ctx ends, the newest first of all.
func (d *dev) index(ctx context.Context) error {
	calm := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case job := <-d.toIndex:
			calm.Reset(indexCalm)
			select {
			case <-calm.C:
			case <-d.preview.wanted:
			case <-ctx.Done():
				job.done()
				return nil
			}
			select {
			case newer := <-d.toIndex:
				job = newer.insteadOf(job)
			default:
			}
			s, err := snapshot.FromArtifacts(job.manifest, job.bodies, d.config)
			if err != nil {
				fmt.Fprintf(d.std.err, "index the build: %s\n", err)
			} else {
				d.holder.Swap(s)
			}
			job.done()
			// The next build then finds its memory at hand. To have the system give as
			// much anew takes longer than to build.
			runtime.GC()
		}
	}
}

// pingCalm is how long no build may follow before the hub is told: a burst of
// saves, or of a thousand files from version control, is one piece of news.
const pingCalm = 300 * time.Millisecond

// ping tells the hub about the topics that changed, once per burst, until ctx
// ends.
func (d *dev) ping(ctx context.Context) error {
	calm := time.NewTimer(pingCalm)
	calm.Stop()
	topics, baseURL := map[string]bool{}, ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case res := <-d.toPing:
			for _, topic := range res.ChangedTopics() {
				topics[topic] = true
			}
			baseURL = res.BaseURL
			calm.Reset(pingCalm)
		case <-calm.C:
			if d.building.Load() || d.waiting.Load() { // the burst may go on
				calm.Reset(pingCalm)
				continue
			}
			d.std.ping(ctx, d.hub, baseURL, slices.Sorted(maps.Keys(topics)))
			clear(topics)
		}
	}
}

// maxNamed is how many ids a line names.
const maxNamed = 3

// changes is the one line that a rebuild prints, but for the time: what is on
// the page now that wasn't before.
func changes(before *reviewcast.Dataset, res *generator.Result) string {
	d := generator.Compare(before, res.Dataset)
	var parts []string
	for _, part := range []struct {
		ids  []string
		what string
	}{{d.Added, "added"}, {d.Changed, "changed"}, {d.Removed, "removed"}} {
		if n := len(part.ids); n > 0 {
			named := strings.Join(part.ids[:min(n, maxNamed)], " ")
			if n > maxNamed {
				named += " …"
			}
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, part.what, named))
		}
	}
	if was, is := stars(d.Before.RatingValue), stars(d.After.RatingValue); was != is {
		parts = append(parts, "rating "+was+" → "+is)
	}
	files := len(res.Changed) + len(res.Removed)
	if files == 0 {
		return "nothing changed"
	}
	return strings.Join(append(parts, plural(files, "file")), ", ")
}

// stars writes a mean.
func stars(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", *v)
}
