package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

type checkCmd struct {
	contentFlags
	Format string `help:"The output format: text for people, json for programs, github for annotations of a pull request." enum:"text,json,github" default:"text" placeholder:"FORM"`
	Strict bool   `help:"Treat warnings as errors."`
	Quiet  bool   `short:"q" help:"With --format text, print errors only, without warnings and without a summary."`
}

// Run checks once.
func (c *checkCmd) Run(ctx context.Context, std streams) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	builder := generator.NewBuilder(cfg)
	problems, err := builder.Check(ctx)
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
		if waiting, werr := builder.Waiting(ctx); werr == nil && errs == 0 && !c.Quiet {
			fmt.Fprint(std.out, waiting)
		}
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
	shown := diagnostic.Pick(c.Quiet, problems[:errs], problems)
	if err := terminal.Explain(std.out, c.Content, shown); err != nil || c.Quiet {
		return err
	}
	var parts []string
	if errs > 0 {
		parts = append(parts, colors.Red(diagnostic.Plural(errs, "error")))
	}
	if warnings := len(problems) - errs; warnings > 0 {
		parts = append(parts, colors.Yellow(diagnostic.Plural(warnings, "warning")))
	}
	if len(parts) == 0 {
		reviews, _ := filepath.Glob(filepath.Join(c.Content, "reviews", "[^.]*"))
		parts = append(parts, colors.Green("no problems"+diagnostic.When(len(reviews) == 0, ", and no reviews yet")))
	}
	_, err := fmt.Fprintf(std.out, "%s: %s\n", c.Content, strings.Join(parts, ", "))
	return err
}
