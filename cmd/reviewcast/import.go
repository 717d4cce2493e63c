package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"reviewcast"
	"reviewcast/generator/importer"
	"reviewcast/generator/source"
)

type importCmd struct {
	CSV importCSVCmd `cmd:"" name:"csv" help:"Bring a CSV file in."`
}

type importCSVCmd struct {
	File string `arg:"" help:"The export, a CSV file with a header row." type:"existingfile"`

	Content      string  `help:"The editors' folder." default:"content" placeholder:"DIR"`
	Map          string  `help:"Which column holds which field. rating and date are needed; the fields are ${fields}. A column with a comma in its name: rating=stars,\"text=Review, public\"." required:"" placeholder:"FIELD=COLUMN,…"`
	Source       string  `help:"Where the reviews were given; it names the file and begins every id." required:"" placeholder:"NAME"`
	Verification string  `help:"How the business knows that the authors were customers: ${methods}. Without it the reviews come in unpublished." placeholder:"METHOD"`
	RatingScale  float64 `name:"rating-scale" help:"The best rating of the export." default:"5" placeholder:"N"`
	DateLayout   string  `name:"date-layout" help:"How 2 January 2006 stands in the export." default:"2006-01-02" placeholder:"LAYOUT"`
	Language     string  `help:"Language of the reviews, when no column says it (default: the site's)." placeholder:"TAG"`
	Encoding     string  `help:"Text encoding: utf-8, utf-16le, utf-16be or windows-1252." default:"utf-8" placeholder:"NAME"`
	Delimiter    string  `help:"What stands between the cells." default:"," placeholder:"CHAR"`
	Today        string  `help:"The day that no review may be dated after (default: today, where the business is)." placeholder:"YYYY-MM-DD"`
	DryRun       bool    `name:"dry-run" help:"Show what would change and write nothing."`
	Verbose      bool    `short:"v" help:"List every change, not only what was skipped."`
}

func (c *importCSVCmd) Help() string {
	return `Writes content/reviews/import-NAME.jsonl. Imported again, a newer export updates
it in place: ids stay, and so does what an editor has changed.

Example:
  reviewcast import csv lounges.csv --content content \
    --map rating=overall_rating,date=date,text=content,title=title,author=author \
    --source skytrax --verification platform --dry-run`
}

// Run imports the file. Rows that can't be published are reported one by one and
// are no failure: the others are written.
func (c *importCSVCmd) Run(ctx context.Context, std streams) error {
	delimiter := []rune(strings.ReplaceAll(c.Delimiter, `\t`, "\t"))
	if len(delimiter) != 1 {
		return usageError{fmt.Errorf("--delimiter: %q is not one character; write ',', ';' or '\\t'", c.Delimiter)}
	}
	if info, err := os.Stat(c.Content); err != nil || !info.IsDir() {
		return usageError{fmt.Errorf("--content: %s is not a folder; `reviewcast init %s` writes one to start from", c.Content, c.Content)}
	}
	columns, err := importer.ParseMap(c.Map)
	if err != nil {
		return usageError{fmt.Errorf("--map: %w", err)}
	}
	standing, err := readStanding(ctx, c.Content, reviewcast.Date(c.Today))
	if err != nil {
		return err
	}
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	report, err := importer.CSV(ctx, f, importer.Config{
		ContentDir: c.Content, Source: c.Source, Map: columns, Verification: c.Verification,
		RatingScale: c.RatingScale, DateLayout: c.DateLayout, Location: standing.zone, Today: standing.today,
		AuthorNames: standing.authorNames, Language: c.Language, Encoding: c.Encoding, Delimiter: delimiter[0],
		DryRun: c.DryRun, Taken: standing.taken, Withdrawn: standing.withdrawn,
	})
	var usage *importer.UsageError
	if errors.As(err, &usage) {
		return usageError{err}
	} else if err != nil {
		return err
	}
	return report.Print(std.out, c.Verbose)
}

// standing is what an import must know of the folder that it goes into.
type standing struct {
	zone        *time.Location
	today       reviewcast.Date
	authorNames string
	at          map[string]source.Position // by lower-case id
	gone        map[string]bool
}

// readStanding reads the content folder. A folder with problems can still be
// imported into, but not one whose withdrawals or ids can't be read: a text
// withdrawn for legal reasons must not come back through an import.
func readStanding(ctx context.Context, dir string, today reviewcast.Date) (*standing, error) {
	loader := source.NewLoader(dir, source.Config{Today: today})
	content, problems, err := loader.Load(ctx)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return nil, fmt.Errorf("%s has problems of its own; mend them first, so that ids and withdrawals are known:\n%s", dir, problemLines(problems))
	}
	s := &standing{authorNames: content.Site.Policies.AuthorNames, at: map[string]source.Position{}, gone: map[string]bool{}, today: today}
	if s.zone, err = time.LoadLocation(content.Business.TimeZone); err != nil {
		return nil, err
	}
	if s.today == "" {
		s.today = reviewcast.Date(time.Now().In(s.zone).Format(time.DateOnly))
	}
	for _, r := range content.Reviews {
		s.at[strings.ToLower(r.ID)] = r.At
	}
	for _, w := range content.Withdrawn {
		s.gone[strings.ToLower(w.ID)] = true
	}
	return s, nil
}

// maxListed is how many problems of a folder an import repeats; `build` lists
// them all.
const maxListed = 10

func problemLines(problems []source.Problem) string {
	var b strings.Builder
	n := 0
	for _, p := range problems {
		if p.Severity != source.Error {
			continue
		}
		if n++; n > maxListed {
			b.WriteString("  … and more; `reviewcast build` lists them all\n")
			break
		}
		fmt.Fprintf(&b, "  %s\n", p)
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
