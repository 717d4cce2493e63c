package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

type checkCmd struct {
	contentFlags
	Format  string `help:"The output format: text for people, json for programs, github for annotations of a pull request." enum:"text,json,github" default:"text" placeholder:"FORM"`
	Strict  bool   `help:"Treat warnings as errors."`
	Quiet   bool   `short:"q" xor:"volume" help:"With --format text, print errors only, without warnings and without a summary."`
	Verbose bool   `short:"v" xor:"volume" help:"With --format text, also count the problems of each kind."`
}

// Run checks once.
func (c *checkCmd) Run(ctx context.Context, std streams) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	problems, err := generator.NewBuilder(cfg).Check(ctx)
	if err != nil {
		return err
	}
	errs := 0
	for i := range problems {
		if c.Strict {
			problems[i].Severity = diagnostic.Error
		}
		if problems[i].Severity == diagnostic.Error {
			errs++
		}
	}
	switch c.Format {
	case "json":
		err = terminal.WriteJSON(std.out, problems)
	case "github":
		err = terminal.WriteGitHub(std.out, c.Content, problems)
	default:
		err = c.text(std, problems, errs)
	}
	if err == nil && errs > 0 {
		err = printed(exitProblem)
	}
	return err
}

// text writes for people: first the errors, which stop a build, then the warnings.
func (c *checkCmd) text(std streams, problems []diagnostic.Problem, errs int) error {
	colors := terminal.PaletteFor(std.out)
	slices.SortStableFunc(problems, func(a, b diagnostic.Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	if c.Quiet {
		return terminal.Explain(std.out, c.Content, problems[:errs])
	}
	if err := terminal.Explain(std.out, c.Content, problems); err != nil {
		return err
	}
	if c.Verbose {
		byCode := map[string]int{}
		for _, p := range problems {
			byCode[p.Code]++
		}
		for _, code := range slices.SortedFunc(maps.Keys(byCode), func(a, b string) int {
			return cmp.Or(cmp.Compare(byCode[b], byCode[a]), cmp.Compare(a, b))
		}) {
			fmt.Fprintf(std.out, "%7d  %s\n", byCode[code], code)
		}
	}
	var parts []string
	if errs > 0 {
		parts = append(parts, colors.Red(diagnostic.Plural(errs, "error")))
	}
	if warnings := len(problems) - errs; warnings > 0 {
		parts = append(parts, colors.Yellow(diagnostic.Plural(warnings, "warning")))
	}
	if len(parts) == 0 {
		parts = append(parts, colors.Green("no problems"))
	}
	_, err := fmt.Fprintf(std.out, "%s: %s\n", c.Content, strings.Join(parts, ", "))
	return err
}

type diffCmd struct {
	Published string `arg:"" help:"The published set: a folder or a URL." placeholder:"DIR|URL"`
	folderFlags
	BaseURL string `name:"base-url" help:"The origin to publish under, instead of site.yaml's base_url." placeholder:"URL"`
	Quiet   bool   `short:"q" xor:"volume" help:"Print only the numbers of changes, and the rating."`
	Verbose bool   `short:"v" xor:"volume" help:"Also show the old and new value of each changed field."`
}

// Run compares once.
func (c *diffCmd) Run(ctx context.Context, std streams) error {
	cfg, err := (&contentFlags{folderFlags: c.folderFlags, BaseURL: c.BaseURL}).config()
	if err != nil {
		return err
	}
	if err := checkPublished(c.Published); err != nil {
		return err
	}
	before, err := generator.ReadDataset(ctx, c.Published)
	if err != nil {
		return err
	}
	after, problems, err := generator.NewBuilder(cfg).Dataset(ctx)
	if err != nil {
		return std.buildError(c.Content, err)
	}
	terminal.Problems(std.err, c.Content, problems)
	if before == nil {
		if strings.Contains(c.Published, "://") {
			return fmt.Errorf("nothing of reviewcast is published at %s; is it the address in base_url?", c.Published)
		}
		fmt.Fprintf(std.out, "nothing is published in %s yet, so every review is new\n", c.Published)
		c.Quiet = !c.Verbose
		before = &reviewcast.Dataset{Business: after.Business}
	}
	after.Business.URL = cmp.Or(after.Business.URL, before.Business.URL) // the origin, which is known to a build
	return c.print(std, before, after)
}

// print writes a line for each review, and the rating.
func (c *diffCmd) print(std streams, before, after *reviewcast.Dataset) error {
	colors := terminal.PaletteFor(std.out)
	was, is := byID(before), byID(after)
	d := reviewcast.Difference(slices.Collect(maps.Values(was)), slices.Collect(maps.Values(is)))
	business := asPublished(before.Business) == asPublished(after.Business)
	line := func(s string) { fmt.Fprintln(std.out, terminal.Fold(std.out, s, 4)) }
	if c.Quiet {
		line = func(string) {}
	}
	for _, id := range d.Added {
		line(colors.Green("+ " + describe(is[id])))
	}
	for _, id := range d.Changed {
		line(colors.Yellow("~ "+describe(is[id])) + ": " + strings.Join(d.Fields[id], ", "))
		if c.Verbose {
			a, b := members(was[id]), members(is[id])
			for _, field := range d.Fields[id] {
				old, next := clip(a[field], b[field])
				line(fmt.Sprintf("    %s: %s → %s", field, old, next))
			}
		}
	}
	for _, id := range d.Removed {
		line(colors.Red("- " + describe(was[id])))
	}
	if !business {
		line(colors.Yellow("~ the data of the business"))
	}
	if d.Empty() && business {
		fmt.Fprintln(std.out, "no review would change")
	} else {
		fmt.Fprintf(std.out, "%d added, %d changed, %d withdrawn\n", len(d.Added), len(d.Changed), len(d.Removed))
	}
	fmt.Fprintf(std.out, "rating %s of %s before, %s of %s after\n", terminal.Stars(before.AggregateRating.RatingValue), diagnostic.Plural(before.AggregateRating.RatingCount, "review"),
		terminal.Stars(after.AggregateRating.RatingValue), diagnostic.Plural(after.AggregateRating.RatingCount, "review"))
	return nil
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

// asPublished returns a value as it is published.
func asPublished(v any) string {
	data, _ := json.Marshal(v) // types of the contract always marshal
	return string(data)
}

// members returns the published members of a review, as JSON.
func members(r *reviewcast.Review) (m map[string]json.RawMessage) {
	_ = json.Unmarshal([]byte(asPublished(r)), &m) // marshalled above
	return m
}

// maxClip is the number of characters of a member in a line, and clipBefore how many of them are before a difference.
const maxClip, clipBefore = 60, 15

// clip returns two values of a member, shortened to where they differ; one that is null is "nothing".
func clip(a, b json.RawMessage) (string, string) {
	was, is := []rune(terminal.Visible(string(a))), []rune(terminal.Visible(string(b)))
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	from := max(0, same-clipBefore)
	shorten := func(s []rune) string {
		switch {
		case len(s) == 0 || string(s) == "null":
			return "nothing"
		case len(s) <= maxClip:
			return string(s)
		case from > 0:
			s = append([]rune("…"), s[from:]...)
		}
		if len(s) > maxClip {
			s = append(s[:maxClip-1:maxClip-1], '…')
		}
		return string(s)
	}
	return shorten(was), shorten(is)
}
