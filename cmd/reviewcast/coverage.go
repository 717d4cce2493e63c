package main

import (
	"context"
	"fmt"
	"strings"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
)

type coverageCmd struct {
	Aspect string `help:"One aspect only, by id." placeholder:"ID"`
	folderFlags
}

// Run prints the coverage.
func (c *coverageCmd) Run(ctx context.Context, std streams) error {
	in, err := readInsights(ctx, std, c.folderFlags)
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
		ids := make([]string, len(cover.Aspects))
		for i, a := range cover.Aspects {
			ids[i] = a.ID
		}
		return fmt.Errorf("coverage: there is no aspect %q; %s", c.Aspect, diagnostic.DidYouMean(c.Aspect, ids, "there are "+strings.Join(ids, ", ")))
	}
	if len(cover.Uncaught) > 0 {
		fmt.Fprintln(std.out, p.Bold("matched by no term"))
	}
	for _, u := range cover.Uncaught {
		fmt.Fprintf(std.out, "  %4d  %s\n", u.Reviews, terminal.Visible(u.Phrase))
	}
	return nil
}
