package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/importer"
	"reviewcast/generator/source"
)

type importCmd struct {
	CSV        importTableCmd    `cmd:"" name:"csv" help:"Import a CSV file." set:"export=The export, a CSV file with a header row." set:"map=The column of each field, unless it has the field's name: ${fields}. A map without rating or date is completed by the columns that are found." set:"column=COLUMN"` //nolint:staticcheck // kong takes a tag more than once
	Google     importGoogleCmd   `cmd:"" help:"Import reviews of Google Business Profile, as its API and Takeout write them."`
	Trustpilot importPlatformCmd `cmd:"" help:"Import a CSV export of Trustpilot."`
	Yelp       importPlatformCmd `cmd:"" help:"Import a CSV export of Yelp."`
	JSONL      importTableCmd    `cmd:"" name:"jsonl" help:"Import a JSON Lines file." set:"export=The export: a JSON object per line, or an array of objects." set:"map=The member of each field, unless it has the field's name, such as rating=score.stars; the fields are ${fields}." set:"column=MEMBER"` //nolint:staticcheck // kong takes a tag more than once
}

type importFlags struct {
	folderFlags
	Language string `help:"Language of the reviews if the export does not give it (default: the site's)." placeholder:"TAG"`
	Encoding string `help:"Text encoding: ${encodings}; a byte order mark takes precedence." default:"utf-8" placeholder:"NAME"`
	Round    string `help:"What becomes of a rating between two whole stars, such as 4.5: none skips the row, nearest and down round." enum:"none,nearest,down" default:"none" placeholder:"HOW"`
	DryRun   bool   `name:"dry-run" help:"Show what would change, and write nothing."`
	Partial  bool   `help:"Import the other rows even if half of the rows or more can't be imported."`
	Verbose  bool   `short:"v" xor:"volume" help:"List every change, not only skipped rows."`
	Quiet    bool   `short:"q" xor:"volume" help:"Print errors and skipped rows only."`
}

// importTableCmd imports a file whose format the user must describe.
type importTableCmd struct {
	File         string   `arg:"" help:"${export}" type:"existingfile"`
	Map          []string `help:"${map}" sep:"none" placeholder:"FIELD=${column},…"`
	Source       string   `help:"Where the reviews were given; part of the file name and the prefix of every id. Required." placeholder:"NAME"`
	Verification string   `help:"How the business knows that the authors were customers: ${methods}. Without it the reviews are not published. If --map has verification.method, it holds for the rows with yes or a number." placeholder:"METHOD"`
	RatingScale  float64  `name:"rating-scale" help:"The highest rating of the export." default:"5" placeholder:"N"`
	DateLayout   string   `name:"date-layout" help:"The format of dates in the export: YYYY-MM-DD, DD/MM/YYYY, D MMMM YYYY, MM/DD/YYYY HH:mm:ss …, or the date 2 January 2006 in that format." default:"YYYY-MM-DD" placeholder:"LAYOUT"`
	importFlags
}

// Run imports the file. The name of the command is the kind of the file.
func (c *importTableCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	read := diagnostic.Pick(k.Selected().Name == "jsonl", importer.JSONL, importer.CSV)
	cfg := importer.Config{Source: c.Source, Verification: c.Verification, RatingScale: c.RatingScale, DateLayout: c.DateLayout}
	return c.run(ctx, std, k, c.File, c.Map, cfg, read)
}

// platformFlags are the flags of imports from platforms whose formats are known.
type platformFlags struct {
	Source       string `help:"Where the reviews were given (default: the platform's name)." placeholder:"NAME"`
	Verification string `help:"How the business knows that the authors were customers: ${methods}; none leaves the reviews unpublished." default:"platform" placeholder:"METHOD"`
	importFlags
}

func (f *platformFlags) config(platform string) importer.Config {
	return importer.Config{Source: cmp.Or(f.Source, platform), Verification: diagnostic.When(f.Verification != "none", f.Verification)}
}

type importGoogleCmd struct {
	File     string `arg:"" help:"The export, a JSON file." type:"existingfile"`
	Location string `help:"Import the reviews of this location only: its number in the names of the reviews, or several with commas between them." placeholder:"NUMBER"`
	platformFlags
}

// Run imports the file.
func (c *importGoogleCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	return c.run(ctx, std, k, c.File, nil, c.config("google"), func(ctx context.Context, r io.Reader, cfg importer.Config) (*importer.Report, error) {
		return importer.Google(ctx, r, c.Location, cfg)
	})
}

type importPlatformCmd struct {
	File       string   `arg:"" help:"The export, a CSV file with a header row." type:"existingfile"`
	Map        []string `help:"The column of each field, if the header is not recognized; the fields are ${fields}." sep:"none" placeholder:"FIELD=COLUMN,…"`
	DateLayout string   `name:"date-layout" help:"The format of dates in the export, if it is not the platform's usual one: DD/MM/YYYY, MM/DD/YYYY HH:mm:ss …" placeholder:"LAYOUT"`
	platformFlags
}

// Run imports the file. The name of the command is the platform.
func (c *importPlatformCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	cfg := c.config(k.Selected().Name)
	cfg.Platform, cfg.DateLayout = k.Selected().Name, c.DateLayout
	return c.run(ctx, std, k, c.File, c.Map, cfg, importer.CSV)
}

// run imports the file; columns are the values of --map. Rows that cannot be imported are reported and are no failure.
func (f *importFlags) run(ctx context.Context, std streams, k *kong.Context, file string, columns []string, cfg importer.Config,
	with func(context.Context, io.Reader, importer.Config) (*importer.Report, error)) error {
	if plain := retyped(columns); columns != nil && !slices.Equal(plain, columns) {
		return usageError{fmt.Errorf("--map: a word processor has changed the quotation marks; write --map %q", strings.Join(plain, ","))}
	}
	given, err := importer.ParseMap(strings.Join(columns, ","))
	if columns != nil && err != nil {
		return usageError{fmt.Errorf("--map: %w", err)}
	}
	if contentAbove(file) != "" && !source.IsYAML(file) {
		return usageError{fmt.Errorf("%s is in the content folder, where every table in our form is read as it is: if reviewcast check has no problem with it, there is nothing to import; an export of another program is moved elsewhere, such as beside the folder, and imported from there", file)}
	}
	content, zone, today, err := f.load(ctx)
	if err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	cfg.Map, cfg.ContentDir, cfg.Location, cfg.Today, cfg.AuthorNames = given, f.Content, zone, today, content.Site.AuthorNames
	cfg.Language, cfg.Encoding, cfg.DryRun, cfg.Partial = f.Language, f.Encoding, f.DryRun, f.Partial
	cfg.Business, cfg.Lookup, cfg.Names = content.Business.Name, content.Named, content.Names
	cfg.Round = diagnostic.When(f.Round != "none", f.Round)
	cfg.Taken, cfg.Withdrawn = compose.UsedIDs(content)
	cfg.Standing = compose.Places(content)
	// A pipe may block forever: closing it ends the wait.
	release := context.AfterFunc(ctx, func() { _ = in.Close() })
	report, err := with(ctx, in, cfg)
	if err == nil && report.Layout != "" && (cfg.DateLayout == "" || cfg.DateLayout == "YYYY-MM-DD") {
		if _, piped := in.Seek(0, io.SeekStart); piped == nil { // of a pipe nothing is left
			if cfg.DateLayout = report.Layout; !f.Quiet {
				fmt.Fprintf(std.out, "all dates have the layout %s or YYYY-MM-DD, and no other\n", cfg.DateLayout)
			}
			report, err = with(ctx, in, cfg)
		}
	}
	release()
	if err != nil && ctx.Err() != nil {
		return terminal.ErrStopped
	} else if usage, ok := errors.AsType[*importer.UsageError](err); ok {
		here, _ := os.Getwd()
		flags := slices.DeleteFunc(slices.Clone(k.Args[2:]), func(arg string) bool { abs, _ := filepath.Abs(arg); return abs == file })
		file = strings.TrimPrefix(file, here+string(filepath.Separator))
		google := k.Selected().Name == "google"
		from := diagnostic.SourceOf(filepath.Base(file))
		command := importOf(file, diagnostic.When(google && (from == "" || strings.Contains(from, "google")), "google"), flags...)
		command += diagnostic.When(google && !slices.Contains(flags, "--verification"), " --verification METHOD")
		method := diagnostic.When(cfg.Verification != "", " --verification "+cfg.Verification)
		for i, problem := range usage.Problems {
			usage.Problems[i] = strings.NewReplacer("reviewcast import csv FILE --source NAME", command, "FILE --source NAME", commandLine(file)+" --source "+cfg.Source+method,
				"import google FILE", "import google "+commandLine(file)+method, "NAME", cfg.Source, "FILE", commandLine(file)).Replace(problem)
		}
		return usageError{usage}
	} else if err != nil {
		return err
	}
	return f.print(std, report)
}

func (f *importFlags) print(std streams, report *importer.Report) error {
	if f.Quiet && len(report.Skipped) == 0 {
		return nil
	}
	var b strings.Builder
	_ = report.Print(&b, f.Verbose, terminal.TableColumns(std.out)) // into memory
	if _, err := io.WriteString(std.out, terminal.Fold(std.out, b.String(), 4)); err != nil {
		return err
	}
	switch done := report.Rows - len(report.Skipped); {
	case report.Rows > 0 && done == 0 && !slices.ContainsFunc(report.Skipped, func(s importer.Skip) bool { return s.Code != importer.Elsewhere && s.Code != importer.Withdrawn }):
		return errors.New("every review of this export is here already, or withdrawn, so no file was changed")
	case report.Refused && report.Remedy != "":
		return errors.New("no file was changed; import again as said above")
	case report.Rows > 0 && done == 0:
		return errors.New("every row was skipped, so no file was changed; correct what the rows above say and import again")
	case report.Refused && slices.ContainsFunc(report.Skipped, func(s importer.Skip) bool { return s.Code == importer.BadVerification || s.Code == importer.OverScale }):
		return errors.New("no file was changed; correct what the rows above say and import again") // the others may be unverified, or of that scale
	case report.Refused:
		return fmt.Errorf("%d of %d rows can't be imported, so no file was changed; correct what the rows above say and import again, or import the other %d with --partial", len(report.Skipped), report.Rows, done)
	}
	return nil
}
