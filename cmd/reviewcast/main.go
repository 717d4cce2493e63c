// Reviewcast publishes the verified customer reviews of one business: it turns a
// folder that editors write into files that anybody can fetch, and serves them.
//
//	reviewcast init my-content          a commented folder to start from
//	reviewcast dev                      build, serve on localhost, rebuild on every change
//	reviewcast build                    content/ -> public/
//	reviewcast edge                     serve public/, answer search and since, push changes
//	reviewcast hub list                 who subscribes, and how deliveries go
//	reviewcast import csv reviews.csv   bring an export in
//	reviewcast insights explain ID      why the insights say what they say
//
// Each command is a file of this package; main is wiring.
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
	_ "time/tzdata" // editors' machines may have no time zone database

	"github.com/alecthomas/kong"

	"reviewcast"
)

// The exit codes: a mistake in the content or in the work is not a mistake in
// the command line.
const (
	exitProblem = 1
	exitUsage   = 2
)

type cli struct {
	Init   initCmd   `cmd:"" help:"Write a commented starter folder."`
	Dev    devCmd    `cmd:"" help:"Build, serve on this machine, and rebuild on every change."`
	Check  checkCmd  `cmd:"" help:"Tell everything that is wrong in the editors' folder."`
	Diff   diffCmd   `cmd:"" help:"Show what a build would change for subscribers."`
	Build  buildCmd  `cmd:"" help:"Build the published files from the editors' folder."`
	Edge   edgeCmd   `cmd:"" help:"Serve the published files and answer search and since."`
	Pull   pullCmd   `cmd:"" help:"Keep an exact copy of a published site in a directory."`
	Hub    hubCmd    `cmd:"" help:"Look after the hub's subscriptions."`
	New    newCmd    `cmd:"" help:"Write a new review."`
	Schema schemaCmd `cmd:"" help:"Write JSON Schemas, so that editors complete and underline while you type."`
	Import importCmd `cmd:"" help:"Bring reviews in from somebody else's export."`

	Insights insightsCmd `cmd:"" help:"Show why the insights say what they say, and draft words from them."`

	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`

	Names namesCmd `cmd:"" hidden:""`

	Version kong.VersionFlag `help:"Print the version and exit."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks, the second one kills.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		if msg := err.Error(); msg != "" {
			fmt.Fprintln(os.Stderr, fold(os.Stderr, "reviewcast: "+msg, 4))
		}
		var usage usageError
		if errors.As(err, &usage) {
			os.Exit(exitUsage)
		}
		os.Exit(exitProblem)
	}
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// streams are where a command talks to people.
type streams struct {
	out, err io.Writer
}

// exited ends run early when kong has printed a help or a version.
type exited struct{}

// run is the program: what the command line says, until it is done or ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(exited); !ok {
				panic(r)
			}
		}
	}()
	parser, err := newParser(ctx, streams{stdout, stderr})
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "help": // as other programs have it
		args = append(slices.Clone(args[1:]), "--help")
	}
	c, err := parser.Parse(args)
	if err != nil {
		return usageError{fmt.Errorf("%w; --help shows what there is", err)}
	}
	return c.Run()
}

// helpOf is a flag's help with its default behind it, in the form of those helps
// that describe theirs in words.
func helpOf(v *kong.Value) string {
	if !v.HasDefault || v.Default == "" || v.IsBool() {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (default: " + v.Default + ")."
}

// longestHelp is the longest line of a help, in columns, however wide the
// terminal: longer ones are hard to read.
const longestHelp = 100

// newParser declares the command line.
func newParser(ctx context.Context, std streams) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("reviewcast"),
		kong.Description("Publishes the verified customer reviews of one business, as files that anybody can fetch."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { panic(exited{}) }),
		kong.Vars{"version": "reviewcast " + reviewcast.Version},
		importVars(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: longestHelp}),
		kong.ValueFormatter(helpOf),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
	)
}
