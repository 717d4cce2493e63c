package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/edge/snapshot"
	"reviewcast/generator/diagnostic"
	"reviewcast/internal/mirror"
)

const (
	// originTimeout bounds one look at the origin with all its files.
	originTimeout = 5 * time.Minute
	// lookWithin is how long a look may take before /readyz says so: a silent origin has ended it by then.
	lookWithin = 30 * time.Second
	// stopWithin is how long writing a copy may take to stop: a disk that hangs must not keep the process.
	stopWithin = 2 * time.Second
	// copyDir is --public with --origin by default.
	copyDir = "copy"
)

// originSite follows a site: it serves each version that the copy accepts.
type originSite struct {
	copy   *mirror.Copy
	every  time.Duration
	pings  chan []string
	holder *snapshot.Holder
	config snapshot.Config
	log    *slog.Logger

	looking atomic.Pointer[time.Time] // when the look began that runs now; nil between two
	mu      sync.Mutex
	success time.Time // of the last look
	err     error     // of the last look; nil after a success
}

// follow has a service serve the origin that the flags name, with a copy in --public.
func (c *edgeCmd) follow(s *service) error {
	if c.OriginEvery < time.Second {
		return usageError{fmt.Errorf("--origin-every: %s is too short; the least is 1s", c.OriginEvery)}
	}
	// The copy has no pages; a build and a whole copy do, which would be removed.
	if exists(c.Public, reviewcast.PathIndex) {
		return usageError{fmt.Errorf("--public: %s has pages, as a build writes them; --origin would replace them by a copy of the data: name another folder, such as --public %s", c.Public, copyDir)}
	}
	base, err := reviewcast.ParseBaseURL(c.Origin)
	if err != nil {
		return usageError{fmt.Errorf("--origin: %w", err)}
	}
	source, _ := mirror.Open(base, mirror.Config{Timeout: originTimeout}) // base is a URL
	o := &originSite{every: c.OriginEvery, pings: make(chan []string, mirror.MaxAwaited), holder: s.holder, log: s.log.With("origin", base), err: errors.New("not looked at yet"),
		config: snapshot.Config{BaseURL: s.baseURL, Logger: s.log, Hashed: true, Holds: mirror.Data.Holds}}
	o.copy = &mirror.Copy{Dir: c.Public, Taken: o.serve,
		Follower: mirror.Follower{Source: source, Scope: mirror.Data, BaseURL: s.baseURL, AcceptRewrite: true}}
	s.origin, s.reload, s.work = o, o.ping, append(s.work, o.run)
	return nil
}

// serve serves a set from memory.
func (o *originSite) serve(set *mirror.Set) {
	files, err := snapshot.FilesOf(set.Files[reviewcast.PathManifest], set.Files, o.config)
	if err != nil {
		o.log.Error("version not served", "error", err)
		return
	}
	o.holder.Files.Swap(files)
	o.log.Info("serving version", "sequence", files.Sequence())
}

// maxError is the most bytes of an error that are logged and shown.
const maxError = 500

// look updates the copy and logs what has changed since the look before.
func (o *originSite) look(ctx context.Context) error {
	o.looking.Store(new(time.Now()))
	report, err := o.copy.Update(ctx)
	o.looking.Store(nil)
	if ctx.Err() != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.err
	if o.err = err; err == nil {
		o.success = time.Now()
	} else if len(err.Error()) > maxError { // an origin may lie at length
		o.err = fmt.Errorf("%s…", strings.ToValidUTF8(err.Error()[:maxError], ""))
	}
	switch {
	case err != nil && (before == nil || before.Error() != o.err.Error()):
		o.log.Warn("origin not followed; the last good version stays in service", "error", o.err)
	case err != nil: // as before
	case report.Updated && report.Relation == reviewcast.Forked:
		o.log.Warn("the origin has another history now; it was followed", "change", report)
	case report.Updated:
		o.log.Info("copy is up to date", "change", report)
	case before != nil:
		o.log.Info("origin is followed; nothing has changed")
	}
	return err
}

// ping makes run look now, and wait for the manifests.
func (o *originSite) ping(manifests []string) {
	select {
	case o.pings <- manifests:
	default: // so many are waiting that it is about to look
	}
}

// run follows the origin until ctx is done.
func (o *originSite) run(ctx context.Context) error {
	return stopping(ctx, stopWithin, func() error {
		o.copy.Run(ctx, o.every, o.pings, o.look)
		return nil
	}, func() { o.log.Warn("the copy is still being written; the next start completes it") })
}

// stopping returns what work returns or, when ctx is done and work goes on for longer than within, calls left and
// leaves it behind: a disk that hangs must not keep the process.
func stopping(ctx context.Context, within time.Duration, work func() error, left func()) error {
	ended := make(chan error, 1)
	go func() { ended <- work() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(within):
		left()
		return nil
	}
}

// health returns the error of the last look, with the age of the last success. A look that hangs is an error, too.
func (o *originSite) health() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.err
	if began := o.looking.Load(); began != nil && time.Since(*began) > lookWithin {
		err = fmt.Errorf("a look at it has not ended for %s: the origin is slow, or the disk of the copy hangs", time.Since(*began).Round(time.Second))
	}
	if err == nil || o.success.IsZero() {
		return err
	}
	return fmt.Errorf("last success %s ago: %w", time.Since(o.success).Round(time.Second), err)
}

func gauge(r prometheus.Registerer, name, help string, value func() float64) prometheus.Collector {
	g := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "reviewcast", Name: name, Help: help}, value)
	r.MustRegister(g)
	return g
}

func (o *originSite) register(r prometheus.Registerer) {
	gauge(r, "origin_up", "1: the last look at the origin succeeded.", func() float64 {
		return diagnostic.Pick(o.health() == nil, 1.0, 0)
	})
	gauge(r, "origin_last_success_timestamp_seconds", "When a look at the origin last succeeded; 0: never.", func() float64 {
		o.mu.Lock()
		defer o.mu.Unlock()
		return max(0, float64(o.success.UnixMilli())/1e3)
	})
}

func registerVersions(r prometheus.Registerer, h *snapshot.Holder) {
	gauge(r, "files_sequence", "The sequence of the version whose files are served; 0: none.", func() float64 {
		return float64(cmp.Or(h.Files.Load(), &snapshot.Files{}).Sequence())
	})
	gauge(r, "search_sequence", "The sequence of the version that search answers from; 0: none.", func() float64 {
		return float64(cmp.Or(h.Indexed.Load(), &snapshot.Snapshot{Files: &snapshot.Files{}}).Sequence())
	})
}
