package syntax

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
)

// Columns describes the header of a CSV file.
type Columns struct {
	// Names are the columns that a file may have; a dot separates a field from the field inside it (owner_reply.text).
	Names []string
	// Required are those that it must have.
	Required []string
	// DidYouMean returns the column that an unknown name was probably meant to be; "" for none.
	DidYouMean func(name string) string
	// Cells say of some columns what is written in them.
	Cells map[string]string
	// Fits reports whether a row has in each column what belongs there.
	Fits func(*Node) bool
}

// CSVReader reads one CSV file (RFC 4180, in UTF-8, with a header).
type CSVReader struct {
	*diagnostic.List
	Columns
	data  []byte
	lines []int // where each line begins
	// Up to byte seen of the data, its line has col-1 code points.
	seen, col int
	// Absent are the required columns that are missing, once the header has been read. They are reported there, once.
	Absent map[string]bool
}

// Read calls each with every row, as a mapping of the columns to the cells that are not empty. complete is false if
// a row, or the rest of the file, could not be read.
func (c *CSVReader) Read(data []byte, each func(*Node)) (complete bool) {
	data, ok := Clean(data, false, c.List)
	if !ok {
		return false
	}
	c.data, c.lines, c.col, c.Absent = data, []int{0}, 1, make(map[string]bool)
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSuffix(line, []byte{'\n'})) > MaxLine {
			c.Add(diagnostic.Error, len(c.lines), 0, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "end each row with a line break")
			return false
		}
		c.lines = append(c.lines, c.lines[len(c.lines)-1]+len(line))
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	first, _, _ := bytes.Cut(data, []byte{'\n'})
	for _, sign := range ";\t|" { // spreadsheets of countries whose decimals have commas write semicolons
		if bytes.Count(first, []byte(string(sign))) > bytes.Count(first, []byte(string(r.Comma))) {
			r.Comma = sign
		}
	}
	var names []string
	var columns []column
	complete = true
	for rows := 0; ; rows++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return complete
		}
		if err != nil {
			c.explain(err)
			return false
		}
		n := &Node{Kind: Mapping, Col: 1}
		n.Line, _ = r.FieldPos(0)
		switch {
		case rows == 0:
			names = slices.Clone(row)
			if columns, ok = c.header(r, row); !ok {
				return false
			}
		case rows > MaxRecords:
			c.Add(diagnostic.Error, n.Line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d rows", MaxRecords), "a folder can hold no more reviews than that")
			return false
		case strings.Join(row, "") == "": // spreadsheets leave such rows at the end
		case slices.Equal(row, names):
			c.Add(diagnostic.Error, n.Line, 1, "cell-count", "the row repeats the names of the columns", "delete it")
		case len(row) != len(columns):
			c.uneven(n.Line, row, names, r.Comma)
			complete = false
		default:
			c.row(r, row, columns, n)
			each(n)
		}
	}
}

func (c *CSVReader) uneven(line int, row, names []string, comma rune) {
	message := fmt.Sprintf("the row has %s, the header has %d", diagnostic.Plural(len(row), "cell"), len(names))
	suggestion := "put texts with commas or line breaks in double quotes, and write \"\" for a double quote inside"
	if strings.ContainsAny(strings.Join(row, ""), "“”„") {
		suggestion = "write straight quotation marks (\") around a text, not curly ones"
	} else if len(row) < len(names) {
		suggestion = fmt.Sprintf("cells are missing: an empty one needs its %q, too", comma)
		for _, sign := range ",;\t|" {
			if cells := strings.Split(strings.Join(row, string(comma)), string(sign)); sign != comma && len(cells) > max(2, len(row)) && len(cells) <= len(names) {
				row, suggestion = cells, fmt.Sprintf("its cells are separated by %q, those of the header by %q", sign, comma)
			}
		}
		if filled := c.filled(row, names, comma); len(filled) == 1 {
			suggestion += "; write " + filled[0]
		}
	}
	c.Add(diagnostic.Error, line, 1, "cell-count", message, suggestion)
}

// filled returns a row with the empty cells that it lacks, wherever it fits its columns then. It tries that for the first
// rows that are wrong, and for short ones.
func (c *CSVReader) filled(row, names []string, comma rune) (rows []string) {
	for i := 0; i <= len(row) && c.Len() < maxFilled && len(strings.Join(row, "")) < diagnostic.MaxPasted; i++ {
		var table strings.Builder
		w := csv.NewWriter(&table)
		w.Comma = comma
		_ = w.WriteAll([][]string{names, slices.Insert(slices.Clone(row), i, make([]string, len(names)-len(row))...)})
		trial := CSVReader{List: &diagnostic.List{}, Columns: c.Columns}
		trial.Read([]byte(table.String()), func(n *Node) {
			if _, filled, _ := strings.Cut(strings.TrimSpace(table.String()), "\n"); c.Fits(n) && !slices.Contains(rows, filled) {
				rows = append(rows, filled)
			}
		})
	}
	return rows
}

type column struct{ outer, inner string }

// header reads the names of the columns. ok is false if no row could be understood.
func (c *CSVReader) header(r *csv.Reader, header []string) ([]column, bool) {
	ours := func(name string) bool { return slices.Contains(c.Names, name) }
	known := func(name string) bool { return ours(name) || c.DidYouMean(name) != "" }
	some := header[:min(len(header), maxJudged)]
	values := len(header) < 3 || slices.ContainsFunc(some, forms("valueForm").MatchString)
	if values && !slices.ContainsFunc(some, known) && (len(header) > 1 || !strings.ContainsAny(header[0], ";\t|,")) {
		suggestion := fmt.Sprintf("write a row above it with a name for each of its %d columns, such as %s,text; the names are %s", len(header), strings.Join(c.Required, ","), strings.Join(c.Names, ", "))
		if strings.Trim(strings.Join(header[1:], ""), " ") == "" || strings.HasPrefix(header[0], "#") {
			suggestion = "delete the rows above the one that does; if none does, write it: " + strings.Join(c.Required, ",") + ",text"
		}
		c.Add(diagnostic.Error, 1, 1, "missing-field", "the first row doesn't name the columns", suggestion)
		return nil, false
	}
	if slices.Contains(header, "verified") && slices.Contains(header, "mentions.technicians") {
		c.Add(diagnostic.Error, 1, 1, "unknown-column", "this table is reviews.csv, which a build has published", "delete it here: its reviews are in the other files of the folder, or else in your copy of it")
		return nil, false
	}
	foreign := slices.DeleteFunc(slices.Clone(some), known)
	strange := slices.DeleteFunc(slices.Clone(some), ours)
	alike := func(name string) bool { return ours(name) || c.DidYouMean(name) == "id" }
	if len(foreign) >= 3 && 2*len(foreign) > len(some) || len(some) > 2 && !slices.ContainsFunc(some, alike) {
		c.Add(diagnostic.Error, 1, 1, "unknown-column", "this table is not in our form: it has columns such as "+diagnostic.Quote(strings.Join(strange[:min(len(strange), 5)], ", ")),
			fmt.Sprintf("if another program exported it, move it out of the content folder and run: %s; otherwise name the columns as in the manual, %s and so on", c.importCommand(), strings.Join(c.Names[:min(len(c.Names), 6)], ", ")))
		return nil, false
	}
	columns := make([]column, len(header))
	first := make(map[string]int)
	for i, name := range header {
		at := c.cell(r, i, name)
		switch prev, seen := first[name]; {
		case name == "":
			c.Add(diagnostic.Warning, at.Line, at.Col, "unknown-column", fmt.Sprintf("column %d has no name and is ignored", i+1), "name it or delete it")
		case seen:
			c.Add(diagnostic.Error, at.Line, at.Col, "duplicate-field", fmt.Sprintf("duplicate column %s", name), fmt.Sprintf("the first is column %d; keep one of them", prev+1))
		case !ours(name):
			if len(header) == 1 && strings.ContainsAny(name, ";\t|,") {
				c.Add(diagnostic.Error, at.Line, at.Col, "csv-separator", "the whole row is in one pair of quotation marks, so that it has one cell", "delete the quotation mark at the beginning and at the end of each row, and write one where there are two")
				return nil, false
			}
			suggestion := "rename the column, or delete it, and keep notes of your own in a copy outside the content folder; the columns are " + strings.Join(c.Names, ", ")
			if meant := c.DidYouMean(name); meant != "" {
				suggestion = fmt.Sprintf("did you mean %q?", meant) + c.Cells[meant]
				c.Absent[meant] = true
			}
			c.Add(diagnostic.Error, at.Line, at.Col, "unknown-column", "unknown column "+diagnostic.Quote(name), suggestion)
		default:
			first[name] = i
			columns[i].outer, columns[i].inner, _ = strings.Cut(name, ".")
		}
	}
	for _, name := range c.Required {
		if _, ok := first[name]; !ok && !c.Absent[name] {
			at := c.cell(r, 0, "")
			c.Absent[name] = true
			c.Add(diagnostic.Error, at.Line, at.Col, "missing-field", "missing column "+name, "the first row must name the columns, among them "+diagnostic.Join(c.Required, "and"))
		}
	}
	return columns, len(first) > 0
}

// maxJudged is how many names of columns say whether they are ours, maxFilled how many wrong rows are tried with empty cells.
const maxJudged, maxFilled = 100, 5

// importCommand returns the command that imports the file after it has been moved.
func (c *CSVReader) importCommand() string {
	source := cmp.Or(diagnostic.SourceOf(path.Base(c.File)), "direct")
	return fmt.Sprintf("reviewcast import csv %q --source %s --verification METHOD (--source is where the reviews were given, as the pages show it; METHOD is job, invitation, receipt or platform)", path.Base(c.File), source)
}

// row builds the mapping of a row in n.
func (c *CSVReader) row(r *csv.Reader, row []string, columns []column, n *Node) {
	for i, s := range row {
		col := &columns[i]
		if s == "" || col.outer == "" {
			continue
		}
		value := c.cell(r, i, s)
		if col.inner == "" {
			n.set(col.outer, value)
			continue
		}
		group := slices.IndexFunc(n.Entries, func(e Entry) bool { return e.Key.Text == col.outer })
		if group < 0 {
			group = len(n.Entries)
			n.set(col.outer, Node{Kind: Mapping, Line: value.Line, Col: value.Col})
		}
		n.Entries[group].Value.set(col.inner, value)
	}
}

func (n *Node) set(name string, value Node) {
	n.Entries = append(n.Entries, Entry{Node{Kind: Cell, Text: name, Line: value.Line, Col: value.Col}, value})
}

// cell returns the node of a cell. encoding/csv has copied the text.
func (c *CSVReader) cell(r *csv.Reader, i int, s string) Node {
	line, byteCol := r.FieldPos(i)
	start := c.lines[line-1]
	offset := start + byteCol - 1
	if c.seen < start || c.seen > offset {
		c.seen, c.col = start, 1
	}
	// Counting from the cell before keeps a line of many cells linear.
	c.col += utf8.RuneCount(c.data[c.seen:offset])
	c.seen = offset
	return Node{Kind: Cell, Text: s, Line: line, Col: c.col}
}

func (c *CSVReader) explain(err error) {
	e, _ := errors.AsType[*csv.ParseError](err) // memory gives no other
	start := c.lines[min(e.Line, len(c.lines))-1]
	line, col := e.Line, utf8.RuneCount(c.data[start:min(start+e.Column-1, len(c.data))])+1
	message := "wrong quotes in this cell"
	if errors.Is(e.Err, csv.ErrBareQuote) {
		message = "a double quote in a cell that doesn't begin with one"
	} else if start+e.Column > len(bytes.TrimRight(c.data, "\r\n")) {
		line, col = e.StartLine, 1
		message = "a quoted cell of this row is not closed"
	}
	c.Add(diagnostic.Error, line, col, "csv-syntax", message+"; the rest of the file is not read", "put the whole cell in double quotes, and write \"\" for a double quote inside")
}
