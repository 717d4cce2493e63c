// Plain is reviewcast's build with the insights, feeds and pages left out: the
// loader, the dataset, the renderer, one file. Hugo and Eleventy have no insights
// to leave out, so this is what the comparison with them compares.
package main

import (
	"context"
	"fmt"
	"math"
	"os"

	"reviewcast"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, content, file string) error {
	c, problems, err := source.NewLoader(content, source.Config{Today: "2027-01-01"}).Load(ctx)
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%d problems, the first: %s", len(problems), problems[0])
	}
	ds := reviewcast.Dataset{Version: 1, License: "all-rights-reserved", Business: c.Business}
	a := &ds.AggregateRating
	a.BestRating, a.WorstRating = reviewcast.MaxRating, reviewcast.MinRating
	d, sum := &a.Distribution, 0
	for _, r := range c.Reviews {
		if !r.Published {
			continue
		}
		pub := r.Review
		pub.Verified, pub.Mentions = true, r.Job
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
	body, err := render.Reviews(&ds)
	if err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}
