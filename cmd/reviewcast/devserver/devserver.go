// Package devserver is the preview of `reviewcast dev`: it builds the content
// folder whenever a file changes and serves the result from memory. It writes no
// files and publishes nothing.
//
// A [Server] joins three loops. The watch reports changed files and builds
// (watch.go, loop.go); settle.go decides when a build may be half of a save. The
// index loop makes the newest build searchable (index.go). The HTTP handler serves
// the files of the newest build at once, lets other requests wait for the index,
// and adds to each page a script that reloads it and shows what is wrong
// (preview.go, page.go, events.go).
package devserver

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"reviewcast/edge/snapshot"
	"reviewcast/generator"
)

// Config says what to preview.
type Config struct {
	// Builder builds the content; it should be lenient. Required.
	Builder *generator.Builder
	// ContentDir is the folder to watch, as problems name it. Required.
	ContentDir string
	// OutputDir is where builds write; "" if they write elsewhere. Changes in it are
	// ignored.
	OutputDir string
	// Poll compares the files at this interval; 0 waits for events of the system.
	Poll time.Duration
	// Snapshots receives the files of each build and then its snapshot. Required.
	Snapshots *snapshot.Holder
	// Handler is the edge of Snapshots. Required.
	Handler http.Handler
	// BaseURL is the origin that the builds are for. Required.
	BaseURL string
	// Logger is for the log; nil discards it.
	Logger *slog.Logger
	// Out receives a line for each build, and Err the problems. Required.
	Out, Err io.Writer
	// Verbose lists the files that a build changes.
	Verbose bool
}

// Server is a preview. It is an [http.Handler].
type Server struct {
	preview   *preview
	builder   *generator.Builder
	watch     WatchConfig
	snapshots *snapshot.Holder
	config    snapshot.Config
	log       *slog.Logger
	printer   printer

	shown   *generator.Result // nil before the first build
	toIndex chan indexJob
}

// New returns a Server that has not built anything yet.
func New(c Config) *Server {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		preview: newPreview(c.ContentDir, c.Handler, c.Snapshots),
		builder: c.Builder, snapshots: c.Snapshots, log: c.Logger,
		watch:   WatchConfig{Dir: c.ContentDir, OutputDir: c.OutputDir, Poll: c.Poll, Logger: c.Logger},
		config:  snapshot.Config{BaseURL: c.BaseURL, Logger: c.Logger, Hashed: true},
		printer: printer{content: c.ContentDir, out: c.Out, err: c.Err, verbose: c.Verbose},
		toIndex: make(chan indexJob, 1),
	}
	return s
}

// ServeHTTP answers from the newest build.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.preview.ServeHTTP(w, r) }

// gcPercent lets the heap grow to five times what is live. Every build throws a
// whole set of files away; the default would collect several times within each.
const gcPercent = 400

// Run watches, builds and indexes until ctx ends. It ends all event streams.
func (s *Server) Run(ctx context.Context) error {
	defer close(s.preview.done)
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.index(ctx) })
	err := Watch(ctx, s.watch, func(c Change) time.Duration { return s.rebuild(ctx, c) })
	cancel()
	wg.Wait()
	return err
}
