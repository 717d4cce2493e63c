package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"reviewcast/generator/diagnostic"
)

// Report says what an import did, or in a dry run would do. Every row is counted once: Rows = Added + Updated +
// Unchanged + len(Skipped).
type Report struct {
	File   string // the file of reviews, below the content folder
	DryRun bool
	// Changed reports whether the files differ from those that were there, that is whether they were written, unless
	// DryRun.
	Changed bool

	Rows                      int // of the export, without its header
	Added, Updated, Unchanged int
	Skipped                   []Skip   // in the order of rows
	Changes                   []Change // added and updated reviews, in the order of rows
	Kept                      []string // reviews and the members that editors changed and the export has otherwise
	Vanished                  []string // reviews that the export no longer has; they stay
	// Doubts are reviews that may be wrong, by what is said of them.
	Doubts             map[string][]string
	NoAuthors, NoTexts bool           // the export has no column with names, or with texts
	Anonymous          int            // reviews without a name
	Hidden             map[string]int // reviews whose authors want no name, by the column that says so
	Unverified         int            // reviews without a verification
	// Columns is the map of a CSV file as --map has it, Unused its other columns.
	Columns string
	Unused  []string
	// forgotten is what Columns seems to lack.
	forgotten string
	// Remedy is what to do if the whole export was read in a wrong way.
	Remedy string
	// Layout is the layout of the dates if all have one, and no other, that is not Config's.
	Layout string
	// Refused reports that half of the rows were skipped, or there is a remedy, and nothing was written.
	Refused bool
}

// Code is the kind of reason why a row is skipped, as the report counts it.
type Code string

// The codes.
const (
	BadQuotes    Code = "wrong quotes"
	RaggedRow    Code = "number of cells differs from the header's"
	BadCharacter Code = "a character can't be published"
	TextTooLong  Code = "a text is too long"
	Garbled      Code = "a text has garbled characters"
	CellError    Code = "a cell shows an error of a spreadsheet"
	NoID         Code = "no id, or one that was rounded"
	NoRating     Code = "rating is empty"
	BadRating    Code = "rating is not a number above zero"
	OverScale    Code = "rating is over the scale"
	BetweenStars Code = "rating is not a whole number of stars"
	OtherColumn  Code = "here already, with another author, date or text"
	OtherScale   Code = "imported on another scale before"
	NoDate       Code = "a date is empty"
	BadDate      Code = "a date has another layout or does not exist"
	FutureDate   Code = "a date is in the future"
	BadLanguage  Code = "language is not a tag"
	BadSourceURL Code = "source_url is not an address"
	BadValue     Code = "a value has the wrong type"
	NoReview     Code = "no review"
	Unshown      Code = "not shown where it was given"
	Duplicate    Code = "the same as another row"
	Conflict     Code = "contradicts another row of the same review"
	Taken        Code = "the id is used by another review"
	Elsewhere    Code = "here already, in another file"
	Withdrawn    Code = "withdrawn"
	Removed      Code = "removed by the editor"
	Twice        Code = "here already, under another id"

	BadVerification Code = "verification.method is not a method"
	UnknownName     Code = "a name is not in business.yaml"
)

// understood are the codes of rows that were read correctly.
var understood = []Code{NoReview, Unshown, OtherScale, Duplicate, Conflict, Taken, Elsewhere, Withdrawn, Removed, Twice}

// Skip is one row that was not imported.
type Skip struct {
	Row    int    // as a spreadsheet counts; a CSV header is row 1
	Line   int    // where the row begins in the file; 0 when it is not known
	ID     string // the export's own, shortened; "" when it has none
	Code   Code
	Reason string // what is wrong and what would be right
}

func (s *Skip) Error() string {
	line := diagnostic.When(s.Line > 0, fmt.Sprintf(" (line %d)", s.Line))
	return fmt.Sprintf("row %d%s%s: %s", s.Row, line, diagnostic.When(s.ID != "", " "+quote(s.ID)), s.Reason)
}

// Change is one review that was added or updated.
type Change struct {
	Row    int
	ID     string
	Date   string
	Rating int
	Author string
	Fields []string // updated members; nil when the review is new
}

// Print writes the report as text: the counts, the reasons with their counts, the skipped rows, what was kept and, in
// a dry run, a table of what would change. Verbose lists every change. The table is cut to so many columns; 0 cuts
// nothing. The error is w's.
func (r *Report) Print(w io.Writer, verbose bool, columns int) error {
	p := &printer{limit: maxPrinted, few: maxSkipped}
	if verbose {
		p.limit, p.few = math.MaxInt, math.MaxInt
	}
	into, added := r.File, "added"
	if r.Refused && r.Added+r.Updated > 0 {
		into, added = "nothing was imported into "+r.File, "could be added"
	}
	p.line("%s: %d %s, %d updated, %d unchanged, %d skipped of %s", into, r.Added, added, r.Updated, r.Unchanged, len(r.Skipped), diagnostic.Plural(r.Rows, "row"))
	if r.Rows == 0 {
		p.line("the export has no reviews; export again, without a filter and for all days, or wait until it has been downloaded completely")
	}
	r.columns(p)
	switch {
	case r.Unverified > 0 && strings.Contains(r.Columns, "verification.method="):
		p.line("%s not published, because the column of verification.method doesn't say that the customer was verified", diagnostic.Plural(r.Unverified, "review"))
	case r.Unverified > 0:
		p.line("%s not published, because nothing says how you know that the authors were customers: import again with --verification and %s", diagnostic.Plural(r.Unverified, "review"), methods)
	}
	if r.DryRun || verbose {
		p.changes(r.Changes, columns)
	}
	if r.Remedy != "" { // above what it says of many rows
		p.line("%s", r.Remedy)
	}
	p.skipped(r.Skipped)
	if !r.Refused { // otherwise the reviews in doubt were not written
		for _, doubt := range slices.Sorted(maps.Keys(r.Doubts)) {
			p.list(r.Doubts[doubt], p.few, diagnostic.Plural(len(r.Doubts[doubt]), "review")+" "+strings.ReplaceAll(doubt, "FILE", r.File)+":")
		}
	}
	vanished := "not in this export" + diagnostic.When(len(r.Skipped) > 0, ", or in one of the skipped rows")
	p.list(r.Kept, p.limit, "kept as the editor wrote them, "+diagnostic.Plural(len(r.Kept), "review")+":")
	if len(r.Skipped) < r.Rows || r.Rows == 0 { // otherwise the rows say what is wrong
		p.list(r.Vanished, p.limit, vanished+" (nothing was deleted; if one is to go, delete its line in "+r.File+", and build then says what to write into withdrawn.yaml), "+diagnostic.Plural(len(r.Vanished), "review")+":")
	}
	if r.DryRun && r.Changed && !r.Refused { // otherwise the command says so
		p.line("dry run: no file was changed; to import, run it again without --dry-run")
	}
	_, err := w.Write(p.Bytes())
	return err
}

// doubt reports why a new review may be wrong.
func (m *merger) doubt(v *review, r *record) {
	text := textOf(r.values[fieldText])
	note := func(doubt string) {
		m.report.Doubts[doubt] = append(m.report.Doubts[doubt], fmt.Sprintf("%s, row %d: %s", r.id, v.number, quote(text)))
	}
	name := func(doubt, is, shown string) {
		m.report.Doubts[doubt] = append(m.report.Doubts[doubt], quote(v.author)+is+quote(shown))
	}
	switch shown := textOf(r.values[fieldAuthor]); {
	case v.turned:
		name(messages["surname first"], " is ", shown)
	case forms("longName").MatchString(v.author) && !forms("longName").MatchString(shown):
		name(messages["shortened"], " is ", shown)
	case m.conv.turned >= minAlike && m.cfg.AuthorNames != "full" && forms("wordInitial").MatchString(v.author):
		name(messages["initial last"], " would be ", publishedAuthor(forms("wordInitial").ReplaceAllString(v.author, "$2$3. $1"), false))
	}
	if strings.Contains(v.author, "@") && string(r.values[fieldAuthor]) == quotedAnonymous {
		note("with an e-mail address in place of the name, which is never published; write the name into that cell and import again or, if another column has the names, write author= and its name in --map")
	}
	if words := said(doubtWords, text); words != "" {
		note(words)
	}
	for _, no := range v.no {
		used := slices.Collect(maps.Values(m.cfg.Map))
		if c := m.seen[no[0]]; c.yes && !c.other && !forms("harmless").MatchString(no[0]) && !slices.Contains(used, no[0]) {
			if forms("verifies").MatchString(no[0]) {
				note(fmt.Sprintf("with %s in the column %s, which isn't imported; if that says who was no customer, import again before you build: --map %q", quote(no[1]), quote(no[0]), m.cfg.with("verification.method", no[0])))
				continue
			}
			note(fmt.Sprintf("with %s in the column %s, which isn't imported; if that says that a review isn't approved or shown, delete it from FILE (later imports leave it out)", quote(no[1]), quote(no[0])))
		}
	}
}

// columns prints which columns were used, which may have been forgotten, and what they lack.
func (r *Report) columns(p *printer) {
	if r.Columns != "" {
		p.line("columns: --map %q", r.Columns)
	}
	unused := slices.DeleteFunc(slices.Clone(r.Unused), func(column string) bool { return r.Hidden[column] > 0 })
	if len(unused) > 0 {
		p.line("columns that are not imported: %s; to import one, add FIELD=COLUMN to that --map (--help lists the fields)", quoteAll(unused))
	}
	m, _ := ParseMap(r.Columns)
	if m["date"] != "" && forms("stayDay").MatchString(m["date"]) && !forms("reviewDay").MatchString(m["date"]) {
		p.line("the dates are from the column %s, which seems to have the days of visits, orders or jobs; if another one has the days on which the reviews were written, import again with date= and its name in --map", quote(m["date"]))
	}
	for _, column := range r.Unused {
		if forms("own reply").MatchString(column) && !forms("like date").MatchString(column) && !strings.Contains(r.Columns, "owner_reply.text=") {
			p.line("if %s has your replies, add owner_reply.text=%s to that --map, and owner_reply.date= with the column of their days (if there is none, add one to the table)", quote(column), column)
		}
	}
	for _, column := range slices.Sorted(maps.Keys(r.Hidden)) {
		p.line("%s by %s, as the column %s says; if it says something else, give it another name in the table", diagnostic.Plural(r.Hidden[column], "review"), anonymous, quote(column))
	}
	switch {
	case r.forgotten != "":
		p.line("columns that seem to be forgotten; import again with --map %q", r.Columns+r.forgotten)
	case r.Anonymous > 0 && r.NoAuthors:
		p.line("no column has the authors' names: the reviews are by %s; if one has, add author=COLUMN to --map", anonymous)
	case r.Anonymous > 0:
		p.line("%s by %s, because the author is empty or is no name", diagnostic.Plural(r.Anonymous, "review"), anonymous)
	}
	if r.NoTexts && r.forgotten == "" && r.Added+r.Updated+r.Unchanged > 0 {
		p.line("no column has the customers' words: the reviews have stars only; if one has, add text=COLUMN to --map")
	}
}

// methods says what the methods of verification mean.
const methods = "job (you found the job), invitation (you asked them to write), receipt (they showed a receipt or an invoice) or platform (the platform has checked it)"

type printer struct {
	bytes.Buffer
	limit, few int // how many reviews it lists of a kind, and rows of a reason
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// list prints a title and items up to a limit, and counts the others.
func (p *printer) list(items []string, limit int, title string) {
	if len(items) == 0 {
		return
	}
	p.line("%s", title)
	for _, item := range items[:min(len(items), limit)] {
		p.line("  %s", item)
	}
	p.rest(len(items), limit)
}

func (p *printer) rest(n, limit int) {
	if n > limit {
		p.line("  … and %d more; --verbose lists all", n-limit)
	}
}

// maxPrinted and maxSkipped are how many reviews of a kind and rows of a reason Print lists if it is not verbose.
const maxPrinted, maxSkipped = 20, 5

// skipped prints the reasons, the most frequent first, with their rows.
func (p *printer) skipped(skips []Skip) {
	rows := map[Code][]string{}
	for _, s := range skips {
		rows[s.Code] = append(rows[s.Code], s.Error())
	}
	for _, c := range slices.SortedFunc(maps.Keys(rows), func(a, b Code) int { return cmp.Or(len(rows[b])-len(rows[a]), cmp.Compare(a, b)) }) {
		p.list(rows[c], p.few, fmt.Sprintf("%s skipped: %s", diagnostic.Plural(len(rows[c]), "row"), c))
	}
}

// maxAuthor is how much of a name the table shows, in characters.
const maxAuthor = 24

// changes prints the table of a dry run. The id is last: it is the longest, and the least missed when the table is cut.
func (p *printer) changes(changes []Change, columns int) {
	if len(changes) == 0 {
		return
	}
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "  \tROW\tDATE\tSTARS\tAUTHOR\tCHANGES\tID")
	for _, c := range changes[:min(len(changes), p.limit)] {
		sign, what := "+", "new"
		if c.Fields != nil {
			sign, what = "~", strings.Join(c.Fields, ", ")
		}
		// Names are written by customers and may contain control sequences of terminals.
		author := shorten(strings.Trim(quote(c.Author), `"`), maxAuthor)
		fmt.Fprintf(tw, "  %s\t%d\t%s\t%d\t%s\t%s\t%s\n", sign, c.Row, c.Date, c.Rating, author, what, c.ID)
	}
	_ = tw.Flush() // into memory
	for line := range strings.Lines(table.String()) {
		p.line("%s", shorten(strings.TrimRight(line, " \n"), columns))
	}
	p.rest(len(changes), p.limit)
}

// shorten cuts a text to so many characters, including the ellipsis; 0 cuts nothing.
func shorten(s string, most int) string {
	if r := []rune(s); most > 0 && len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
