package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// csvColumns are the columns that a CSV file may have, with what they mean: the
// name of a field, or of a field in a field.
var csvColumns = func() []string {
	var names []string
	for _, name := range reviewSchema.names {
		switch name {
		case "owner_reply":
			names = append(names, prefixed(replySchema)...)
		case "verification":
			names = append(names, prefixed(verificationSchema)...)
		default:
			names = append(names, name)
		}
	}
	return names
}()

func prefixed(s *schema) []string {
	names := make([]string, len(s.names))
	for i, name := range s.names {
		names[i] = s.prefix + name
	}
	return names
}

// csvReader reads one CSV file (RFC 4180, in UTF-8, with a header).
type csvReader struct {
	*problems
	data  []byte
	lines []int // where each line begins
	// Up to byte seen of the data, its line has col-1 code points.
	seen, col int
	// absent are the required columns that aren't there. They are noted at the
	// header, once.
	absent map[string]bool
}

func newCSVReader(p *problems) *csvReader {
	return &csvReader{problems: p, lines: []int{0}, col: 1, absent: make(map[string]bool)}
}

// read gives every row as the tree of a review. complete is false when the rest
// of the file couldn't be read.
func (c *csvReader) read(data []byte, each func(*node)) (complete bool) {
	data, ok := clean(data, 1, false, c.problems)
	if !ok {
		return false
	}
	c.data = data
	for i := 0; ; {
		end := bytes.IndexByte(data[i:], '\n')
		if end > MaxLine || end < 0 && len(data)-i > MaxLine {
			c.add(Error, len(c.lines), 0, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "end each row with a line break")
			return false
		}
		if end < 0 {
			break
		}
		i += end + 1
		c.lines = append(c.lines, i)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return true
	}
	if err != nil {
		c.explain(err)
		return false
	}
	columns, ok := c.header(r, header)
	if !ok {
		return false
	}
	n := node{kind: mapping}
	for rows := 0; ; rows++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			c.explain(err)
			return false
		}
		if rows == MaxReviews {
			line, _ := r.FieldPos(0)
			c.add(Error, line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d rows", MaxReviews), "a folder holds no more reviews than that")
			return false
		}
		if empty(row) {
			continue // spreadsheets leave such rows at the end
		}
		n.line, _ = r.FieldPos(0)
		n.col = 1
		if len(row) != len(columns) {
			c.add(Error, n.line, 1, "cell-count", fmt.Sprintf("the row has %d cells, the header has %d", len(row), len(columns)),
				"put a text with commas or line breaks in double quotes, and write \"\" for a double quote in it")
			continue
		}
		c.row(r, row, columns, &n)
		each(&n)
	}
}

// empty tells whether a row says nothing.
func empty(row []string) bool {
	for _, cell := range row {
		if cell != "" {
			return false
		}
	}
	return true
}

// column is where a cell goes: a field, or a field in a field.
type column struct {
	node         node // the name's place
	outer, inner string
}

// header reads the columns' names; ok is false when no row could be understood.
func (c *csvReader) header(r *csv.Reader, header []string) ([]column, bool) {
	columns := make([]column, len(header))
	first := make(map[string]int)
	known := 0
	for i, name := range header {
		at := c.cell(r, i, name)
		columns[i].node = at
		switch prev, seen := first[name]; {
		case name == "":
			c.add(Warning, at.line, at.col, "unknown-column", fmt.Sprintf("column %d has no name, so that it isn't read", i+1), "name it or delete it")
		case seen:
			c.add(Error, at.line, at.col, "duplicate-field", fmt.Sprintf("the column %s stands here a second time", name), fmt.Sprintf("the first is column %d; keep one of them", prev+1))
		case !slices.Contains(csvColumns, name):
			if between, ok := separator(name); len(header) == 1 && ok {
				c.add(Error, at.line, at.col, "csv-separator", "the columns are separated by "+between+", not by commas",
					"write commas between the cells, with double quotes around texts that have one; or move the file out of the folder and bring it in with reviewcast import csv --map …, which reads it as it is")
				return nil, false
			}
			suggestion := "the columns are " + strings.Join(csvColumns, ", ")
			meant, ok := reviewSchema.also[squash(name)]
			if !ok || !slices.Contains(csvColumns, meant) {
				meant = nearest(name, csvColumns)
			}
			if meant != "" {
				suggestion = fmt.Sprintf("did you mean %q?", meant)
				c.absent[meant] = true
			}
			c.add(Error, at.line, at.col, "unknown-column", "there is an unknown column "+echo(name), suggestion)
		default:
			known++
			first[name] = i
			columns[i].outer = name
			if outer, inner, nested := strings.Cut(name, "."); nested {
				columns[i].outer, columns[i].inner = outer, inner
			}
		}
	}
	for _, f := range []int{reviewID, reviewAuthor, reviewRating, reviewDate} {
		name := reviewSchema.names[f]
		if _, ok := first[name]; !ok && !c.absent[name] {
			c.absent[name] = true
			c.add(Error, columns[0].node.line, columns[0].node.col, "missing-field", "there is no column "+name, "the first row names the columns; id, author, rating and date have to be among them")
		}
	}
	return columns, known > 0
}

// separator names what stands between the columns of a header instead of commas.
func separator(header string) (what string, ok bool) {
	for _, s := range []struct{ sign, what string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "bars"}} {
		if strings.Contains(header, s.sign) {
			return s.what, true
		}
	}
	return "", false
}

// row builds the tree of a row in n, which is used again for every row.
func (c *csvReader) row(r *csv.Reader, row []string, columns []column, n *node) {
	n.entries = n.entries[:0]
	for i, s := range row {
		col := &columns[i]
		if s == "" || col.outer == "" {
			continue
		}
		value := c.cell(r, i, s)
		if col.inner == "" {
			n.grow().set(col.outer, value)
			continue
		}
		group := slices.IndexFunc(n.entries, func(e entry) bool { return e.key.text == col.outer })
		if group < 0 {
			group = len(n.entries)
			n.grow().set(col.outer, node{kind: mapping, line: value.line, col: value.col})
		}
		n.entries[group].value.grow().set(col.inner, value)
	}
}

// set fills an entry in; its name has the place of its value.
func (e *entry) set(name string, value node) {
	e.key.kind, e.key.text, e.key.line, e.key.col = cell, name, value.line, value.col
	value.entries = e.value.entries
	e.value = value
}

// cell makes the node of a cell. The text is copied by encoding/csv.
func (c *csvReader) cell(r *csv.Reader, i int, s string) node {
	line, byteCol := r.FieldPos(i)
	n := node{kind: cell, text: s, line: line}
	n.offset = c.lines[line-1] + byteCol - 1
	if c.seen < c.lines[line-1] || c.seen > n.offset {
		c.seen, c.col = c.lines[line-1], 1
	}
	// Counting on from the cell before keeps a line of many cells linear.
	c.col += utf8.RuneCount(c.data[c.seen:n.offset])
	c.seen, n.col = n.offset, c.col
	return n
}

// locate finds the byte at offset of a cell's text.
func (c *csvReader) locate(n *node, offset int) (line, col int) {
	line, col = n.line, n.col
	quoted := n.offset < len(c.data) && c.data[n.offset] == '"'
	if quoted {
		col++
	}
	for _, r := range n.text[:min(offset, len(n.text))] {
		switch {
		case r == '\n':
			line++
			col = 1
		case r == '"' && quoted:
			col += 2 // it is doubled
		default:
			col++
		}
	}
	return line, col
}

// explain notes in an editor's words why the file is no CSV from here on.
func (c *csvReader) explain(err error) {
	var e *csv.ParseError
	if !errors.As(err, &e) {
		c.add(Error, 0, 0, "csv-syntax", "the rows can't be read: "+err.Error(), "save the file as comma-separated values")
		return
	}
	col := 0
	if e.Line <= len(c.lines) && e.Column > 0 {
		start := c.lines[e.Line-1]
		col = utf8.RuneCount(c.data[start:min(start+e.Column-1, len(c.data))]) + 1
	}
	line := e.Line
	message, suggestion := "the quotes of this cell are wrong", "put the whole cell in double quotes, and write \"\" for a double quote in it"
	if errors.Is(e.Err, csv.ErrBareQuote) {
		message = "a double quote stands in a cell that doesn't begin with one"
	} else if e.Line > len(c.lines) || c.lines[e.Line-1]+e.Column > len(bytes.TrimRight(c.data, "\r\n")) {
		line, col = e.StartLine, 1
		message = "a cell of this row has quotes that are never closed"
	}
	c.add(Error, line, col, "csv-syntax", message+"; nothing below is read", suggestion)
}
