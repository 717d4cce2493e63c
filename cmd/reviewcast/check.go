package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

type checkCmd struct {
	Content  string `help:"The editors' folder." default:"content" placeholder:"DIR"`
	Public   string `help:"The output folder: a review that is published there must not vanish." default:"public" placeholder:"DIR"`
	Previous string `help:"Where the last published set is: a folder or a URL (default: the output folder)." placeholder:"DIR|URL"`
	Today    string `help:"The day that no review may be dated after (default: today, where the business is)." placeholder:"YYYY-MM-DD"`
	Format   string `help:"How problems are written: text for people, json for programs, github for annotations of a pull request." enum:"text,json,github" default:"text" placeholder:"FORM"`
	Strict   bool   `help:"Take warnings for errors."`
	Quiet    bool   `short:"q" xor:"volume" help:"Print errors only, in the text form: no warnings, and no count."`
	Verbose  bool   `short:"v" xor:"volume" help:"Count the problems of each kind, too, in the text form."`
}

// Help is what --help says beside the flags.
func (c *checkCmd) Help() string {
	return `Reads everything, writes nothing, and tells every problem at once: where, what is
wrong, and what would be right. Errors stop a build. Warnings may be right and are
worth a look: personal data in a text, a full surname where the policy is initials,
two reviews of nearly the same words.

The exit code is 0 when there is nothing to mend, 1 when there is, 2 for a mistake in
the command line.

Examples:
  reviewcast check
  reviewcast check --strict --format github
  reviewcast check --format json | jq '.problems[].code'`
}

// Run checks once.
func (c *checkCmd) Run(ctx context.Context, std streams) error {
	flags := contentFlags{Content: c.Content, Public: c.Public, Previous: c.Previous, Today: c.Today}
	cfg, err := flags.config()
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
		err = errProblems
	}
	return err
}

// errProblems ends a check that has said everything already.
var errProblems = errors.New("")

// text writes for people: errors before warnings, so that those that stop a
// build are not between the others.
func (c *checkCmd) text(std streams, problems []diagnostic.Problem, errs int) error {
	ink := terminal.PaletteFor(std.out)
	byCode := map[string]int{}
	for _, severity := range []diagnostic.Severity{diagnostic.Error, diagnostic.Warning} {
		var some []diagnostic.Problem
		for _, p := range problems {
			if p.Severity == severity {
				some = append(some, p)
				byCode[p.Code]++
			}
		}
		if c.Quiet && severity == diagnostic.Warning {
			return nil
		}
		if err := terminal.Explain(std.out, c.Content, some); err != nil {
			return err
		}
	}
	if c.Verbose {
		for _, code := range slices.SortedFunc(maps.Keys(byCode), func(a, b string) int {
			return cmp.Or(cmp.Compare(byCode[b], byCode[a]), cmp.Compare(a, b))
		}) {
			fmt.Fprintf(std.out, "%7d  %s\n", byCode[code], code)
		}
	}
	var parts []string
	if errs > 0 {
		parts = append(parts, ink.Red(terminal.Plural(errs, "error")))
	}
	if warnings := len(problems) - errs; warnings > 0 {
		parts = append(parts, ink.Yellow(terminal.Plural(warnings, "warning")))
	}
	if len(parts) == 0 {
		parts = append(parts, ink.Green("no problems"))
	}
	_, err := fmt.Fprintf(std.out, "%s: %s\n", c.Content, strings.Join(parts, ", "))
	return err
}
