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
	Published string `arg:"" help:"Where the published set is: a folder or a URL." placeholder:"DIR|URL"`
	Content   string `help:"The editors' folder." default:"content" placeholder:"DIR"`
	BaseURL   string `name:"base-url" help:"The origin to publish under, instead of site.yaml's." placeholder:"URL"`
	Today     string `help:"The day that no review may be dated after (default: today, where the business is)." placeholder:"YYYY-MM-DD"`
	Quiet     bool   `short:"q" xor:"volume" help:"Print only how many would change, and the rating."`
	Verbose   bool   `short:"v" xor:"volume" help:"Show what each changed field is now and would be."`
}

// Help is what --help says beside the flags.
func (c *diffCmd) Help() string {
	return `Shows what a build would change for those who follow the reviews: which are added,
changed or withdrawn, and the rating before and after. Nothing is written.

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
		after.Business.URL = before.Business.URL // the origin, which a build would know
	}
	if before == nil {
		why := "nothing is published in %s yet\n"
		if !isFolder(c.Published) {
			why = "there is no folder %s, so that nothing is published there yet\n"
		}
		fmt.Fprintf(std.out, why, c.Published)
	}
	return c.print(std, before, after)
}

// print writes a line for each review, then the rating.
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
		line(ink.Yellow("~ the business's own words"))
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

// describe is a review in a few words.
func describe(r *reviewcast.Review) string {
	return fmt.Sprintf("%s (%s, %d of %d stars, %s)", r.ID, terminal.Visible(r.Author), r.Rating, reviewcast.MaxRating, r.Date)
}

// members are a review's published members, as JSON.
func members(r *reviewcast.Review) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	data, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		panic("diff: a review is no JSON object: " + err.Error())
	}
	return m
}

// maxClip is how many characters of a member a line shows.
const maxClip = 60

// clip shows a member, short; one that isn't there is "nothing".
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
