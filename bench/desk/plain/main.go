// Plain is reviewcast's build without insights, feeds and pages: loader, dataset,
// renderer, one file. It does what Hugo and Eleventy do in the comparison.
//
//	plain CONTENT FILE          builds once
//	plain -watch CONTENT FILE   builds again after each save
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/devserver"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
)

func main() {
	watch := flag.Bool("watch", false, "build again whenever something is saved")
	flag.Parse()
	b := &builder{content: flag.Arg(0), file: flag.Arg(1), lines: map[*source.Review][]byte{}}
	b.loader = source.NewLoader(b.content, source.Config{Today: "2027-01-01"})
	if err := b.run(*watch); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run builds once, or until it is interrupted.
func (b *builder) run(watch bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.build(ctx, nil); err != nil || !watch {
		return err
	}
	// As dev does it: a large heap that is collected after the build, and the same watch.
	debug.SetGCPercent(400)
	calm := time.AfterFunc(time.Hour, runtime.GC)
	return devserver.Watch(ctx, devserver.Config{ContentDir: b.content, Logger: slog.Default()}, func(names []string, _ time.Duration) time.Duration {
		if err := b.build(ctx, names); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		calm.Reset(150 * time.Millisecond)
		return 0
	})
}

type builder struct {
	content, file string
	loader        *source.Loader
	lines         map[*source.Review][]byte
}

// build builds once. changed are the changed files; nil means that any file may have
// changed.
func (b *builder) build(ctx context.Context, changed []string) error {
	c, delta, problems, err := b.loader.Load(ctx, changed)
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%d problems, the first: %s", len(problems), problems[0])
	}
	ds := reviewcast.Dataset{Version: 1, License: "all-rights-reserved", Business: c.Business, Reviews: make([]reviewcast.Review, 0, len(c.Reviews))}
	a := &ds.AggregateRating
	a.BestRating, a.WorstRating = reviewcast.MaxRating, reviewcast.MinRating
	d, sum := &a.Distribution, 0
	for _, r := range delta.Gone {
		delete(b.lines, r)
	}
	lines := make([][]byte, 0, len(c.Reviews))
	for _, r := range c.Reviews {
		if !r.Published {
			continue
		}
		pub := r.Review
		pub.Verified, pub.Mentions = true, r.Job
		if b.lines[r] == nil {
			if b.lines[r], err = render.ReviewLine(&pub); err != nil {
				return err
			}
		}
		lines = append(lines, b.lines[r])
		ds.Reviews = append(ds.Reviews, pub)
		sum += pub.Rating
		if pub.Text != nil {
			a.TextCount++
		}
		*[]*int{&d.One, &d.Two, &d.Three, &d.Four, &d.Five}[pub.Rating-1]++
	}
	a.RatingCount, ds.ReviewCount = len(ds.Reviews), len(ds.Reviews)
	mean := math.Round(100*float64(sum)/float64(len(ds.Reviews))) / 100
	a.RatingValue = &mean
	body, err := render.Dataset(&ds, lines)
	if err != nil {
		return err
	}
	return os.WriteFile(b.file, body, 0o644)
}
