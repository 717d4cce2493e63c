package main

import (
	"context"
	"fmt"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/internal/mirror"
	"reviewcast/internal/verify"
)

type verifyCmd struct {
	Published string `arg:"" help:"What to verify: a directory or a URL." placeholder:"DIR|URL"`
	Since     string `help:"The SIZE:HASH that an earlier verification printed." placeholder:"SIZE:HASH"`
	Only      string `help:"Verify only what programs read: data leaves out pages and exports." enum:",data" default:"" placeholder:"data"`
	Quiet     bool   `short:"q" help:"Print only the SIZE:HASH to note, and what is wrong."`
}

// exitUnknown is the exit code of a verification that could not decide.
const exitUnknown = 3

// verdict is the error of a verification that did not prove everything. Its result is printed already.
type verdict struct{ code int }

func (verdict) Error() string { return "" }

// Run verifies once.
func (c *verifyCmd) Run(ctx context.Context, std streams) error {
	var since verify.Note
	if c.Since != "" {
		var err error
		if since, err = verify.ParseNote(c.Since); err != nil {
			return usageError{fmt.Errorf("--since: %w", err)}
		}
	}
	if err := checkPublished(c.Published); err != nil {
		return err
	}
	source, err := mirror.Open(c.Published, mirror.Config{})
	if err != nil {
		return usageError{err}
	}
	r := verify.Verify(ctx, source, mirror.Scope(c.Only), since)
	c.print(std, r)
	switch {
	case len(r.Contradictions) > 0:
		return verdict{exitProblem}
	case len(r.Unknown) > 0:
		return verdict{exitUnknown}
	}
	return nil
}

// print writes what was found, and last what to note.
func (c *verifyCmd) print(std streams, r *verify.Result) {
	lines := func(what string, list []string) {
		for _, sentence := range list {
			fmt.Fprintln(std.out, terminal.Fold(std.out, what+": "+sentence, 4))
		}
	}
	if r.Sequence > 0 && !c.Quiet {
		fmt.Fprintf(std.out, "%s: version %d, %s, rating %s\n", c.Published, r.Sequence, terminal.Plural(r.Reviews, "review"), terminal.Stars(r.Rating))
	}
	if !c.Quiet {
		lines("proven", r.Proven)
	}
	lines("cannot be decided", r.Unknown)
	lines("contradicted", r.Contradictions)
	if r.Note == (verify.Note{}) {
		return
	}
	if !c.Quiet {
		fmt.Fprintln(std.out, terminal.Fold(std.out, "not provable: that reviews are genuine, that published edits were right, and what was never published", 4))
		fmt.Fprint(std.out, "to note for the next time: --since ")
	}
	fmt.Fprintln(std.out, r.Note)
}
