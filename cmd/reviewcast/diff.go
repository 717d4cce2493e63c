package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
)

type diffCmd struct {
	Published string `arg:"" help:"The published set: a folder or a URL." placeholder:"DIR|URL"`
	Content   string `help:"The content folder." default:"content" placeholder:"DIR"`
	BaseURL   string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Today     string `help:"Today's date, which no review may be after (default: that of the business's time zone)." placeholder:"YYYY-MM-DD"`
	Quiet     bool   `short:"q" xor:"volume" help:"Print only the numbers of changes, and the rating."`
	Verbose   bool   `short:"v" xor:"volume" help:"Also show the old and new value of each changed field."`
}

// Help is what --help says beside the flags.
func (c *diffCmd) Help() string {
	return `Shows what a build would change for subscribers: the reviews added, changed or
withdrawn, and the rating before and after. Nothing is written.

Examples:
  reviewcast diff public
  reviewcast diff https://reviews.example.com --content my-content`
}

// Run compares once.
func (c *diffCmd) Run(ctx context.Context, std streams) error {
	flags := contentFlags{Content: c.Content, BaseURL: c.BaseURL, Today: c.Today}
	cfg, err := flags.config()
	if err != nil {
		return err
	}
	before, err := generator.ReadDataset(ctx, c.Published)
	if err != nil {
		return err
	}
	after, problems, err := generator.NewBuilder(cfg).Dataset(ctx)
	var p *generator.ProblemsError
	if errors.As(err, &p) {
		return std.buildError(c.Content, err)
	} else if err != nil {
		return err
	}
	terminal.Problems(std.err, c.Content, problems)
	if before != nil && after.Business.URL == "" {
		after.Business.URL = before.Business.URL // the origin, which is known to a build
	}
	if before == nil {
		why := "nothing is published in %s yet\n"
		if !isFolder(c.Published) {
			why = "there is no folder %s yet, so every review is new\n"
		}
		fmt.Fprintf(std.out, why, c.Published)
	}
	return c.print(std, before, after)
}

// print writes a line for each review, and the rating.
func (c *diffCmd) print(std streams, before, after *reviewcast.Dataset) error {
	ink := terminal.PaletteFor(std.out)
	if before == nil {
		before = &reviewcast.Dataset{Business: after.Business}
	}
	was, is := byID(before), byID(after)
	d := reviewcast.Difference(slices.Collect(maps.Values(was)), slices.Collect(maps.Values(is)))
	business, err := sameJSON(before.Business, after.Business)
	if err != nil {
		return err
	}
	line := func(s string) { fmt.Fprintln(std.out, terminal.Fold(std.out, s, 4)) }
	if c.Quiet {
		line = func(string) {}
	}
	for _, id := range d.Added {
		line(ink.Green("+ " + describe(is[id])))
	}
	for _, id := range d.Changed {
		line(ink.Yellow("~ "+describe(is[id])) + ": " + strings.Join(d.Fields[id], ", "))
		if c.Verbose {
			a, b := members(was[id]), members(is[id])
			for _, field := range d.Fields[id] {
				line(fmt.Sprintf("    %s: %s → %s", field, clip(a[field]), clip(b[field])))
			}
		}
	}
	for _, id := range d.Removed {
		line(ink.Red("- " + describe(was[id])))
	}
	if !business {
		line(ink.Yellow("~ the data of the business"))
	}
	if d.Empty() && business {
		fmt.Fprintln(std.out, "no review would change")
	} else {
		fmt.Fprintf(std.out, "%d added, %d changed, %d withdrawn\n", len(d.Added), len(d.Changed), len(d.Removed))
	}
	fmt.Fprintf(std.out, "rating %s of %s before, %s of %s after\n", terminal.Stars(before.AggregateRating.RatingValue), terminal.Plural(before.AggregateRating.RatingCount, "review"),
		terminal.Stars(after.AggregateRating.RatingValue), terminal.Plural(after.AggregateRating.RatingCount, "review"))
	return nil
}

// sameJSON reports whether two values are published as the same bytes.
func sameJSON(a, b any) (bool, error) {
	was, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	is, err := json.Marshal(b)
	return string(was) == string(is), err
}

func byID(ds *reviewcast.Dataset) map[string]*reviewcast.Review {
	m := make(map[string]*reviewcast.Review, len(ds.Reviews))
	for i := range ds.Reviews {
		m[ds.Reviews[i].ID] = &ds.Reviews[i]
	}
	return m
}

// describe returns a review in a few words.
func describe(r *reviewcast.Review) string {
	return fmt.Sprintf("%s (%s, %d of %d stars, %s)", r.ID, terminal.Visible(r.Author), r.Rating, reviewcast.MaxRating, r.Date)
}

// members returns the published members of a review, as JSON.
func members(r *reviewcast.Review) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		panic("diff: a review is not a JSON object: " + err.Error())
	}
	return m
}

// maxClip is the number of characters of a member in a line.
const maxClip = 60

// clip returns a member, shortened; one that is null is "nothing".
func clip(v json.RawMessage) string {
	s := []rune(terminal.Visible(string(v)))
	switch {
	case len(s) == 0 || string(s) == "null":
		return "nothing"
	case len(s) > maxClip:
		return string(s[:maxClip-1]) + "…"
	}
	return string(s)
}
