// Package importer brings the reviews of other people's exports into an editor's
// content folder.
//
// An import reads one export (CSV, JSONL, or Google's JSON) and writes one file,
// reviews/import-{source}.jsonl: a review a line, the contract's field names,
// newest first and then by id. Beside it stands reviews/.import-{source}.json,
// which the generator ignores; it remembers what the last import wrote. Keep the
// two together, under version control like all content.
//
// # Importing again
//
// The same export gives the same bytes. A newer export updates the file in
// place:
//
//   - A review is known again by the export's own id or, when no column holds
//     one, by its date, author, title, text and source URL (by its rating too when
//     it has neither words nor URL). So it keeps its id whatever the order of the
//     rows and whatever stands around them. Which of the two ways is used must
//     stay the same; an import that would tell reviews apart in another way is
//     refused, since it would bring every review in a second time.
//   - A field whose value is no longer what the last import wrote was changed by
//     the editor. It is kept and reported. Members that imports don't write, such
//     as technicians, are never touched.
//   - A review that is gone from the export stays, and is reported.
//   - A review that the editor took out of the file stays out. To bring it back,
//     delete its entry from .import-{source}.json. Deleting the JSONL file begins
//     afresh.
//   - When .import-{source}.json is lost, nobody can tell an edit from an old
//     value: everything that stands in the file is kept.
//
// # What is skipped
//
// Nothing is guessed and no word is changed in silence. A row that can't be
// published as it stands is skipped, with its place, the reason and the remedy
// in the Report; the others are written. What concerns the whole export stops it
// before anything is written: a column that isn't there, a wrong encoding, a
// quote that never ends. The only changes to what a customer wrote are line ends
// (CRLF becomes LF) and the author's name, see Config.AuthorNames.
//
// # Why a stop half-way is safe
//
// Both files are made in memory, written beside their places, synced and renamed,
// the reviews first. A stop before the first rename changes nothing. A stop
// between the two leaves new reviews with the memory of the older import; the
// next run finds every value equal to the export's and heals the memory.
package importer

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"

	"reviewcast"
)

// Caps on an export. An export comes from outside, so each stands against what a
// broken or hostile one could do to an editor's machine.
const (
	// MaxExport is the most bytes of an export, and of the file that is updated:
	// an endless stream would fill the memory.
	MaxExport = 512 << 20
	// MaxRows is the most rows of an export: millions of tiny rows cost far more
	// memory than their bytes. It is what a content folder may hold, too.
	MaxRows = 1_000_000
	// MaxAuthor is the most code points of an author's name: a "name" of a megabyte
	// would stand in every list and feed.
	MaxAuthor = 200
	// MaxSource is the most bytes of a source's name, so that ids have room left.
	MaxSource = 32
)

// Errors of an export as a whole.
var (
	ErrTooLarge    = fmt.Errorf("the export is larger than %d MiB; split it and import the parts one after the other", MaxExport>>20)
	ErrTooManyRows = fmt.Errorf("the export has more than %d rows; split it and import the parts one after the other", MaxRows)
)

// UsageError says that an import was asked for in a way that can't work: a wrong
// option, or a column that the export doesn't have. It lists everything at once.
type UsageError struct {
	Problems []string
}

func (e *UsageError) Error() string { return strings.Join(e.Problems, "\n") }

// Config says what to import and how to read it.
type Config struct {
	// ContentDir is the content folder. It must exist; reviews/ in it is made when
	// it doesn't.
	ContentDir string
	// Source names where the reviews were given: "google", "skytrax". It becomes
	// part of the file's name and of every id: a lower-case letter or digit, then
	// lower-case letters, digits, '.', '_' and '-', at most MaxSource bytes.
	Source string
	// Map gives for each field of Fields the export's column that holds it. Rating and
	// date are needed. Nil, of a CSV file: the columns are named as the fields are.
	Map map[string]string
	// Platform names one of Platforms: its map and date layout are found by the
	// header, as far as Map and DateLayout don't say otherwise. For CSV only.
	Platform string
	// Verification is how the business knows that the authors were customers, one
	// of reviewcast.VerificationMethods. Empty: reviews come in without one and stay
	// unpublished until the editor adds it.
	Verification string
	// RatingScale is the export's best rating; 0 means 5. Ratings are turned into
	// stars proportionally, halves rounded up, at least one star.
	RatingScale float64
	// DateLayout is how a date stands in the export, as spreadsheets write layouts
	// (DD/MM/YYYY) or as package time does (02/01/2006); empty means YYYY-MM-DD. No
	// other form is tried: 03/04/2025 has two meanings.
	DateLayout string
	// Location is the time zone whose calendar gives the day of a date that has a
	// time and a numeric zone. Nil takes the day as it is written.
	Location *time.Location
	// Today is the business's calendar day: later dates are skipped. Empty skips
	// none.
	Today reviewcast.Date
	// AuthorNames is "initials" ("Maria K.") or "full"; empty means initials.
	AuthorNames string
	// Language is the BCP 47 tag of reviews for which no column says one. Empty
	// leaves it to the site's language.
	Language string
	// Encoding is that of the export: utf-8, utf-16le, utf-16be, windows-1252 or
	// macintosh. Empty means UTF-8. A byte order mark overrules it.
	Encoding string
	// Delimiter stands between the cells of a CSV file; 0 takes what its header has: a
	// comma, else a semicolon, else a tab.
	Delimiter rune
	// DryRun does everything but write.
	DryRun bool
	// Taken tells where an id (compared ignoring case) stands in the content
	// folder: "reviews/2026.yaml:12". Places in the import's own file are ignored, so
	// the caller need not leave them out. Nil: none is taken.
	Taken func(id string) (where string, ok bool)
	// Withdrawn tells whether withdrawn.yaml lists an id: such a review isn't
	// written, so that a text withdrawn for legal reasons doesn't come back. Nil:
	// none is.
	Withdrawn func(id string) bool
}

// CSV imports a CSV file with a header row. The error is a *UsageError, one of
// this package's, or one of the reader, the context or the disk; then nothing was
// written. A Report comes without an error even when every row was skipped.
func CSV(ctx context.Context, r io.Reader, cfg Config) (*Report, error) {
	cfg, err := cfg.check()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"rating", "date"} {
		if cfg.Map != nil && cfg.Map[name] == "" && cfg.Platform == "" {
			return nil, &UsageError{[]string{fmt.Sprintf("no column is given for %s; add %s=COLUMN to --map", name, name)}}
		}
	}
	export, err := decode(ctx, r, cfg)
	if err != nil {
		return nil, err
	}
	table, err := openTable(export, &cfg)
	if err != nil {
		return nil, err
	}
	return run(ctx, cfg, table.rows())
}

// check fills in the defaults and finds every option that can't work.
func (c Config) check() (Config, error) {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if c.RatingScale == 0 {
		c.RatingScale = reviewcast.MaxRating
	}
	given := c.DateLayout
	c.DateLayout = layoutOf(given)
	if given == "" && c.Platform == "" {
		c.DateLayout = time.DateOnly
	}
	if c.AuthorNames == "" {
		c.AuthorNames = "initials"
	}
	if !validSource(c.Source) {
		bad("source %s can't name a file; write lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit, at most %d", quote(c.Source), MaxSource)
	}
	if c.Verification != "" && !slices.Contains(reviewcast.VerificationMethods, c.Verification) {
		bad("verification %s is unknown; known are %s", quote(c.Verification), strings.Join(reviewcast.VerificationMethods, ", "))
	}
	if !(c.RatingScale >= 1 && c.RatingScale <= 1000) {
		bad("rating scale %g is out of range; write the best rating there is, from 1 to 1000", c.RatingScale)
	}
	if _, known := Platforms[c.Platform]; !known && c.Platform != "" {
		bad("platform %s is unknown; known are %s", quote(c.Platform), strings.Join(slices.Sorted(maps.Keys(Platforms)), ", "))
	}
	if c.DateLayout != "" && !datesSurvive(c.DateLayout) {
		bad("date layout %s doesn't show a day; write one with day, month and year, such as YYYY-MM-DD, DD/MM/YYYY or D MMMM YYYY", quote(given))
	}
	if c.Today != "" && !c.Today.Valid() {
		bad("today %s is not a date; write it as 2026-01-31", quote(string(c.Today)))
	}
	if c.AuthorNames != "initials" && c.AuthorNames != "full" {
		bad("author names %s is unknown; known are initials, full", quote(c.AuthorNames))
	}
	if c.Language != "" {
		tag, err := language.Parse(c.Language)
		if err != nil {
			bad("language %s is not a BCP 47 tag; write one such as en or pt-BR", quote(c.Language))
		}
		c.Language = tag.String()
	}
	if _, ok := encodings[c.Encoding]; !ok {
		bad("encoding %s is unknown; known are utf-8, utf-16le, utf-16be, windows-1252, macintosh", quote(c.Encoding))
	}
	if d := c.Delimiter; d != 0 && (d == '"' || d == '\r' || d == '\n' || d == utf8.RuneError || !utf8.ValidRune(d)) {
		bad("delimiter %q can't stand between cells; write ',', ';' or a tab", d)
	}
	problems = append(problems, checkFields(c.Map)...)
	if len(problems) > 0 {
		return c, &UsageError{problems}
	}
	return c, nil
}

// validSource keeps the name safe in a file name and in an id on every system,
// those that don't tell upper from lower case included.
func validSource(s string) bool {
	return len(s) <= MaxSource && reviewcast.ValidID(s) && s == strings.ToLower(s)
}

// datesSurvive tells whether a layout keeps year, month and day.
func datesSurvive(layout string) bool {
	day := time.Date(2019, time.November, 23, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, day.Format(layout))
	return err == nil && back.Format(time.DateOnly) == day.Format(time.DateOnly)
}

// run brings rows into the content folder.
func run(ctx context.Context, cfg Config, rows rowSeq) (*Report, error) {
	root, err := openContent(cfg.ContentDir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	old, err := load(root, cfg.Source)
	if err != nil {
		return nil, err
	}
	report, next, err := merge(ctx, cfg, rows, old)
	if err != nil {
		return nil, err
	}
	data, remembered := next.encode()
	report.Changed = !old.holds(data, remembered)
	if !report.Changed || cfg.DryRun {
		return report, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("import stopped; nothing was written: %w", err)
	}
	if err := old.replace(root, data, remembered); err != nil {
		return nil, err
	}
	return report, nil
}
