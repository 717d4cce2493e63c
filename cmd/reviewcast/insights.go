package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
)

type insightsCmd struct {
	Explain  explainCmd  `cmd:"" help:"Show what is found in one review, and why."`
	Coverage coverageCmd `cmd:"" help:"Show what each term of insights.yaml finds, and what none finds."`
	Suggest  suggestCmd  `cmd:"" help:"Draft FAQ answers and a summary from the counts, for an editor to accept."`
}

type explainCmd struct {
	ID string `arg:"" help:"The review's id." ids:"reviews"`
	folderFlags
}

// Run explains one published review.
func (c *explainCmd) Run(ctx context.Context, std streams) error {
	in, err := readInsights(ctx, std, c.folderFlags)
	if err != nil {
		return err
	}
	var ids, named []string
	for _, r := range in.Reviews {
		if ids = append(ids, r.ID); strings.Contains(strings.ToLower(r.ID+" "+r.Author), strings.ToLower(c.ID)) {
			named = append(named, r.ID)
		}
	}
	i := slices.Index(ids, c.ID)
	if i < 0 {
		meant := diagnostic.Pick(len(named) == 1, strings.Join(named, ""), c.ID)
		return fmt.Errorf("explain %s: no published review has this id; %s", c.ID, diagnostic.DidYouMean(meant, ids, "ids are in the files of "+c.Content+"/reviews"))
	}
	printExplanation(std, sentiment.NewAnalyzer(in.Config).Explain(in.Reviews[i].Review))
	return nil
}

func printExplanation(std streams, e sentiment.Explanation) {
	p := terminal.PaletteFor(std.out)
	say := func(s string) { fmt.Fprintln(std.out, terminal.Fold(std.out, s, 0)) }
	row := func(format string, args ...any) {
		fmt.Fprintln(std.out, terminal.Fold(std.out, fmt.Sprintf(format, args...), 6))
	}
	r := e.Review
	fmt.Fprintf(std.out, "%s  %d of 5 stars, %s, %s: %s (%+.2f)\n", p.Bold(r.ID), r.Rating, r.Date, r.Language, polarityColor(p, e.Sentiment, string(e.Sentiment)), e.Score)
	if e.Language != "en" {
		say(p.Dim("Opinion words are known in English only: here names and phrases are found, and the sentiment is that of the stars."))
	}
	if r.Title != nil {
		say("\n" + p.Bold(marked(p, *r.Title, e.Mentions, true)))
	}
	if r.Text != nil {
		say("\n" + strings.TrimRight(marked(p, *r.Text, e.Mentions, false), "\n"))
	}
	fmt.Fprintln(std.out)
	for _, m := range e.Mentions {
		where := diagnostic.When(m.Title, "title ") + fmt.Sprintf("%d-%d", m.Start, m.End)
		words := terminal.Visible(strings.Join(strings.Fields(m.Words), " "))
		if m.Kind != "aspect" {
			id := cmp.Or(diagnostic.When(len(m.IDs) > 0, "? "+strings.Join(m.IDs, ", ")), m.ID)
			row("  %-12s %-22s %q %s", m.Kind, id, words, p.Dim(where+"; "+m.Rule))
			continue
		}
		counted := polarityColor(p, m.Polarity, fmt.Sprintf("%-12s", m.Polarity))
		counts := diagnostic.Pick(m.Use == sentiment.Counted, counted, p.Dim(fmt.Sprintf("%-12s", "(not counted)")))
		row("  %s %-22s %s %s", counts, m.ID, terminal.Visible(m.Reason()), p.Dim(where))
	}
	if len(e.Mentions) == 0 {
		fmt.Fprintln(std.out, p.Dim("  nothing found"))
	}
}

func polarityColor(p terminal.Palette, polarity reviewcast.Polarity, s string) string {
	colors := map[reviewcast.Polarity]func(string) string{reviewcast.Positive: p.Green, reviewcast.Negative: p.Red, reviewcast.Mixed: p.Yellow}
	if color := colors[polarity]; color != nil {
		return color(s)
	}
	return p.Dim(s)
}

// marked paints the words of the aspects in the text. Where phrases overlap, the first one is painted.
func marked(p terminal.Palette, text string, mentions []sentiment.Mention, title bool) string {
	runes, at := []rune(text), 0
	var b strings.Builder
	for _, m := range mentions {
		if m.Title != title || m.Start < at || m.Kind != "aspect" {
			continue
		}
		b.WriteString(terminal.Visible(string(runes[at:m.Start])))
		b.WriteString(polarityColor(p, m.Polarity, terminal.Visible(string(runes[m.Start:m.End]))))
		at = m.End
	}
	b.WriteString(terminal.Visible(string(runes[at:])))
	return b.String()
}

type suggestCmd struct {
	Output string `short:"o" help:"The file to write, outside the content folder; - prints." default:"-" placeholder:"FILE"`
	folderFlags
}

// Run drafts.
func (c *suggestCmd) Run(ctx context.Context, std streams) error {
	if c.Output != "-" && within(c.Output, c.Content) {
		return usageError{fmt.Errorf("-o: %s is in %s, where a build would read it; name a file outside", c.Output, c.Content)}
	}
	in, err := readInsights(ctx, std, c.folderFlags)
	if err != nil {
		return err
	}
	draft := terminal.Visible(insights.Draft(insights.Compute(in), in.Business.Name))
	if c.Output == "-" {
		_, err := fmt.Fprint(std.out, draft)
		return err
	}
	// A draft that an editor has begun to change is not overwritten.
	if err := compose.WriteNew(c.Output, draft); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists and isn't overwritten; name another file with -o", c.Output)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "drafted %s; copy what is true into faq.yaml and summary.md\n", c.Output)
	return nil
}

// readInsights reads what the insights are computed from and prints its problems.
func readInsights(ctx context.Context, std streams, f folderFlags) (insights.Input, error) {
	if err := f.check(); err != nil {
		return insights.Input{}, err
	}
	in, err := generator.NewBuilder(generator.Config{ContentDir: f.Content, Today: reviewcast.Date(f.Today)}).Insights(ctx)
	return in, std.buildError(f.Content, err)
}

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
	var ids []string
	for _, a := range cover.Aspects {
		if ids = append(ids, a.ID); c.Aspect != "" && c.Aspect != a.ID {
			continue
		}
		fmt.Fprintln(std.out, p.Bold(a.ID))
		for _, t := range a.Terms {
			fmt.Fprintf(std.out, "  %4d  %s%s\n", t.Reviews, terminal.Fold(std.out, terminal.Visible(t.Term), 8), diagnostic.When(t.Shipped, p.Dim(" (shipped)")))
			for _, e := range t.Examples {
				fmt.Fprintln(std.out, p.Dim(terminal.Fold(std.out, "          "+e.ReviewID+": "+terminal.Visible(e.Sentence), 10)))
			}
		}
	}
	if c.Aspect != "" && !slices.Contains(ids, c.Aspect) {
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
