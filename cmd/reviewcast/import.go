package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/importer"
)

type importCmd struct {
	CSV        importCSVCmd      `cmd:"" name:"csv" help:"Bring a CSV file in."`
	Google     importGoogleCmd   `cmd:"" help:"Bring reviews of Google Business Profile in, as its API and Takeout write them."`
	Trustpilot importPlatformCmd `cmd:"" help:"Bring a CSV export of Trustpilot in."`
	Yelp       importPlatformCmd `cmd:"" help:"Bring a CSV export of Yelp in."`
	JSONL      importJSONLCmd    `cmd:"" name:"jsonl" help:"Bring a file with a JSON object a line in."`
}

// importFlags are what every import can be told.
type importFlags struct {
	Content  string `help:"The editors' folder." default:"content" placeholder:"DIR"`
	Language string `help:"Language of the reviews, where the export doesn't say it (default: the site's)." placeholder:"TAG"`
	Encoding string `help:"Text encoding: utf-8, utf-16le, utf-16be, windows-1252 or macintosh; a byte order mark overrules it." default:"utf-8" placeholder:"NAME"`
	Today    string `help:"The day that no review may be dated after (default: today, where the business is)." placeholder:"YYYY-MM-DD"`
	DryRun   bool   `name:"dry-run" help:"Show what would change and write nothing."`
	Verbose  bool   `short:"v" xor:"volume" help:"List every change, not only what was skipped."`
	Quiet    bool   `short:"q" xor:"volume" help:"Print nothing but errors and what was skipped."`
}

// tableFlags are for exports of which people must say how they are written.
type tableFlags struct {
	Source       string  `help:"Where the reviews were given; it names the file and begins every id." required:"" placeholder:"NAME"`
	Verification string  `help:"How the business knows that the authors were customers: ${methods}. Without it the reviews come in unpublished." placeholder:"METHOD"`
	RatingScale  float64 `name:"rating-scale" help:"The best rating of the export." default:"5" placeholder:"N"`
	DateLayout   string  `name:"date-layout" help:"How a date stands in the export: YYYY-MM-DD, DD/MM/YYYY, D MMMM YYYY, MM/DD/YYYY HH:mm:ss …, or 2 January 2006 written as it stands there." default:"YYYY-MM-DD" placeholder:"LAYOUT"`
}

type importCSVCmd struct {
	File      string `arg:"" help:"The export, a CSV file with a header row." type:"existingfile"`
	Map       string `help:"Which column holds which field, where they aren't named as the fields are: ${fields}. rating and date are needed. A column with a comma in its name: rating=stars,\"text=Review, public\"." placeholder:"FIELD=COLUMN,…"`
	Delimiter string `help:"What stands between the cells (default: a comma, or the semicolons or tabs that the header has instead)." placeholder:"CHAR"`
	tableFlags
	importFlags
}

// Help is what --help says beside the flags.
func (c *importCSVCmd) Help() string {
	return `Writes content/reviews/import-NAME.jsonl. Imported again, a newer export updates
it in place: ids stay, and so does what an editor has changed.

Examples:
  reviewcast import csv cards.csv --source cards --verification receipt
  reviewcast import csv lounges.csv --content content \
    --map rating=overall_rating,date=date,text=content,title=title,author=author \
    --source skytrax --verification platform --dry-run`
}

// Run imports the file.
func (c *importCSVCmd) Run(ctx context.Context, std streams) error {
	delimiter, err := oneCharacter(c.Delimiter)
	if err != nil {
		return err
	}
	columns, err := columnMap(c.Map)
	if err != nil {
		return err
	}
	return c.run(ctx, std, c.File, c.config(importer.Config{Map: columns, Delimiter: delimiter}), importer.CSV)
}

type importJSONLCmd struct {
	File string `arg:"" help:"The export: a JSON object a line, or one array of them." type:"existingfile"`
	Map  string `help:"Which member holds which field, such as rating=score.stars. rating and date are needed; the fields are ${fields}." required:"" placeholder:"FIELD=MEMBER,…"`
	tableFlags
	importFlags
}

// Help is what --help says beside the flags.
func (c *importJSONLCmd) Help() string {
	return `Example:
  reviewcast import jsonl answers.jsonl --source app --verification invitation \
    --map id=key,rating=score.stars,date=at,text=body,author=who.name --date-layout 2006-01-02T15:04:05Z07:00`
}

// Run imports the file.
func (c *importJSONLCmd) Run(ctx context.Context, std streams) error {
	members, err := columnMap(c.Map)
	if err != nil {
		return err
	}
	return c.run(ctx, std, c.File, c.config(importer.Config{Map: members}), importer.JSONL)
}

func (f *tableFlags) config(cfg importer.Config) importer.Config {
	cfg.Source, cfg.Verification, cfg.RatingScale, cfg.DateLayout = f.Source, f.Verification, f.RatingScale, f.DateLayout
	return cfg
}

// platformFlags are for the exports of platforms, which are known.
type platformFlags struct {
	Source       string `help:"Where the reviews were given (default: the platform's name)." placeholder:"NAME"`
	Verification string `help:"How the business knows that the authors were customers: ${methods}; none brings them in unpublished." default:"platform" placeholder:"METHOD"`
}

func (f *platformFlags) config(platform string, cfg importer.Config) importer.Config {
	cfg.Source, cfg.Verification = cmp.Or(f.Source, platform), f.Verification
	if cfg.Verification == "none" {
		cfg.Verification = ""
	}
	return cfg
}

type importGoogleCmd struct {
	File     string `arg:"" help:"The export, a JSON file." type:"existingfile"`
	Location string `help:"Take the reviews of this location only: its number in the reviews' names." placeholder:"NUMBER"`
	platformFlags
	importFlags
}

// Help is what --help says beside the flags.
func (c *importGoogleCmd) Help() string {
	return `Takes what accounts.locations.reviews.list of Google's API answers, page after page,
a list of such reviews, or one a line. What Google translated is dropped, and the
original stays.

Example:
  reviewcast import google reviews.json --location 1234567890 --dry-run`
}

// Run imports the file.
func (c *importGoogleCmd) Run(ctx context.Context, std streams) error {
	return c.run(ctx, std, c.File, c.config("google", importer.Config{}), func(ctx context.Context, r io.Reader, cfg importer.Config) (*importer.Report, error) {
		return importer.Google(ctx, r, c.Location, cfg)
	})
}

type importPlatformCmd struct {
	File       string `arg:"" help:"The export, a CSV file with a header row." type:"existingfile"`
	Map        string `help:"Which column holds which field, where the header isn't one of those that are known; the fields are ${fields}." placeholder:"FIELD=COLUMN,…"`
	DateLayout string `name:"date-layout" help:"How a date stands in the export, where it isn't as usual: DD/MM/YYYY, MM/DD/YYYY HH:mm:ss …" placeholder:"LAYOUT"`
	Delimiter  string `help:"What stands between the cells (default: a comma, or the semicolons or tabs that the header has instead)." placeholder:"CHAR"`
	platformFlags
	importFlags
}

// Help is what --help says beside the flags.
func (c *importPlatformCmd) Help() string {
	return `The columns are found by the header. Imported again, a newer export updates the
reviews in place.

Example:
  reviewcast import trustpilot reviews.csv --dry-run
  reviewcast import yelp reviews.csv --date-layout DD/MM/YYYY`
}

// Run imports the file. The platform is the command's own name.
func (c *importPlatformCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	delimiter, err := oneCharacter(c.Delimiter)
	if err != nil {
		return err
	}
	columns, err := columnMap(c.Map)
	if err != nil {
		return err
	}
	platform := k.Selected().Name
	return c.run(ctx, std, c.File, c.config(platform, importer.Config{Platform: platform, Map: columns, DateLayout: c.DateLayout, Delimiter: delimiter}), importer.CSV)
}

// columnMap reads --map; nil when it isn't given.
func columnMap(s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	m, err := importer.ParseMap(s)
	if err != nil {
		return nil, usageError{fmt.Errorf("--map: %w", err)}
	}
	return m, nil
}

// oneCharacter is the delimiter that a flag gives; 0 when it gives none.
func oneCharacter(s string) (rune, error) {
	if s == "" {
		return 0, nil
	}
	r := []rune(strings.ReplaceAll(s, `\t`, "\t"))
	if len(r) != 1 {
		return 0, usageError{fmt.Errorf("--delimiter: %q is not one character; write ',', ';' or '\\t'", s)}
	}
	return r[0], nil
}

// run imports the file in one way or another. Rows that can't be published are
// reported one by one and are no failure: the others are written.
func (f *importFlags) run(ctx context.Context, std streams, file string, cfg importer.Config, with func(context.Context, io.Reader, importer.Config) (*importer.Report, error)) error {
	if err := mustBeFolder(f.Content); err != nil {
		return err
	}
	existing, err := readExisting(ctx, f.Content, reviewcast.Date(f.Today))
	if err != nil {
		return err
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return fmt.Errorf("read export: %s is empty", filepath.Base(file))
	}
	cfg.ContentDir, cfg.Location, cfg.Today, cfg.AuthorNames = f.Content, existing.zone, existing.today, existing.authorNames
	cfg.Language, cfg.Encoding, cfg.DryRun = f.Language, f.Encoding, f.DryRun
	cfg.Taken, cfg.Withdrawn = existing.position, existing.isWithdrawn
	// A pipe may be silent for ever: closing it ends the wait.
	release := context.AfterFunc(ctx, func() { _ = in.Close() })
	report, err := with(ctx, in, cfg)
	release()
	if err != nil && ctx.Err() != nil {
		return terminal.ErrStopped
	}
	var usage *importer.UsageError
	if errors.As(err, &usage) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	if f.Quiet && len(report.Skipped) == 0 {
		return nil
	}
	var b strings.Builder
	if err := report.Print(&b, f.Verbose, terminal.TableColumns(std.out)); err != nil {
		return err
	}
	_, err = io.WriteString(std.out, terminal.Fold(std.out, b.String(), 4))
	return err
}

// importVars fill the help texts from the declarations that rule.
func importVars() kong.Vars {
	return kong.Vars{
		"methods": strings.Join(reviewcast.VerificationMethods, ", "),
		"fields":  strings.Join(importer.Fields(), ", "),
	}
}
