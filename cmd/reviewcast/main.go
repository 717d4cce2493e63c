// Reviewcast publishes the verified customer reviews of one business: it turns a
// folder that editors write into static files, and serves them.
//
//	reviewcast init my-content          create a content folder to start from
//	reviewcast dev                      preview on localhost, rebuild on every change
//	reviewcast build                    content/ -> public/
//	reviewcast edge                     serve public/, answer searches, notify subscribers
//	reviewcast pull URL copy            keep an exact copy of a published site
//	reviewcast verify URL               recompute what a published site claims
//	reviewcast hub list                 list subscriptions
//	reviewcast import csv reviews.csv   import an export
//	reviewcast insights explain ID      show how the insights of a review come about
//
// Each command is a file of this package; main connects packages and has no logic of
// its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"

	"reviewcast/cmd/reviewcast/terminal"
)

// The exit codes.
const (
	exitProblem = 1 // errors in the content, or the command failed
	exitUsage   = 2 // a mistake in the command line
)

type cli struct {
	Init   initCmd   `cmd:"" help:"Create a commented content folder to start from."`
	Dev    devCmd    `cmd:"" help:"Preview the content folder on this machine; rebuild on every change."`
	Check  checkCmd  `cmd:"" help:"List everything that is wrong in the content folder."`
	Diff   diffCmd   `cmd:"" help:"Show what a build would change for subscribers."`
	Build  buildCmd  `cmd:"" help:"Build the published files from the content folder."`
	Edge   edgeCmd   `cmd:"" help:"Serve the published files and answer searches."`
	Pull   pullCmd   `cmd:"" help:"Keep an exact copy of a published site in a directory."`
	Verify verifyCmd `cmd:"" help:"Recompute everything that a published site claims."`
	Hub    hubCmd    `cmd:"" help:"Manage the hub's subscriptions."`
	New    newCmd    `cmd:"" help:"Write a new review."`
	Schema schemaCmd `cmd:"" help:"Write JSON Schemas, so that text editors complete and check fields while you type."`
	Import importCmd `cmd:"" help:"Import reviews from another program's export."`

	Insights insightsCmd `cmd:"" help:"Show how the insights come about, and draft texts from them."`

	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	Complete completeCmd `cmd:"" hidden:"" passthrough:""`

	VersionFlag kong.VersionFlag `name:"version" help:"Print the version and exit."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C stops in an orderly way, the second one at once.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if msg := err.Error(); msg != "" {
			fmt.Fprintln(os.Stderr, terminal.Fold(os.Stderr, "reviewcast: "+msg, 4))
		}
		var usage usageError
		if errors.As(err, &usage) {
			os.Exit(exitUsage)
		}
		var v verdict
		if errors.As(err, &v) {
			os.Exit(v.code)
		}
		os.Exit(exitProblem)
	}
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exited is the panic that ends run when kong has printed a help or a version.
type exited struct{}

// run is the program. It returns when the command is done or ctx ends.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
		}
	}()
	parser, err := newParser(ctx, streams{stdin, stdout, stderr})
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // as in other programs
		args = append(slices.Clone(args[1:]), "--help")
	}
	c, err := parser.Parse(args)
	if err != nil {
		return usageError{fmt.Errorf("%w; --help lists commands and flags", err)}
	}
	return c.Run()
}

// helpOf returns the help of a flag with its default at the end.
func helpOf(v *kong.Value) string {
	if !v.HasDefault || v.Default == "" || v.IsBool() {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (default: " + v.Default + ")."
}

// maxHelpColumns limits the lines of a help text however wide the terminal is:
// longer ones are hard to read.
const maxHelpColumns = 100

// newParser returns the parser of the command line.
func newParser(ctx context.Context, std streams) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("reviewcast"),
		kong.Description("Publishes the verified customer reviews of one business as static files."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { panic(exited{}) }),
		kong.Vars{"version": programVersion()},
		importVars(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: maxHelpColumns}),
		kong.ValueFormatter(helpOf),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
	)
}
