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
	"time"

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/importer"
	"reviewcast/generator/source"
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
	standing, err := readStanding(ctx, f.Content, reviewcast.Date(f.Today))
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
	cfg.ContentDir, cfg.Location, cfg.Today, cfg.AuthorNames = f.Content, standing.zone, standing.today, standing.authorNames
	cfg.Language, cfg.Encoding, cfg.DryRun = f.Language, f.Encoding, f.DryRun
	cfg.Taken, cfg.Withdrawn = standing.taken, standing.withdrawn
	bar := newBar(std.err, in)
	cfg.Progress = bar.at
	// A pipe may be silent for ever: closing it ends the wait.
	release := context.AfterFunc(ctx, func() { _ = in.Close() })
	report, err := with(ctx, in, cfg)
	release()
	bar.clear()
	if err != nil && ctx.Err() != nil {
		return errStopped
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
	if err := report.Print(&b, f.Verbose, tableColumns(std.out)); err != nil {
		return err
	}
	_, err = io.WriteString(std.out, fold(std.out, b.String(), 4))
	return err
}

// standing is what an import must know of the folder that it goes into.
type standing struct {
	zone        *time.Location
	today       reviewcast.Date
	authorNames string
	at          map[string]diagnostic.Position // by lower-case id
	gone        map[string]bool
}

// readStanding reads the content folder, which must have no errors: without all
// its ids and withdrawals a text withdrawn for legal reasons could come back
// through an import.
func readStanding(ctx context.Context, dir string, today reviewcast.Date) (*standing, error) {
	loader := source.NewLoader(dir, source.Config{Today: today})
	content, _, problems, err := loader.Load(ctx, nil)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return nil, fmt.Errorf("%s has problems of its own; mend them first, so that ids and withdrawals are known:\n%s", dir, problemLines(dir, problems))
	}
	s := &standing{authorNames: content.Site.Policies.AuthorNames, at: map[string]diagnostic.Position{}, gone: map[string]bool{}}
	if s.zone, err = time.LoadLocation(content.Business.TimeZone); err != nil {
		return nil, err
	}
	day, err := todayOf(content, string(today))
	if err != nil {
		return nil, err
	}
	s.today = reviewcast.Date(day)
	for _, r := range content.Reviews {
		s.at[strings.ToLower(r.ID)] = content.Position(r)
	}
	for _, w := range content.Withdrawn {
		s.gone[strings.ToLower(w.ID)] = true
	}
	return s, nil
}

// todayOf is the day that it is where the business is, unless a flag says it.
func todayOf(content *source.Content, flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	zone, err := time.LoadLocation(content.Business.TimeZone)
	if err != nil {
		return "", err
	}
	return time.Now().In(zone).Format(time.DateOnly), nil
}

// maxListed is how many problems of a folder other commands repeat; `check` lists
// them all.
const maxListed = 10

func problemLines(content string, problems []diagnostic.Problem) string {
	var b strings.Builder
	n := 0
	for _, p := range problems {
		if p.Severity != diagnostic.Error {
			continue
		}
		if n++; n > maxListed {
			b.WriteString("  … and more; `reviewcast check` lists them all\n")
			break
		}
		fmt.Fprintf(&b, "  %s\n", oneLine(content, p))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s *standing) taken(id string) (string, bool) {
	at, ok := s.at[strings.ToLower(id)]
	return fmt.Sprintf("%s:%d", at.File, at.Line), ok
}

func (s *standing) withdrawn(id string) bool { return s.gone[strings.ToLower(id)] }

// importVars fill the help texts from the declarations that rule.
func importVars() kong.Vars {
	return kong.Vars{
		"methods": strings.Join(reviewcast.VerificationMethods, ", "),
		"fields":  strings.Join(importer.Fields(), ", "),
	}
}
