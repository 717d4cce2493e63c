// Reviewcast publishes the verified customer reviews of one business: it turns a folder that editors write into static
// files, and serves them.
//
// Each command is a file of this package; main connects packages and has no logic of its own.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/importer"
)

// The exit codes.
const (
	exitProblem = 1 // errors in the content, or the command failed
	exitUsage   = 2 // a mistake in the command line
	exitUnknown = 3 // a verification could not decide
)

type cli struct {
	Init   initCmd   `cmd:"" help:"Create a commented content folder to start from."`
	Dev    devCmd    `cmd:"" help:"Preview the content folder on this machine; rebuild on every change."`
	New    newCmd    `cmd:"" help:"Write a new review."`
	Check  checkCmd  `cmd:"" help:"List everything that is wrong in the content folder."`
	Build  buildCmd  `cmd:"" help:"Build the published files from the content folder."`
	Diff   diffCmd   `cmd:"" help:"Show what a build would change for subscribers."`
	Import importCmd `cmd:"" help:"Import reviews from another program's export."`
	Verify verifyCmd `cmd:"" help:"Recompute everything that a published site claims."`

	Edge edgeCmd `cmd:"" group:"Commands for operators:" help:"Serve the published files and answer searches."`
	Hub  hubCmd  `cmd:"" group:"Commands for operators:" help:"Manage the hub's subscriptions."`
	Pull pullCmd `cmd:"" group:"Commands for operators:" help:"Keep an exact copy of a published site in a directory."`

	Insights   insightsCmd   `cmd:"" group:"Other commands:" help:"Show how the insights come about, and draft texts from them."`
	Schema     schemaCmd     `cmd:"" group:"Other commands:" help:"Write JSON Schemas, so that text editors complete and check fields while you type."`
	Completion completionCmd `cmd:"" group:"Other commands:" help:"Print a completion script for a shell."`
	Version    versionCmd    `cmd:"" group:"Other commands:" help:"Print the version."`

	Complete completeCmd `cmd:"" hidden:"" passthrough:""`

	HelpAll     helpAllFlag      `name:"help-all" help:"Show help with all flags, also those for operators."`
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version and exit."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C stops in an orderly way, the second one at once.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(report(err, os.Stderr))
}

// report prints the error of run, and returns the exit code that it means.
func report(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[printed](err); ok {
		return int(code)
	}
	fmt.Fprintln(stderr, terminal.Fold(stderr, "reviewcast: "+err.Error(), 4))
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitProblem
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// printed is the error, an exit code, of a command that has printed what is wrong.
type printed int

func (printed) Error() string { return "" }

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// prompt calls ask with the terminal if people are there to answer.
func (std streams) prompt(ctx context.Context, ask func(*terminal.Prompter) error) error {
	if !terminal.IsTerminal(std.in) || !terminal.IsTerminal(std.out) {
		return nil
	}
	return ask(terminal.NewPrompter(ctx, std.in, std.out))
}

// exited is the panic that ends run when kong has printed a help or a version.
type exited struct{}

// run is the program. It returns when the command is done or ctx ends.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	defer func() {
		if r := recover(); r != nil && r != (exited{}) {
			panic(r)
		}
	}()
	parser, err := newParser(ctx, streams{stdin, stdout, stderr})
	if err != nil {
		return err
	}
	if len(args) == 0 || args[0] == "help" { // as in other programs
		args = append(slices.Clone(args[min(1, len(args)):]), "--help")
	}
	for _, arg := range args {
		if err := explain("quoting", arg); err != nil {
			return usageError{err}
		}
	}
	c, err := parser.Parse(args)
	isCommand := func(arg string) bool {
		return slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == arg })
	}
	if at := slices.IndexFunc(args, isCommand); err != nil && at > 0 && args[0][0] == '-' { // flags before the command
		args = slices.Concat(args[at:], args[:at])
		c, err = parser.Parse(args)
	}
	if err != nil {
		return usageError{parseError(args, err)}
	}
	return explainError(ctx, c.Run())
}

func explainError(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return terminal.ErrStopped
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrPermission) {
		where := diagnostic.Pick(exists(path.Path), path.Path, "the folder "+filepath.Dir(path.Path))
		return fmt.Errorf("this user may not use %s; ask for the right to read and write there, or choose another folder: %w", where, err)
	}
	if err == nil {
		return nil
	}
	return cmp.Or(explain("system errors", err.Error()), err)
}

func newParser(ctx context.Context, std streams) (*kong.Kong, error) {
	return kong.New(&cli{},
		kong.Name("reviewcast"),
		kong.Description("Publishes the verified customer reviews of one business as static files."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { panic(exited{}) }),
		kong.Vars{"version": programVersion(), "methods": strings.Join(reviewcast.VerificationMethods, ", "), "fields": strings.Join(importer.Fields(), ", "), "encodings": importer.Encodings()},
		kong.PostBuild(edgeEnvironment),
		kong.PostBuild(func(k *kong.Kong) error { details(k.Model.Node); return nil }),
		kong.ConfigureHelp(helpOptions),
		kong.Help(printHelp),
		kong.ValueFormatter(helpOf),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
	)
}

// version overrides the version of the build information:
//
//	go build -ldflags "-X main.version=v1.2.3" ./cmd/reviewcast
var version string

// programVersion describes this build, such as "reviewcast v1.2.3 go1.26.0 linux/amd64".
func programVersion() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); v == "" && ok {
		v = info.Main.Version
	}
	return fmt.Sprintf("reviewcast %s %s %s/%s", cmp.Or(v, "(devel)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type versionCmd struct{}

// Run prints the version.
func (c *versionCmd) Run(std streams) error {
	_, err := fmt.Fprintln(std.out, programVersion())
	return err
}
