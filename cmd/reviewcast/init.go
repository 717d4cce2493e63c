package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/schema"
	"reviewcast/generator/starter"
)

type initCmd struct {
	Dir   string `arg:"" help:"The folder to create; it may exist if it is empty."`
	Empty bool   `help:"Leave out the example business and reviews: each field is a comment to fill in."`
}

// Run creates the folder and prints the next step.
func (c *initCmd) Run(std streams) error {
	if isContent(".") {
		return usageError{errors.New("this folder is a content folder already; to see it in a browser, run: reviewcast dev --content .")}
	}
	files, err := createContent(c.Dir, c.Empty)
	if err != nil && isContent(c.Dir) {
		return fmt.Errorf("%s is a content folder already, and was not changed; to see it in a browser, run: reviewcast dev --content %[1]s; the examples and the manual again are written by: reviewcast init example", c.Dir)
	} else if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(std.out, "  %s\n", f)
	}
	fmt.Fprintf(std.out, "%d files in %s. To see them in a browser, run:\n  reviewcast dev --content %s\n", len(files), c.Dir, commandLine(c.Dir))
	return nil
}

// createContent writes a content folder to start from and returns its files.
func createContent(dir string, empty bool) ([]string, error) {
	write := diagnostic.Pick(empty, starter.WriteEmpty, starter.Write)
	files, err := write(dir)
	if err != nil {
		return nil, err
	}
	return files, writeSchemas(filepath.Join(dir, schema.Folder))
}

type schemaCmd struct {
	Dir string `help:"The folder to write to." default:"content/.schemas" placeholder:"DIR"`
}

// Run writes the schemas.
func (c *schemaCmd) Run(std streams) error {
	if isContent(c.Dir) {
		c.Dir = filepath.Join(c.Dir, schema.Folder)
	}
	if parent := filepath.Dir(filepath.Clean(c.Dir)); !isFolder(parent) {
		up := stepsUp(parent)
		remedy := diagnostic.Pick(up == "", "name yours, as in --dir my-content/"+schema.Folder, "there is one above; change to the folder that holds it with: cd "+up)
		return usageError{fmt.Errorf("--dir: there is no folder %s here; %s", parent, remedy)}
	}
	if err := writeSchemas(c.Dir); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "the schemas in %s are up to date\n", c.Dir)
	return nil
}

func writeSchemas(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write schemas: %w", err)
	}
	for name, text := range schema.All() {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return fmt.Errorf("write schemas: %w", err)
		}
	}
	return nil
}

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
	r, given := &c.Review, c.Review // what is given is checked before the questions
	given.Author, given.Rating, given.Date, given.Reference = cmp.Or(r.Author, "A"), cmp.Or(r.Rating, 1), cmp.Or(r.Date, today), ""
	if err := given.Resolve(content); err != nil {
		return usageError{err}
	}
	if err := std.prompt(ctx, func(p *terminal.Prompter) error { return r.Ask(p, content, today) }); err != nil {
		return err
	}
	r.Date = cmp.Or(r.Date, today)
	if err := r.Resolve(content); err != nil {
		return usageError{err}
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
