// Package importer imports reviews from exports of other platforms into an editor's content folder.
//
// An import reads one export (CSV, JSONL, or Google's JSON) and writes one file, reviews/import-{source}.jsonl: one
// review per line, with the field names of the contract, newest first and then by id. The file
// reviews/.import-{source}.json, which the generator ignores, is the import's memory of what it wrote last. Keep the
// two together, under version control like all content.
//
// # Importing again
//
// The same export gives the same bytes. A newer export updates the file in place:
//
//   - A review is identified by the export's own id or, if no column has one, by its date, author, title, text and
//     source URL (also by its rating if it has neither text nor URL), whatever the order of the rows. The columns of
//     the first import decide; an import without one of them is refused: it would add every review again.
//   - An import that reads one of these fields from another column than the first did would add its reviews a second
//     time. If most of the new reviews are here already but for one field, they are skipped. So is one with the author,
//     day and stars of a review that is gone from the export: its text was edited.
//   - A field whose value is not the one that the last import wrote was changed by the editor. It is kept and reported.
//     Members that imports don't write, such as technicians, are never changed.
//   - A review that is gone from the export stays, and is reported.
//   - A review that the editor removed from the file stays out. To import it again, delete its entry from
//     .import-{source}.json. Deleting the JSONL file starts from the beginning.
//   - If .import-{source}.json is lost, everything in the file is kept.
//
// # What is skipped
//
// Nothing is guessed, and no text is changed silently. A row that can't be published as it is is skipped, and the Report
// has its place, the reason and the remedy; the others are written, unless half or more are skipped. What concerns the
// whole export, such as a missing column, stops it before anything is written. The only changes to what a customer wrote
// are line ends (CRLF becomes LF) and the author's name, see [Config].
package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// Limits of an export. It comes from outside, so each limit stops what a broken or hostile one could do to the machine
// of an editor.
const (
	// MaxExport is the size of the largest export, and of the largest file that is updated, in bytes: an endless stream
	// would fill the memory.
	MaxExport = 512 << 20
	// MaxRows is the largest number of rows: millions of tiny rows cost far more memory than their bytes. It is what a
	// content folder can hold, too.
	MaxRows = 1_000_000
	// MaxAuthor is the length of the longest author name in code points: it is shown in every list and feed.
	MaxAuthor = 200
	// MaxSource is the length of the longest name of a source in bytes, so that there is room for ids.
	MaxSource = 32
)

// Errors of an export as a whole.
var (
	ErrTooLarge    = fmt.Errorf("the export is larger than %d MiB; split it and import the parts one after the other", MaxExport>>20)
	ErrTooManyRows = fmt.Errorf("the export has more than %d rows; split it and import the parts one after the other", MaxRows)
)

// UsageError lists the invalid options of an import: a wrong value, or a column that the export doesn't have.
type UsageError struct {
	Problems []string
}

func (e *UsageError) Error() string { return strings.Join(e.Problems, "\n") }

// usageError returns a [*UsageError] with one problem.
func usageError(format string, args ...any) error {
	return &UsageError{[]string{fmt.Sprintf(format, args...)}}
}

// Config says what to import and how to read it.
type Config struct {
	// ContentDir is the content folder. It must exist; reviews/ in it is created if necessary.
	ContentDir string
	// Source is where the reviews were posted: "google", "skytrax". It is part of the file name and of every id: a
	// lower-case letter or digit, then lower-case letters, digits, '.', '_' and '-', at most MaxSource bytes.
	Source string
	// Map maps each of Fields to the column of the export that has it. Where a CSV file's map has no rating or no date,
	// the columns that have the names of the fields complete it.
	Map map[string]string
	// Platform is one of Platforms: its map and date layout are found by the header, unless Map and DateLayout are set.
	// For CSV only.
	Platform string
	// Verification is how the business knows that the authors were customers, one of reviewcast.VerificationMethods.
	// Empty: reviews are imported without a verification and stay unpublished until the editor adds one. If a column has
	// verification.method, it is the method of the rows with "yes".
	Verification string
	// RatingScale is the best rating of the export; 0 means 5. Ratings are converted to stars proportionally.
	RatingScale float64
	// Round says how a rating between two stars becomes a whole number, at least one: "nearest", which takes halves up, or
	// "down". Empty: its row is skipped, since no customer gave a rounded rating.
	Round string
	// DateLayout is the layout of dates in the export, as spreadsheets write layouts (DD/MM/YYYY) or as package time does
	// (02/01/2006); empty means YYYY-MM-DD. Days may have a weekday and a time. 03/04/2025 is ambiguous.
	DateLayout string
	// Location is the time zone in which a date with a time and a numeric zone has its day. Nil takes the day as it is
	// written.
	Location *time.Location
	// Today is the business's calendar day: later dates are skipped. Empty skips none.
	Today reviewcast.Date
	// AuthorNames is "initials" ("Maria K.") or "full"; empty means initials.
	AuthorNames string
	// Language is the BCP 47 tag of reviews without a language column. Empty means the language of the site.
	Language string
	// Encoding is the encoding of the export: one of Encodings. Empty means UTF-8. A byte order mark overrides it.
	Encoding string
	// DryRun does everything but write.
	DryRun bool
	// Partial imports the other rows when half or more are skipped. Otherwise nothing is written then: a column or a layout
	// is probably wrong.
	Partial bool
	// Taken reports where an id (compared ignoring case) is used in the content folder: "reviews/2026.yaml:12"; "" if
	// nowhere. Places in the import's own file are ignored, so the caller need not leave them out. Nil: no id is used.
	Taken func(id string) (where string)
	// Standing reports where the content folder has a review with this author, date and text, like Taken; "" if none. Nil: it has none.
	Standing func(author string, date reviewcast.Date, text string) (where string)
	// Withdrawn reports whether withdrawn.yaml lists an id. Such a review is not written, so that a text withdrawn for
	// legal reasons does not come back. Nil: none is.
	Withdrawn func(id string) bool
	// Lookup returns the id of a technician, service or service area by its id, name or alias; field is "technicians",
	// "services" or "service_areas". Nil: there are none.
	Lookup func(field, name string) (id string, ok bool)
	// Business is the name of the business, as which its answers may be among the rows.
	Business string
	// Names returns the ids, names and aliases that Lookup knows, for suggestions. Nil: there are none.
	Names func(field string) []string
	// ask is what the import has to ask about its columns before it may write; forgotten are columns that seem to have the
	// texts or the names of authors, as --map has them, if none is mapped.
	ask, forgotten string
}

// ParseMap parses a map as it is written on a command line: field=COLUMN, separated by commas. What has no = goes on
// with the column before it. A part may be in double quotes, as in CSV: rating=stars,"text=Review, or a=b". Whether the fields and columns exist is
// checked by the import. The error is a *UsageError.
func ParseMap(s string) (map[string]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.LazyQuotes = true
	parts, err := r.Read()
	if err != nil {
		return nil, &UsageError{[]string{"the column map is empty; write rating=COLUMN,date=COLUMN,text=COLUMN"}}
	}
	m := make(map[string]string, len(parts))
	var problems []string
	last := ""
	for _, part := range parts {
		name, column, ok := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		within := last != "" && fieldOf(name) == "" && fieldOf(column) == "" && (strings.Count(m[last], "(") > strings.Count(m[last], ")") || strings.ContainsAny(name, "0123456789 "))
		switch _, twice := m[name]; {
		case last != "" && !ok && !strings.ContainsAny(part, ":;"), ok && within:
			m[last] += "," + part // of a name with a comma
		case twice && name == "author":
			m[name] += "+" + column
		case !ok || strings.Contains(column, ";") && strings.Contains(column, "="):
			pair := strings.NewReplacer("->", "=", "→", "=", ":", "=").Replace(part)
			remedy := "write " + pair
			if strings.Contains(part, ";") {
				remedy = fmt.Sprintf("write commas between the pairs, and all in quotation marks: --map %q", strings.ReplaceAll(part, ";", ","))
			} else if pair == part {
				remedy = "write " + cmp.Or(fieldOf(part), "text") + "=COLUMN"
			}
			problems = append(problems, fmt.Sprintf("column map: %s is not field=COLUMN; %s", quote(part), remedy))
		case twice:
			problems = append(problems, fmt.Sprintf("column map: %s is given twice, and has one column: keep one of them, or join the two columns in the table and map that one", quote(name)))
		default:
			m[name], last = column, name
		}
	}
	if len(problems) > 0 {
		return nil, &UsageError{problems}
	}
	return m, nil
}

// CSV imports a CSV file with a header row, or one that is JSON in spite of its name, as JSONL does. The error is a
// *UsageError, one of this package's, or one of the reader, the context or the disk; then nothing was written. A Report
// without an error is returned even if every row was skipped.
func CSV(ctx context.Context, r io.Reader, cfg Config) (*Report, error) {
	in := bufio.NewReader(r)
	if head, _ := in.Peek(2 << 10); cfg.Platform == "" && forms("jsonForm").Match(head) && !bytes.Contains(head, []byte(`"starRating"`)) {
		return JSONL(ctx, in, cfg)
	}
	export, err := begin(ctx, in, &cfg, false)
	if err != nil {
		return nil, err
	}
	table, err := openTable(export, &cfg)
	if err != nil {
		return nil, err
	}
	report, err := run(ctx, cfg, table.rows())
	if err == nil {
		report.Columns, report.Unused, report.forgotten = cfg.columns(), table.unused(), cfg.forgotten
	}
	return report, err
}

// begin checks the options and decodes the export.
func begin(ctx context.Context, r io.Reader, cfg *Config, json bool) (export text, err error) {
	if *cfg, err = cfg.check(); err != nil {
		return text{}, err
	}
	return decode(ctx, r, *cfg, json)
}

// check sets the defaults and returns all invalid options.
func (c Config) check() (Config, error) {
	var problems []string
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	c.Taken = diagnostic.Pick(c.Taken != nil, c.Taken, func(string) string { return "" })
	c.Standing = diagnostic.Pick(c.Standing != nil, c.Standing, func(string, reviewcast.Date, string) string { return "" })
	c.Withdrawn = diagnostic.Pick(c.Withdrawn != nil, c.Withdrawn, func(string) bool { return false })
	c.Lookup = diagnostic.Pick(c.Lookup != nil, c.Lookup, func(string, string) (string, bool) { return "", false })
	c.Names = diagnostic.Pick(c.Names != nil, c.Names, func(string) []string { return nil })
	c.RatingScale = cmp.Or(c.RatingScale, reviewcast.MaxRating)
	given, _, _ := strings.Cut(c.DateLayout, " if ") // as messages have it
	c.DateLayout = diagnostic.Pick(given == "" && c.Platform == "", time.DateOnly, layoutOf(given))
	c.Verification = strings.ToLower(c.Verification)
	switch {
	case c.Source == "":
		bad("source is missing; add where the reviews were written, which is published: --source google, or the name of another platform; or, if they were written to you, --source survey, website-form or letter")
	case forms("fileName").MatchString(c.Source):
		bad("source %s is the name of a file; write where the reviews were given, in one word, such as survey", quote(c.Source))
	case !validSource(c.Source):
		remedy := fmt.Sprintf("use lower-case letters, digits, '.', '_' and '-', beginning with a letter or digit, at most %d", MaxSource)
		if plain := strings.Join(strings.Fields(strings.ToLower(diagnostic.Unaccented(diagnostic.Platform(c.Source)))), "-"); validSource(plain) {
			remedy = "write " + plain
		}
		bad("source %s is not one word in small letters; %s", quote(c.Source), remedy)
	}
	if c.Verification != "" && !slices.Contains(reviewcast.VerificationMethods, c.Verification) {
		bad("verification %s is unknown; it says how you know that the authors were customers: %s", quote(c.Verification), methods)
	}
	if c.Verification == "platform" && diagnostic.OwnSource(c.Source) {
		bad("verification platform says that a platform has checked the authors, and source %s is none; write job if you found their jobs, invitation if you invited them to write, or receipt", quote(c.Source))
	}
	if !(c.RatingScale >= 1 && c.RatingScale <= 1000) {
		bad("rating scale %g is out of range; set the best rating, from 1 to 1000", c.RatingScale)
	}
	if c.DateLayout != "" && !datesSurvive(c.DateLayout) {
		bad("date layout %s lacks the day, the month or the year, or has other letters for them; write DD, MM and YYYY in the order that the dates have, such as YYYY-MM-DD, DD/MM/YYYY or D MMMM YYYY", quote(given))
	}
	if c.Language != "" {
		tag, err := languageOf(c.Language)
		if spoken, is := spokenIn(c.Language, false); is {
			bad("language %s is a country; write the code of the language, such as --language %s%s", quote(c.Language), spoken,
				diagnostic.When(err == nil, fmt.Sprintf("; for %s, write --language %s", display.English.Languages().Name(tag), tag)))
		} else if err != nil {
			bad("language %s is not known; %s", quote(c.Language), nameLanguage)
		}
		c.Language = tag.String()
	}
	if _, ok := encodings[c.Encoding]; !ok {
		known := cmp.Or(diagnostic.Lines(formatsFile, "encoding")[diagnostic.Squash(c.Encoding)], "one of "+Encodings())
		bad("encoding %s is unknown; write %s; or save the export as CSV UTF-8, and import it without --encoding", quote(c.Encoding), known)
	}
	problems = append(problems, checkFields(c.Map)...)
	if len(problems) > 0 {
		return c, &UsageError{problems}
	}
	return c, nil
}

// languageOf reads a BCP 47 tag, or the name of a language.
func languageOf(s string) (language.Tag, error) {
	return language.Parse(cmp.Or(diagnostic.Languages[diagnostic.Squash(s)], s))
}

// spokenIn returns the language of a country if a word is the code of one. Of some codes that are those of languages,
// too, the language is rarer; of others, unless countries reports that other words are countries.
func spokenIn(word string, countries bool) (spoken language.Base, is bool) {
	tag, err := languageOf(word)
	region, no := language.ParseRegion(word)
	base, _ := tag.Base()
	spoken, _ = language.Make("und-" + region.String()).Base()
	countries = countries || word == "UK" || diagnostic.CountryCodes[strings.ToLower(word)] != "" // uk is Ukrainian
	both := word == strings.ToUpper(word) && base != spoken && countries
	return spoken, no == nil && region.IsCountry() && (err != nil || both)
}

// nameLanguage says what to write for a word that is no language.
const nameLanguage = "write its code, such as en, de or pt-BR, or its English name"

// validSource reports whether the name is safe in a file name and in an id on every system, including those that
// ignore case.
func validSource(s string) bool {
	return len(s) <= MaxSource && reviewcast.ValidID(s) && s == strings.ToLower(s)
}

// datesSurvive reports whether a layout keeps year, month and day.
func datesSurvive(layout string) bool {
	day := time.Date(2019, time.November, 23, 0, 0, 0, 0, time.UTC)
	back, err := time.Parse(layout, day.Format(layout))
	return err == nil && back.Format(time.DateOnly) == day.Format(time.DateOnly)
}

// run imports rows into the content folder. All access goes through its root, so that no symbolic link leads a write out
// of it.
func run(ctx context.Context, cfg Config, rows rowSeq) (*Report, error) {
	root, err := os.OpenRoot(cfg.ContentDir)
	if err != nil {
		return nil, fmt.Errorf("open content folder: %w", err)
	}
	defer root.Close()
	files, err := load(root, cfg.Source)
	if err != nil {
		return nil, err
	}
	report, err := merge(cfg, rows, files)
	if err != nil {
		return nil, err
	}
	data, remembered := files.encode()
	report.Changed = !files.holds(data, remembered)
	if !report.Changed || report.Refused || cfg.DryRun {
		return report, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("import stopped; no file was changed: %w", err)
	}
	if err := files.replace(root, data, remembered); err != nil {
		return nil, err
	}
	return report, nil
}
