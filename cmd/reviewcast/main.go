// Reviewcast publishes the verified customer reviews of one business: it turns a folder that editors write into static
// files, and serves them.
//
// Each command is a file of this package; main connects packages and has no logic of its own.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/importer"
	"reviewcast/generator/schema"
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
	if msg := err.Error(); msg != "" {
		fmt.Fprintln(stderr, terminal.Fold(stderr, "reviewcast: "+msg, 4))
	}
	_, option := errors.AsType[*importer.UsageError](err)
	if _, usage := errors.AsType[usageError](err); usage || option {
		return exitUsage
	}
	if v, ok := errors.AsType[verdict](err); ok {
		return v.code
	}
	return exitProblem
}

// usageError is a mistake in the command line.
type usageError struct{ error }

// streams are what a command reads and writes.
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
	if len(args) > 0 && args[len(args)-1] == "-help" {
		args = append(slices.Clone(args[:len(args)-1]), "--help")
	}
	if len(args) == 0 || args[0] == "help" { // as in other programs
		args = append(slices.Clone(args[min(1, len(args)):]), "--help")
	}
	for _, arg := range args {
		value := arg
		if strings.HasPrefix(arg, "--") {
			_, value, _ = strings.Cut(arg, "=")
		}
		if slices.Contains(placeholders, value) && !exists(value) {
			return usageError{fmt.Errorf("%s of the help stands for a word of yours; write yours in its place, as in: reviewcast import csv cards.csv --source cards --map rating=Stars,date=Day", value)}
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

// placeholders are the words of the help that people are to replace.
var placeholders = strings.Fields("FILE NAME DIR URL DIR|URL FIELD=COLUMN FIELD=COLUMN,…")

//go:embed meant.txt
var meantFile string

// meantWords are the words of other programs for our commands and flags, and what to write.
var meantWords = diagnostic.Lines(meantFile, "words")

// wordProcessed matches a text in the quotation marks that word processors write.
var wordProcessed = regexp.MustCompile(`[“„‘]([^“”‘’]*)[“”’]`)

// retyped returns the arguments with hyphens and quotation marks that a terminal knows.
func retyped(args []string) []string {
	one := wordProcessed.ReplaceAllStringFunc(strings.Join(args, "\x00"), func(s string) string {
		return strings.ReplaceAll(wordProcessed.ReplaceAllString(s, "$1"), "\x00", " ")
	})
	plain := strings.Split(one, "\x00")
	for i, arg := range plain {
		if name := strings.TrimLeft(arg, "-–—"); strings.ContainsAny(strings.TrimSuffix(arg, name), "–—") {
			plain[i] = "--" + name
		}
	}
	return plain
}

// commandLine writes a command for pasting.
func commandLine(args []string) string {
	line := "reviewcast"
	for _, arg := range args {
		if strings.ContainsAny(arg, " &;()<>|*$#\"") {
			arg = strconv.Quote(arg)
		}
		line += " " + arg
	}
	return line
}

// argumentError returns what is wrong with an argument that the parser doesn't accept; nil if nothing is known.
func argumentError(args []string, message string) error {
	if plain := retyped(args); !slices.Equal(plain, args) {
		return fmt.Errorf("%s; a word processor has changed hyphens or quotation marks; write: %s", message, commandLine(plain))
	}
	for i, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		plain := strings.TrimLeft(name, "-–—")
		long := len(plain) > 1 && !strings.HasPrefix(name, "--")
		meant := cmp.Or(meantWords[args[0]+name], meantWords[name])
		switch {
		case i > 0 && args[i-1] == "--forget" && message == "unexpected argument "+arg:
			return fmt.Errorf("--forget stands alone: it removes the older versions of all texts, and no review; to remove a review, write it into withdrawn.yaml: - {id: %s, reason: legal, date: YYYY-MM-DD}, and delete it from its file", arg)
		case i > 1 && args[i-2] == "--map" && message == "unexpected argument "+arg && strings.Contains(arg, "="):
			pairs := args[i-1:]
			if end := slices.IndexFunc(pairs, func(s string) bool { return strings.HasPrefix(s, "-") }); end > 0 {
				pairs = pairs[:end]
			}
			together := strings.ReplaceAll(strings.Join(pairs, ","), ",,", ",")
			return fmt.Errorf("%s; separate the pairs of --map by commas, without spaces: --map %q", message, together)
		case arg == "=":
			return fmt.Errorf("%s stands alone; write %s=%s, without spaces", arg, args[max(0, i-1)], strings.Join(args[i+1:], " "))
		case strings.HasPrefix(arg, "#"):
			return errors.New("a # begins a note; leave it out, and all that is behind it")
		case arg == "\\" || arg == "^" || arg == "`":
			return errors.New("a command that goes on in the next line can't be pasted here; write it on one line, without " + arg)
		case i == 0 && strings.TrimSuffix(filepath.Base(arg), ".exe") == "reviewcast":
			return fmt.Errorf("%s; write the name of the program once: %s", message, strings.Join(append([]string{"reviewcast"}, args[1:]...), " "))
		case meant != "" && (strings.HasPrefix(message+",", "unexpected argument "+name+",") || strings.HasPrefix(message+",", "unknown flag "+name+",")):
			if value == "" && i+1 < len(args) {
				value = args[i+1]
			}
			if !isPort(value) {
				value = "8080"
			}
			return fmt.Errorf("%s %s; write %s", strings.Join(strings.Fields(message)[:2], " "), name, strings.Replace(meant, "PORT", value, 1))
		case long && plain != name && (strings.Contains(message, name) || strings.HasPrefix(message, "unknown flag -"+plain[:1])):
			return fmt.Errorf("unknown flag %s; write it with two hyphens: --%s", name, plain)
		case message == "unexpected argument "+arg && i > 1 && !strings.HasPrefix(args[i-1], "-") && (strings.HasPrefix(args[i-2], "-") || args[0] == "init"):
			words, _ := diagnostic.TrimCurlyQuotes(args[i-1] + " " + arg)
			return fmt.Errorf("%s; put words that belong together in straight quotes: %q", message, words)
		}
	}
	return nil
}

// parseError adds a remedy to an error of the parser.
func parseError(args []string, err error) error {
	message := err.Error()
	if err := argumentError(args, message); err != nil {
		return err
	}
	flag, expected, _ := strings.Cut(message, ": expected ")
	wanted, got, _ := strings.Cut(expected, " but got ")
	word := strings.TrimPrefix(message, "unexpected argument ")
	export, noExport := strings.CutPrefix(message, "<file>: ")
	unknown, isFlag := strings.CutPrefix(message, "unknown flag ")
	near := meantWords[diagnostic.Nearest(unknown, slices.Sorted(maps.Keys(meantWords)))]
	switch {
	case isFlag && strings.HasPrefix(near, "--") && !strings.Contains(near, "PORT"):
		return fmt.Errorf("%s; did you mean %s?", message, near)
	case message == `expected "<dir>"`:
		return fmt.Errorf("the name of the folder is missing; write: reviewcast %s %s", strings.Join(args, " "), map[bool]string{true: "content", false: "copy"}[args[0] == "init"])
	case message == `expected "<published>"`:
		return fmt.Errorf("the published site is missing; write its address or the folder of the last build, such as reviewcast %s public; --help says more", args[0])
	case noExport && strings.Contains(export, "is a directory"):
		return folderError(args)
	case noExport:
		return fmt.Errorf("%s; name the file that you have exported%s", strings.TrimPrefix(export, "stat "), nearFile(args, export))
	case strings.HasPrefix(message, "missing flags: "):
		return fmt.Errorf("%s; such as --source survey for where the reviews are from, and for JSON --map rating=stars,date=day,text=words", message)
	case strings.HasSuffix(got, "(<EOL>)"):
		return fmt.Errorf("%s: its value is missing; write it behind the flag, such as %[1]s %[2]s", flag, cmp.Or(map[string]string{"--public": "public", "--content": "content", "--listen": "localhost:8080", "--base-url": "https://reviews.huber-plumbing.com"}[flag], "VALUE"))
	case wanted == "duration":
		got, _, _ = strings.Cut(got, ":")
		return fmt.Errorf("%s: %s is not a duration; write a number and its unit, such as 5s or 1m", flag, got)
	case strings.HasSuffix(wanted, " int") || strings.HasSuffix(wanted, " float"):
		kind := map[bool]string{true: "a number", false: "a whole number"}[strings.HasSuffix(wanted, "float")]
		if value, err := strconv.Unquote(strings.TrimSuffix(got, " (string)")); err == nil && flag == "--rating" && diagnostic.MeantRating(value) != "" {
			kind += "; " + diagnostic.MeantRating(value)
		} else if flag == "--rating-scale" {
			kind += "; write the best rating, such as 10"
		}
		return fmt.Errorf("%s: %s is not %s", flag, strings.TrimSuffix(got, " (string)"), kind)
	case word != message && args[0] == "import" && exists(word) && len(args) > 2 && !strings.HasPrefix(args[2], "-"):
		return fmt.Errorf("%s; import one file at a time", message)
	case word != message && args[0] == "import" && exists(word):
		return fmt.Errorf("%s; say first what the file is, as in: %s", message, importOf(word, ""))
	case word != message && args[0] == "import" && len(args) > 2 && !strings.HasPrefix(args[2], "-") && !strings.Contains(word, "did you mean"):
		if strings.HasPrefix(strings.ToLower(filepath.Ext(args[2])), ".xls") || filepath.Ext(args[2]) == ".ods" {
			return fmt.Errorf("%s; save the workbook as CSV UTF-8, and import that: reviewcast import csv %s", message, strings.TrimSuffix(args[2], filepath.Ext(args[2]))+".csv --source NAME")
		}
		return fmt.Errorf("%s; write: %s", message, importOf(args[2], word))
	case word != message && args[0] == "import":
		return fmt.Errorf("%s; an export is csv, google, jsonl, trustpilot or yelp; save a workbook as CSV", message)
	case word != message && args[0] == "schema":
		return fmt.Errorf("%s; write: reviewcast schema --dir %s", message, filepath.Join(word, schema.Folder))
	case word != message && exists(word) && (args[0] == "diff" || args[0] == "verify"):
		return fmt.Errorf("%s; name the published folder or address only, such as reviewcast %s %s", message, args[0], cmp.Or(map[bool]string{true: word}[isPublished(word)], "public"))
	case word != message && exists(word):
		flag := "--content"
		if isPublished(word) {
			flag = "--public"
		}
		if contentAbove(word) != "" && !isFolder(word) {
			return fmt.Errorf("%s; reviewcast %s reads the whole folder: leave the file out, or name its folder, --content %s", message, args[0], contentAbove(word))
		}
		return fmt.Errorf("%s; a folder is given with a flag, such as %s %s; --help lists them", message, flag, cmp.Or(contentAbove(word), word))
	case word != message && exists("content", word):
		return fmt.Errorf("%s; reviewcast %s reads the whole folder: leave the file out", message, args[0])
	}
	if p, ok := errors.AsType[*kong.ParseError](err); ok && isFlag && p.Context.Selected() != nil {
		return fmt.Errorf("%w; %s --help lists its flags", err, p.Context.Selected().FullPath())
	}
	return fmt.Errorf("%w; --help lists commands and flags", err)
}

// folderError says which file of a folder to import.
func folderError(args []string) error {
	dir, inside := args[min(2, len(args)-1)], ""
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if isPublished(path) {
			return filepath.SkipDir
		}
		if inside == "" && err == nil && (args[1] == "google" && entry.Name() == "reviews.json" || args[1] != "google" && filepath.Ext(path) == "."+args[1]) {
			inside = fmt.Sprintf(": reviewcast import %s %q", args[1], path)
		}
		return nil
	})
	return fmt.Errorf("%s is a folder; name the file in it%s", dir, inside)
}

// importOf returns the command that imports a file from a source; "" is the file's name.
func importOf(file, from string) string {
	base := strings.ToLower(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	source := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(cmp.Or(from, base))), "-")
	if slices.Contains([]string{"excel", "xlsx", "xls", "file", "json", "sheet", "numbers"}, source) {
		source = base
	}
	name := file
	if strings.Contains(file, " ") {
		name = strconv.Quote(file)
	}
	switch {
	case strings.EqualFold(filepath.Ext(file), ".json") && (from == "" || strings.Contains(source, "google")):
		return "reviewcast import google " + name
	case slices.Contains([]string{"google", "trustpilot", "yelp"}, source) && filepath.Ext(file) != ".json":
		return "reviewcast import " + source + " " + name
	case strings.HasPrefix(strings.ToLower(filepath.Ext(file)), ".json"):
		return "reviewcast import jsonl " + name + " --source " + source + " --map rating=MEMBER,date=MEMBER,text=MEMBER,author=MEMBER"
	}
	return "reviewcast import csv " + name + " --source " + source
}

// nearFile returns the file of a folder that the name of a missing one was meant to be.
func nearFile(args []string, message string) string {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(message, "/"+filepath.Base(arg)+":") })
	if i < 0 {
		return ""
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(args[i]), "*"+filepath.Ext(args[i])))
	if with, _ := filepath.Glob(args[i] + "[. ]*"); len(with) > 0 {
		return fmt.Sprintf(", such as %q", with[0])
	}
	return strings.TrimSuffix("; "+diagnostic.DidYouMean(args[i], names, ""), "; ")
}

// explainError adds a remedy to errors that any command can have.
func explainError(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return terminal.ErrStopped
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrPermission) {
		where := path.Path
		if !exists(where) {
			where = "the folder " + filepath.Dir(where)
		}
		return fmt.Errorf("this user may not use %s; ask for the right to read and write there, or choose another folder: %w", where, err)
	}
	for cause, remedy := range map[error]string{
		syscall.EROFS:   "this disk cannot be written to, choose a folder elsewhere",
		syscall.ENOTDIR: "this is a file, name a folder", syscall.ENOSPC: "delete something, and run the command again",
		syscall.ECONNREFUSED: "nothing answers at this address: is it right, and is the site running?",
	} {
		if errors.Is(err, cause) {
			return fmt.Errorf("%w; %s", err, remedy)
		}
	}
	return err
}

// newParser returns the parser of the command line.
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
