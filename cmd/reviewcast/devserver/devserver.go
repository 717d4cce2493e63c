// Package devserver is the preview of `reviewcast dev`: it builds the content folder whenever a file changes and
// serves the result from memory. It writes no files and publishes nothing.
//
// The watch reports changed files (watch.go), and the loop builds (loop.go). The handler serves the newest files
// at once, lets other requests wait for the index, and adds to each page a script that reloads it and shows what
// is wrong (preview.go, events.go).
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

// Config says what to preview. All but OutputDir, Poll, Logger and the switches is
// required.
type Config struct {
	Builder    *generator.Builder // builds the content; it should be lenient
	ContentDir string             // the folder to watch, as problems name it
	OutputDir  string             // where builds write, which is not watched; "" if elsewhere
	Poll       time.Duration      // the interval of comparing files; 0 waits for events of the system
	Snapshots  *snapshot.Holder   // receives the files of each build and then its snapshot
	BaseURL    string             // the origin that the builds are for
	Logger     *slog.Logger       // nil discards the log
	Out, Err   io.Writer          // receive a line for each build, and the problems
	Verbose    bool               // list the files that a build changes
}

// Server is a preview. It is an [http.Handler].
type Server struct {
	preview
	builder *generator.Builder
	watch   WatchConfig
	config  snapshot.Config
	log     *slog.Logger
	printer printer

	shown    *generator.Result // nil before the first build
	indexing sync.Mutex
}

// New returns a Server that has not built anything yet.
func New(c Config) *Server {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		preview: preview{holder: c.Snapshots, content: c.ContentDir, done: make(chan struct{})},
		builder: c.Builder, log: c.Logger,
		watch:   WatchConfig{Dir: c.ContentDir, OutputDir: c.OutputDir, Poll: c.Poll, Logger: c.Logger},
		config:  snapshot.Config{BaseURL: c.BaseURL, Logger: c.Logger, Hashed: true},
		printer: printer{content: c.ContentDir, out: c.Out, err: c.Err, verbose: c.Verbose},
	}
	s.send(&state{})
	return s
}

// Before returns the Server, which passes what it doesn't answer to the edge of Snapshots.
func (s *Server) Before(edge http.Handler) http.Handler {
	s.edge = edge
	return s
}

// gcPercent lets the heap grow to five times what is live: every build throws a whole set of files away.
const gcPercent = 400

// Run watches and builds until ctx ends. It ends all event streams.
func (s *Server) Run(ctx context.Context) error {
	defer close(s.done)
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer func() { // what uses the snapshots may end now
		s.indexing.Lock()
		defer s.indexing.Unlock()
		s.build.Store(&build{index: func() {}})
	}()
	return Watch(ctx, s.watch, func(c Change) time.Duration { return s.rebuild(ctx, c) })
}
