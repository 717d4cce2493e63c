package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// table is a CSV file whose header has been read.
type table struct {
	// in is what csv reads from. csv.NewReader uses a buffered reader as it is, so what is left in it has not been read
	// by csv.
	in      *bufio.Reader
	csv     *csv.Reader
	lossy   bool
	before  int      // lines before the header
	hides   bool     // a column may say that a review is not shown
	fits    bool     // a row has as many cells as the header
	surname int      // the column of the last part of the author's name; noColumn for none
	names   []string // of the columns
	binding [len(fieldNames)]int
}

// openTable reads the header and finds the mapped columns in it. For a platform's export it fills in the map and the
// layout.
func openTable(export text, cfg *Config) (*table, error) {
	in := bufio.NewReaderSize(export.Reader, maxHeader)
	delimiter, before, err := inspectHeader(in)
	if err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	head, _ := in.Peek(maxHeader) // what is wrong with a short export shows later
	t := &table{in: in, lossy: export.lossy, before: before}
	t.csv = csv.NewReader(t.in)
	t.csv.Comma = delimiter
	t.csv.LazyQuotes = bytes.Contains(head, []byte(string(delimiter)+`="`)) || bytes.Contains(head, []byte("\n=\"")) // see readCells
	t.csv.FieldsPerRecord = -1                                                                                       // a row of another length is one row's problem, not the file's
	header, err := readCells(t.csv)
	switch {
	case err == io.EOF:
		return nil, errors.New("read export: it is empty; export it again, or wait until it has been downloaded completely")
	case err != nil:
		return nil, fmt.Errorf("read header: %w", err)
	}
	if err := t.checkUTF8(header); err != nil {
		return nil, err
	}
	t.names = trimmed(header)
	isGarbled := func(name string) bool { garbled, _ := diagnostic.Mojibake(name + "\u00a0"); return garbled != "" } // BewertungÂ, of a space
	if i := slices.IndexFunc(t.names, isGarbled); i >= 0 {
		return nil, usageError("the name of the column %s has garbled characters: %s", quote(t.names[i]), cfg.garbled())
	}
	t.hides = slices.ContainsFunc(t.names, mayHide)
	switch {
	case cfg.Platform != "":
		err = cfg.useShape(t.names)
	case cfg.Map["rating"] == "" || cfg.Map["date"] == "":
		err = cfg.ownNames(t.names, t.sample())
	}
	if err == nil {
		t.binding, err = bind(cfg.Map, t.names)
		_, t.surname = joined(cfg.Map["author"], t.names)
		err = cmp.Or(err, t.misread(cfg))
	}
	if err != nil {
		if line, below := t.headerBelow(cfg); below != nil {
			return nil, usageError(messages["header below"], quoteAll(below), line)
		}
	} else {
		cfg.forgotten = t.guess(cfg)
	}
	return t, err
}

// headerBelow returns the row that has the names of the columns if it is one of the first lines below the first row.
func (t *table) headerBelow(cfg *Config) (line int, names []string) {
	rest, _ := t.in.Peek(t.in.Buffered())
	line, _ = t.csv.FieldPos(0)
	lines := strings.Split(strings.ReplaceAll(string(rest), `"`, ""), "\n")
	for i, text := range lines[:min(len(lines), 20)] {
		cells := parts([]string{text})
		_, _, known := choose(slices.Concat(Platforms["own"], Platforms[cfg.Platform]), cells)
		given := func(cell string) bool { return cell != "" && (cell == cfg.Map["rating"] || cell == cfg.Map["date"]) }
		if len(cells) > 1 && (known || slices.ContainsFunc(cells, given)) {
			return line + t.before + i + 1, slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
		}
	}
	return 0, nil
}

// readCells reads a row; ="4", by which Excel keeps a number as a text, is 4.
func readCells(in *csv.Reader) ([]string, error) {
	cells, err := in.Read()
	for i, cell := range cells {
		if len(cell) > 2 && strings.HasPrefix(cell, `="`) && strings.HasSuffix(cell, `"`) {
			cells[i] = strings.ReplaceAll(cell[2:len(cell)-1], `""`, `"`)
		}
	}
	return cells, err
}

func trimmed(cells []string) (names []string) {
	for _, cell := range cells {
		names = append(names, strings.Join(strings.Fields(cell), " "))
	}
	return names
}

// unknownHeader says what is wrong with a header without a rating or a date, by the first rows below it.
func unknownHeader(problem string, header []string, rows [][]string, remedy string) error {
	columns, _, _ := choose(Platforms["own"], header)
	stars := slices.DeleteFunc(rated(header, rows), isRecommendation)
	if at := slices.Index(header, append(stars, "")[0]); len(stars) > 1 && columns["rating"] == "" && !slices.ContainsFunc(stars, forms("likely rating").MatchString) {
		beside := at+len(stars) <= min(len(header), 26) && slices.Equal(header[at:at+len(stars)], stars)
		average := diagnostic.When(beside, fmt.Sprintf(" (in row 2 =AVERAGE(%c2:%c2))", 'A'+at, 'A'+at+len(stars)-1))
		remedy = fmt.Sprintf(diagnostic.Pick(len(stars) > 2, messages["parts"], messages["two parts"]), remedy, quoteAll(stars), average)
	}
	above := diagnostic.When(columns["rating"] == "" && columns["date"] == "", "if it is another list than that of the reviews, such as one of customers, import that of the reviews; if these are not the names of the columns, but a title, delete what is above the names; ")
	problem += fmt.Sprintf("; its columns are %s: %s%s", quoteAll(header), above, remedy)
	if slices.ContainsFunc(header, isDay) {
		problem = fmt.Sprintf(messages["no header"], quoteAll(header))
	}
	if columns["rating"] == "" && len(stars) == 0 && slices.ContainsFunc(header, isRecommendation) {
		problem = messages["recommendations"]
	}
	for name, shapes := range Platforms {
		if columns, _, ok := choose(shapes[:1], header); ok && len(columns) > 3 && name != "own" && !strings.Contains(strings.ToLower(problem), "export of "+name) {
			problem = fmt.Sprintf("the columns are those of an export of %s; import it with `reviewcast import %s FILE`", name, name)
		}
	}
	if len(header) == 1 && strings.ContainsAny(header[0], ",;") {
		problem = messages["one cell"]
	}
	return &UsageError{[]string{problem}}
}

func (t *table) unused() (unused []string) {
	for i, name := range t.names {
		if name != "" && !slices.Contains(t.binding[:], i) && i != t.surname {
			unused = append(unused, name)
		}
	}
	return unused
}

// maxHeader is how many bytes of an export are searched for its header.
const maxHeader = 64 << 10

// inspectHeader returns the delimiter: the one of a line before the header, which it reads, or the one that the header
// has most often, commas or semicolons (Excel where the comma is the decimal sign), tabs or bars.
func inspectHeader(in *bufio.Reader) (delimiter rune, before int, err error) {
	head, err := in.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	if m := forms("sepForm").FindSubmatch(head); m != nil {
		_, _ = in.Discard(len(m[0]))
		return rune(m[1][0]), 1, nil
	}
	first, _, _ := strings.Cut(forms("quoted").ReplaceAllString(string(head), ""), "\n")
	fewer := func(a, b rune) int { return strings.Count(first, string(b)) - strings.Count(first, string(a)) }
	return slices.MinFunc([]rune(",;\t|"), fewer), 0, nil // of those that are equally frequent the first one
}

// rows returns the rows after the header. One whose last cell goes on in the lines below it, without quotes, is skipped,
// and they are: the beginning of a text is not what the customer wrote.
func (t *table) rows() rowSeq {
	return func(yield func(row, error) bool) {
		var before row
		var problem error
		for r, err := range t.lines() {
			if r.rest && before.number > 0 {
				problem = before.skip(RaggedRow, "the text seems to go on in line %d; put straight quotes (\") around the whole text, or delete line %[1]d if it is no part of it", r.line)
				err = r.skip(RaggedRow, "the line seems to be the rest of the text in line %d", before.line)
			}
			if before.number > 0 && !yield(before, problem) {
				return
			}
			before, problem = r, err
		}
		if before.number > 0 {
			yield(before, problem)
		}
	}
}

// lines returns the rows after the header, each by itself.
func (t *table) lines() rowSeq {
	return func(yield func(row, error) bool) {
		for number := 2; ; number++ {
			r := row{number: number}
			cells, err := readCells(t.csv)
			switch {
			case err == io.EOF:
				return
			case err == nil && strings.TrimSpace(strings.Join(cells, "")) == "":
				continue // spreadsheets keep rows that were emptied
			case number-1 > MaxRows:
				err = ErrTooManyRows
			case err != nil:
				err = t.broken(&r, err)
			default:
				err = t.fill(&r, cells)
			}
			if _, skip := errors.AsType[*Skip](err); !yield(r, err) || err != nil && !skip {
				return
			}
		}
	}
}

// fill sets the cells of a row, or returns why it can't be read.
func (t *table) fill(r *row, cells []string) error {
	r.line, _ = t.csv.FieldPos(0)
	r.line += t.before
	if err := t.checkUTF8(cells); err != nil {
		return err
	}
	var values [len(fieldNames)]string
	for _, f := range mapped {
		if column := t.binding[f]; column != noColumn && column < len(cells) {
			values[f] = cells[column]
		}
		if t.lossy && strings.ContainsRune(values[f], utf8.RuneError) {
			return r.skip(BadCharacter, "%s contains bytes that are not valid in the encoding of the export; correct the cell or set another --encoding", f)
		}
	}
	if err := t.shape(r, cells); err != nil {
		return err
	}
	if t.surname >= 0 {
		values[fieldAuthor] += " " + cells[t.surname]
	}
	for i, name := range t.names {
		if t.hides && !slices.Contains(t.binding[:], i) && unshown(name, cells[i]) {
			return r.skip(Unshown, "%s is %s, so it is left out; to import it all the same, empty this cell", quote(name), quote(cells[i]))
		}
	}
	r.cells, r.names, r.all = values, t.names, cells
	return nil
}

// shape returns an error for a row that has not the columns of the header.
func (t *table) shape(r *row, cells []string) error {
	rating, last := t.binding[fieldRating], slices.Index(t.binding[:], len(t.names)-1)
	remedy := fmt.Sprintf("put straight quotes (\") around cells that contain %q or line ends", string(t.csv.Comma))
	switch more := len(cells) - len(t.names); {
	case r.number == 2 && forms("secondHeading").MatchString(strings.Join(cells, "")):
		return r.skip(NoReview, "the row is a second line of headings, and is left out; there is nothing to do")
	case slices.Equal(cells, t.names), more == 0 && fieldOf(cells[rating]) == "rating" && fieldOf(cells[t.binding[fieldDate]]) == "date":
		return r.skip(NoReview, "the row repeats the names of the columns; delete it")
	case t.another(cells):
		return usageError(messages["second header"], r.line, quoteAll(parts(cells)), r.line)
	case more == 0:
		t.fits = true
		return nil
	case len(cells) == 1 && strings.Count(cells[0], string(t.csv.Comma)) >= len(t.names)-1:
		return r.skip(RaggedRow, "%s", messages["one cell"])
	case t.csv.Comma == ',' && strings.Count(strings.Join(cells, ","), ";") >= len(t.names)-1:
		return r.skip(RaggedRow, "the names of the columns are separated by commas, and this row by semicolons; write %s",
			diagnostic.Pick(t.fits, "commas in this row, with straight quotes (\") around cells that have some", "semicolons in the first row"))
	case more == 1 && t.csv.Comma == ',':
		if cell := cells[rating] + "," + cells[rating+1]; forms("decimalComma").MatchString(cell) {
			remedy = fmt.Sprintf("if the rating is %s, write a point in place of the comma; otherwise %s", cell, remedy)
		}
	case more < 0:
		rated := false
		if rating < len(cells) {
			_, _, rated = diagnostic.ParseRating(cells[rating])
		}
		r.rest = slices.Contains([]field{fieldText, fieldTitle, fieldReplyText}, field(last)) && !rated && !slices.ContainsFunc(cells, isDay)
		remedy = diagnostic.When(more == -1, fmt.Sprintf("write the cell that is missing, or only a further %q if it is empty; or ", string(t.csv.Comma))) + remedy
	}
	return r.skip(RaggedRow, "the row has %d cells, the header %d; %s", len(cells), len(t.names), remedy)
}

// another reports whether a row names columns as a header does. No such row has a day.
func (t *table) another(cells []string) bool {
	if date := t.binding[fieldDate]; date < len(cells) && len(cells) > 1 && strings.ContainsAny(cells[date], "0123456789") {
		return false
	}
	names := parts(cells)
	_, _, known := choose(Platforms["own"], names)
	return known || slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(parts(t.names))))
}

// parts returns the words between the delimiters of cells and within them.
func parts(cells []string) []string {
	return trimmed(forms("delimiter").Split(strings.Join(cells, ","), -1))
}

// broken handles a row with a syntax error. The reader goes on after the line of the error, so only that row is lost.
// But if the row spans lines up to the end of the file, a quote was never closed and may have included any number of
// rows.
func (t *table) broken(r *row, err error) error {
	p, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("read export: %w", err)
	}
	r.line = p.StartLine
	if p.StartLine == p.Line {
		return r.skip(BadQuotes, `wrong quotes at column %d; put the cell in quotes, and write "" for each quote inside it`, p.Column)
	}
	if _, err := t.in.Peek(1); err == io.EOF {
		return fmt.Errorf("read export: line %d: a quote in the row that begins here is never closed; delete it, or write one at the end of its cell, too, and two for each quote inside the cell", p.StartLine)
	}
	return r.skip(BadQuotes, "a quote that begins in line %d is closed in line %d only, so that these lines count as one row; close it where its cell ends, and double each quote inside a cell", p.StartLine, p.Line)
}

// checkUTF8 finds the first byte that is not UTF-8. One such byte means that the whole file has another encoding, so it
// ends the import with the encoding that the file seems to have.
func (t *table) checkUTF8(cells []string) error {
	i := slices.IndexFunc(cells, func(cell string) bool { return !utf8.ValidString(cell) })
	if i < 0 {
		return nil
	}
	cell := cells[i]
	at := strings.IndexByte(strings.ToValidUTF8(cell, "\xff"), 0xff)
	line, _ := t.csv.FieldPos(i)
	line += strings.Count(cell[:at], "\n")
	raw, _ := t.in.Peek(t.in.Buffered())
	raw = append([]byte(strings.Join(cells, " ")+" "), raw...)
	remedy := "say which it is with --encoding: windows-1252 when it comes from Windows, macintosh from Excel on a Mac"
	if meant, share, _ := likely(raw, ""); meant != "" && share > 0.7 {
		_, right := sample(raw, diagnostic.Pick(meant == "macintosh", "windows-1252", "macintosh"), meant)
		remedy = fmt.Sprintf("it seems to be %s, where a word is %s: import it with --encoding %[1]s, or save it as CSV UTF-8", meant, quote(right))
	}
	return usageError("the export is not UTF-8: line %d has the byte 0x%02X; %s", line, cell[at], remedy)
}

// row is one review of an export before anything is checked. Each format has a reader that returns rows; everything
// after that is common.
type row struct {
	number int // counted as a spreadsheet does; in CSV the header is row 1
	line   int // where it begins in the file
	// cells has a value for each field; "" for those that the export does not have.
	cells [len(fieldNames)]string
	// names and all are the columns of a table and their cells.
	names, all []string
	// rest reports that the row seems to be the rest of a text that began in the row before it.
	rest bool
	// value is the whole JSON value for readers that need more than the cells.
	value jsontext.Value
}

// rowSeq is an export read row by row. An error that is a *Skip concerns one row; any other ends the import.
type rowSeq = iter.Seq2[row, error]

// skip returns the error that skips the row for a reason.
func (r *row) skip(code Code, format string, args ...any) *Skip {
	return &Skip{Row: r.number, Line: r.line, ID: shorten(r.cells[fieldID], maxID), Code: code, Reason: fmt.Sprintf(format, args...)}
}

// quote quotes a cell for a message: shortened, and with everything escaped that could control the terminal.
func quote(s string) string { return diagnostic.Quote(s) }

// maxID is how many characters of an id a message shows.
const maxID = 41
