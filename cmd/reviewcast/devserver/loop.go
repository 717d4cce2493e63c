package devserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"reviewcast"
	"reviewcast/generator"
)

// rebuild builds once and shows the result, or why there is none; then the last
// good build stays up. What may be half of a save is not shown: rebuild returns how
// long nothing must change before it is called again.
func (s *Server) rebuild(ctx context.Context, c Change) (wait time.Duration) {
	start := time.Now()
	res, err := s.builder.PrepareChanged(ctx, c.Names)
	if ctx.Err() != nil {
		return 0
	}
	if s.shown != nil {
		built := 0
		if err == nil {
			built = len(res.Dataset.Reviews)
		}
		if wait := settleTime(err, len(s.shown.Dataset.Reviews), built); c.Quiet < wait {
			return wait
		}
	}
	if err == nil {
		err = s.accept(res, start)
	}
	if err != nil {
		s.fail(err)
	}
	return 0
}

// accept shows a build and reports it.
func (s *Server) accept(res *generator.Result, start time.Time) error {
	before := s.shown
	switch {
	case before != nil && res.Site == before.Site: // a file was written with the same content
		s.clear()
		return nil
	case before == nil || !equalFiles(before.Manifest, res.Manifest) || !reflect.DeepEqual(before.Pages.Theme, res.Pages.Theme):
		if err := s.show(res); err != nil {
			return fmt.Errorf("show the build: %w", err)
		}
	default:
		s.clear()
	}
	s.builder.Accept(res)
	s.shown = res
	s.printer.problems(res.Problems)
	s.printer.built(before, res, time.Since(start))
	return nil
}

// equalFiles reports whether two builds have the same files.
func equalFiles(a, b *reviewcast.Manifest) bool {
	return slices.EqualFunc(a.Files, b.Files, func(a, b reviewcast.File) bool { return a.Path == b.Path && a.SHA256 == b.SHA256 })
}

// fail reports why there is no new build.
func (s *Server) fail(err error) {
	var p *generator.ProblemsError
	if !errors.As(err, &p) {
		p = &generator.ProblemsError{}
	}
	s.printer.problems(p.Problems)
	fmt.Fprintf(s.printer.err, "%s\n", err)
	s.preview.fail(err, p.Problems)
}

// indexDelay is how long the index waits, so that the browser gets its page first
// and a newer build can make it unnecessary.
const indexDelay = 150 * time.Millisecond

// show serves the files of a build. It is made searchable when a request needs that,
// or after indexDelay.
func (s *Server) show(res *generator.Result) error {
	b := &build{pages: res.Pages, manifest: *res.Manifest, bodies: make(map[string][]byte, len(res.Artifacts)), config: s.config}
	for _, a := range res.Artifacts {
		b.bodies[a.Path] = a.Body
	}
	files, err := b.open()
	if err != nil {
		return err
	}
	b.index = sync.OnceFunc(func() {
		s.indexing.Lock()
		defer s.indexing.Unlock()
		if s.build.Load() != b {
			return // a newer build is shown
		}
		searchable, err := files.Index()
		if err != nil {
			s.log.Error("index the build", "err", err)
			return
		}
		s.holder.SwapIndexed(searchable)
	})
	s.preview.show(b, files)
	s.send(&state{Build: rand.Text()})
	time.AfterFunc(indexDelay, b.index)
	return nil
}
