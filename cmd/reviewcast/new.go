package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
)

type newCmd struct {
	Review newReviewCmd `cmd:"" help:"Write a file with a new review."`
}

type newReviewCmd struct {
	folderFlags
	ID           string   `name:"id" help:"The review's id (default: a new one)." placeholder:"ID"`
	Author       string   `help:"First name and initial." placeholder:"NAME"`
	Rating       int      `help:"Stars, 1 to 5." placeholder:"N"`
	Date         string   `help:"The day of the review (default: today)." placeholder:"YYYY-MM-DD"`
	Title        string   `help:"Its title." placeholder:"TEXT"`
	Text         string   `help:"The customer's words." placeholder:"TEXT"`
	Language     string   `help:"BCP 47 tag (default: the site's)." placeholder:"TAG"`
	Source       string   `help:"Where it was given (default: direct)." placeholder:"NAME"`
	Verification string   `help:"How you know that the author was a customer: ${methods}. Without it the review is not published." placeholder:"METHOD"`
	Reference    string   `help:"Your proof, such as a job number; it is never published." placeholder:"TEXT"`
	Technicians  []string `help:"Who did the work: ids of business.yaml, or the beginnings of names." placeholder:"ID,…" ids:"technicians"`
	Services     []string `help:"What was done, likewise." placeholder:"ID,…" ids:"services"`
	ServiceAreas []string `name:"service-areas" help:"Where, likewise." placeholder:"ID,…" ids:"service-areas"`
}

func (c *newReviewCmd) Help() string {
	return `Asks for what no flag gives, if it runs in a terminal. The beginning of a technician's,
service's or area's name is enough; Tab completes it, ? lists them. A text can be pasted
with all its paragraphs. The file is written below reviews/, in the folder of its year,
after the last question; Ctrl-C leaves nothing behind.

Examples:
  reviewcast new review
  reviewcast new review --author "Maria K." --rating 5 --text "Quick and kind." --verification job`
}

// Run asks and writes.
func (c *newReviewCmd) Run(ctx context.Context, std streams) error {
	content, _, day, err := c.load(ctx)
	if err != nil {
		return err
	}
	today := string(day)
	r := &compose.Review{
		ID: c.ID, Author: c.Author, Rating: c.Rating, Date: c.Date, Title: c.Title, Text: c.Text, Language: c.Language, Source: c.Source,
		Verification: c.Verification, Reference: c.Reference, Technicians: c.Technicians, Services: c.Services, ServiceAreas: c.ServiceAreas,
	}
	if err := std.prompt(ctx, func(p *terminal.Prompter) error { return r.Ask(p, content, today) }); err != nil {
		return err
	}
	r.Date = cmp.Or(r.Date, today)
	if err := r.Resolve(content); err != nil {
		return inputError(err)
	}
	path, problems, err := r.Write(ctx, c.Content, today)
	terminal.Problems(std.err, c.Content, problems)
	if err != nil {
		return inputError(err)
	}
	fmt.Fprintln(std.out, path)
	if r.Verification == "" {
		fmt.Fprintln(std.err, terminal.Fold(std.err, "this review is not published until it has a verification: how you know that its author was a customer", 2))
	}
	return nil
}

// inputError makes a usage error of an [compose.InputError].
func inputError(err error) error {
	if _, ok := errors.AsType[compose.InputError](err); ok {
		return usageError{err}
	}
	return err
}
