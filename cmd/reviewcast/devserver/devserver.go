// Package devserver is the preview of `reviewcast dev`: it builds the content folder whenever a file changes and
// serves the result from memory. It writes no files and publishes nothing.
//
// The watch reports changed files (watch.go), and the Server builds. The handler serves the newest files at once, lets
// other requests wait for the index, and adds to each page a script that reloads it and shows what is wrong
// (preview.go).
package devserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/edge/snapshot"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

// Config says what to preview. All but OutputDir and Poll is required.
type Config struct {
	Builder    *generator.Builder // builds the content; it should be lenient
	ContentDir string             // the folder to watch, as problems name it
	OutputDir  string             // where builds write, which is not watched; "" if elsewhere
	Poll       time.Duration      // the interval of comparing files; 0 waits for events of the system
	Snapshots  *snapshot.Holder   // receives the files of each build and then its snapshot
	BaseURL    string             // the origin that the builds are for
	Logger     *slog.Logger
	Out, Err   io.Writer // receive a line for each build, and the problems
}

// Server is a preview. It serves the newest files without waiting for their index, and makes a page when it is asked
// for. It is an [http.Handler].
type Server struct {
	Config
	edge     http.Handler          // of Snapshots
	build    atomic.Pointer[build] // nil before the first
	indexing sync.Mutex
	current  atomic.Pointer[state] // what the script receives
	done     chan struct{}         // closed when the preview ends

	reporting sync.Mutex           // held while a build or its lint is reported
	stopLint  context.CancelFunc   // of the build that is shown
	shown     *generator.Result    // nil before the first build
	reported  []diagnostic.Problem // of the last build
	linted    []diagnostic.Problem // by the last lint
}

// New returns a Server that has not built anything yet.
func New(c Config) *Server {
	s := &Server{Config: c, done: make(chan struct{}), stopLint: func() {}}
	s.send(&state{})
	return s
}

// Before returns the Server, which passes what it doesn't answer to the edge of Snapshots.
func (s *Server) Before(edge http.Handler) http.Handler {
	s.edge = edge
	return s
}

// Run watches and builds until ctx ends. It ends all event streams.
func (s *Server) Run(ctx context.Context) error {
	defer close(s.done)
	const gcPercent = 400 // lets the heap grow to five times what is live: every build throws a whole set of files away
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	defer func() { // what uses the snapshots may end now
		s.indexing.Lock()
		defer s.indexing.Unlock()
		if b := s.build.Load(); b != nil {
			s.build.Store(&build{pages: b.pages, index: func() {}})
		}
	}()
	return Watch(ctx, s.Config, func(names []string, quiet time.Duration) time.Duration { return s.rebuild(ctx, names, quiet) })
}

// rebuild builds once and shows the result, or why there is none. What may be half of a save is not shown: rebuild
// returns how long nothing must change before it is called again.
func (s *Server) rebuild(ctx context.Context, names []string, quiet time.Duration) (wait time.Duration) {
	start := time.Now()
	s.reporting.Lock()
	defer s.reporting.Unlock()
	s.stopLint()
	res, err := s.Builder.Prepare(ctx, names)
	if ctx.Err() != nil {
		return 0
	}
	if wait := s.settleTime(res, err); quiet < wait {
		return wait
	}
	if err == nil {
		err = s.accept(res, start)
	}
	if err != nil {
		s.fail(err)
		return 0
	}
	ctx, s.stopLint = context.WithCancel(ctx)
	time.AfterFunc(lintDelay, func() { s.lint(ctx, res) })
	return 0
}

// lintDelay is how long the lint of a build waits: the page and its index come first, and a newer build may come.
const lintDelay = 500 * time.Millisecond

// lint reports what package lint warns of, unless ctx ends before: a newer build is coming.
func (s *Server) lint(ctx context.Context, res *generator.Result) {
	warnings, err := res.Lint(ctx, s.ContentDir)
	s.reporting.Lock()
	defer s.reporting.Unlock()
	if err != nil || ctx.Err() != nil { // a folder that can't be read fails the next build, too
		return
	}
	terminal.Some(s.Err, s.ContentDir, unknown(warnings, s.linted))
	s.linted = warnings
	next := *s.current.Load()
	next.Warnings = s.excerpts(slices.Concat(res.Problems, warnings))
	s.send(&next)
}

func (s *Server) accept(res *generator.Result, start time.Time) error {
	before, prefix := s.shown, diagnostic.When(s.current.Load().Message != "", "nothing is wrong any more: ")
	if before == nil || before.Manifest.SetSHA256() != res.Manifest.SetSHA256() || !reflect.DeepEqual(before.Pages.Theme, res.Pages.Theme) {
		if err := s.show(res); err != nil {
			return fmt.Errorf("show the build: %w", err)
		}
	} else if now := s.current.Load(); now.Message != "" { // the content is what is served again
		s.send(&state{Build: now.Build, Warnings: now.Warnings})
	}
	s.Builder.Accept(res)
	s.shown = res
	s.problems(res.Problems)
	switch took := time.Since(start).Round(time.Millisecond); {
	case before == nil:
		fmt.Fprintf(s.Out, "%s, %s\nopen %s in a browser, which shows what is in %s (Ctrl-C stops)\n", terminal.Reviews(res.Dataset), took, res.BaseURL, s.ContentDir)
	case before.Site != res.Site || prefix != "": // otherwise a file was written with the same content
		fmt.Fprintf(s.Out, "%s%s, %s\n", prefix, changes(before.Dataset, res), took)
	}
	return nil
}

func (s *Server) fail(err error) {
	found, _ := errors.AsType[*generator.ProblemsError](err)
	problems := slices.Clone(cmp.Or(found, &generator.ProblemsError{}).Problems)
	s.problems(problems)
	fmt.Fprintf(s.Err, "%s\n", err)
	slices.SortStableFunc(problems, func(a, b diagnostic.Problem) int { return cmp.Compare(a.Severity, b.Severity) }) // errors first
	s.send(&state{Build: s.current.Load().Build, Message: err.Error(), Problems: s.excerpts(problems), Total: len(problems)})
}

// show serves the files of a build, searchable when a request needs that or after a moment.
func (s *Server) show(res *generator.Result) error {
	manifest, _ := json.Marshal(res.Manifest) // strings, numbers and times always marshal
	bodies := make(map[string][]byte, len(res.Artifacts))
	for _, a := range res.Artifacts {
		bodies[a.Path] = a.Body
	}
	files, err := snapshot.FilesOf(manifest, bodies, snapshot.Config{BaseURL: s.BaseURL, Logger: s.Logger, Hashed: true})
	if err != nil {
		return err
	}
	b := &build{pages: res.Pages}
	b.index = sync.OnceFunc(func() {
		s.indexing.Lock()
		defer s.indexing.Unlock()
		if s.build.Load() != b {
			return // a newer build is shown
		}
		searchable, err := files.Index()
		if err != nil {
			s.Logger.Error("index the build", "err", err)
			return
		}
		s.Snapshots.Indexed.Swap(searchable)
	})
	s.build.Store(b)
	s.Snapshots.Files.Swap(files)
	s.send(&state{Build: rand.Text(), Warnings: s.current.Load().Warnings})
	const indexDelay = 150 * time.Millisecond // the browser gets its page first, and a newer build may come
	time.AfterFunc(indexDelay, b.index)
	return nil
}

// A save is not one step: editors empty a file and write it again, rename, or delete and create. A build in between
// sees half of it.
const (
	// debounce is how long nothing must have changed before a build starts: longer than the steps of one save are apart.
	debounce = 4 * time.Millisecond
	// doubtWait applies to a build that failed or has fewer reviews: longer than a busy machine pauses between emptying a
	// file and writing it, 40 ms of which have been seen.
	doubtWait = 250 * time.Millisecond
	lossWait  = time.Second // applies to a build that lost most reviews: a large copy, or a folder that git replaces
)

// settleTime returns how long nothing must have changed before a build replaces the one that is shown.
func (s *Server) settleTime(res *generator.Result, err error) time.Duration {
	switch {
	case s.shown == nil:
		return 0
	case err == nil && 2*len(res.Dataset.Reviews) < len(s.shown.Dataset.Reviews):
		return lossWait
	case err != nil || len(res.Dataset.Reviews) < len(s.shown.Dataset.Reviews):
		return doubtWait
	}
	return 0
}

// problems prints the problems that the build before did not have.
func (s *Server) problems(problems []diagnostic.Problem) {
	terminal.Problems(s.Err, s.ContentDir, unknown(problems, s.reported))
	s.reported = problems
}

func unknown(problems, known []diagnostic.Problem) []diagnostic.Problem {
	have := make(map[diagnostic.Problem]bool, len(known))
	for _, p := range known {
		have[p] = true
	}
	return slices.DeleteFunc(slices.Clone(problems), func(p diagnostic.Problem) bool { return have[p] })
}

// changes describes what a build changes on the page.
func changes(before *reviewcast.Dataset, res *generator.Result) string {
	files := len(res.Changed) + len(res.Removed)
	if files == 0 {
		return "nothing changed"
	}
	const maxNamed = 3 // ids in a line
	d := res.Delta
	var parts []string
	for _, part := range []struct {
		ids  []string
		verb string
	}{{d.Added, "added"}, {d.Changed, "changed"}, {d.Removed, "removed"}} {
		if n := len(part.ids); n > 0 {
			names := strings.Join(part.ids[:min(n, maxNamed)], " ") + diagnostic.When(n > maxNamed, " …")
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, part.verb, names))
		}
	}
	if n := res.Dataset.Unpublished.Unverified; n != before.Unpublished.Unverified {
		parts = append(parts, fmt.Sprintf("%d not published: without a verification", n))
	}
	if was, is := reviewcast.Stars(before.AggregateRating.RatingValue), reviewcast.Stars(res.Dataset.AggregateRating.RatingValue); was != is {
		parts = append(parts, "rating "+was+" → "+is)
	}
	return strings.Join(append(parts, diagnostic.Plural(files, "file")), ", ")
}
