package main

import (
	"cmp"
	"context"
	"fmt"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
)

type newCmd struct {
	Review newReviewCmd `cmd:"" help:"Write a file with a new review."`
}

type newReviewCmd struct {
	folderFlags
	compose.Review
}

// Run asks and writes.
func (c *newReviewCmd) Run(ctx context.Context, std streams) error {
	content, _, day, err := c.load(ctx)
	if err != nil {
		return err
	}
	today := string(day)
	r := &c.Review
	if err := std.prompt(ctx, func(p *terminal.Prompter) error { return r.Ask(p, content, today) }); err != nil {
		return err
	}
	r.Date = cmp.Or(r.Date, today)
	if err := r.Resolve(content); err != nil {
		return err
	}
	path, problems, err := r.Write(ctx, c.Content, today)
	terminal.Problems(std.err, c.Content, problems)
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, path)
	if r.Verification == "" {
		fmt.Fprintln(std.err, terminal.Fold(std.err, "this review is not published until it has a verification: how you know that its author was a customer", 2))
	}
	return nil
}
