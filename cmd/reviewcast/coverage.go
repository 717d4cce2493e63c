package main

import (
	"context"
	"fmt"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/insights"
)

type coverageCmd struct {
	Aspect        string `help:"One aspect only, by id." placeholder:"ID"`
	insightsFlags `embed:""`
}

// Help is what --help says beside the flags.
func (c *coverageCmd) Help() string {
	return `For each term and phrase of an aspect: in how many reviews it matches, and the newest
sentences. A term that matches the wrong sentences is narrowed with quotation marks
("boarding" doesn't match "board") or with ignore. Below are the frequent phrases that
no term matches: candidates for your terms.

Example:
  reviewcast insights coverage --aspect punctuality`
}

// Run prints the coverage.
func (c *coverageCmd) Run(ctx context.Context, std streams) error {
	in, err := c.read(ctx, std)
	if err != nil {
		return err
	}
	p := terminal.PaletteFor(std.out)
	cover := insights.Cover(in)
	found := false
	for _, a := range cover.Aspects {
		if c.Aspect != "" && c.Aspect != a.ID {
			continue
		}
		found = true
		fmt.Fprintln(std.out, p.Bold(a.ID))
		for _, t := range a.Terms {
			from := ""
			if t.Shipped {
				from = p.Dim(" (shipped)")
			}
			fmt.Fprintf(std.out, "  %4d  %s%s\n", t.Reviews, terminal.Fold(std.out, terminal.Visible(t.Term), 8), from)
			for _, e := range t.Examples {
				fmt.Fprintln(std.out, p.Dim(terminal.Fold(std.out, "          "+e.ReviewID+": "+terminal.Visible(e.Sentence), 10)))
			}
		}
	}
	if !found {
		return fmt.Errorf("coverage: there is no aspect %q", c.Aspect)
	}
	if len(cover.Uncaught) > 0 {
		fmt.Fprintln(std.out, p.Bold("matched by no term"))
	}
	for _, u := range cover.Uncaught {
		fmt.Fprintf(std.out, "  %4d  %s\n", u.Reviews, terminal.Visible(u.Phrase))
	}
	return nil
}
