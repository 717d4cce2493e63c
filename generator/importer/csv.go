package importer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is a CSV file whose header has been read.
type table struct {
	// in is what csv reads from: csv.NewReader takes over a buffered reader as it is,
	// so what is left in it is what csv hasn't seen.
	in      *bufio.Reader
	csv     *csv.Reader
	lossy   bool
	width   int // cells of the header
	binding [len(fieldNames)]int
}

// openTable reads the header and finds the mapped columns in it. Of a platform's
// export it fills in the map and the layout.
func openTable(export text, cfg *Config) (*table, error) {
	in := bufio.NewReaderSize(export.Reader, maxHeader)
	delimiter, oldMac, err := inspectHeader(in)
	if err != nil {
		return nil, fmt.Errorf("read export: %w", err)
	}
	if oldMac {
		in = bufio.NewReader(lineFeeds{in})
	}
	t := &table{in: in, lossy: export.lossy}
	t.csv = csv.NewReader(t.in)
	t.csv.Comma = delimiter
	t.csv.FieldsPerRecord = -1 // a row of another length is one row's problem, not the file's
	t.csv.ReuseRecord = true
	if cfg.Delimiter != 0 {
		t.csv.Comma = cfg.Delimiter
	}
	header, err := t.csv.Read()
	switch {
	case err == io.EOF:
		return nil, errors.New("read export: it is empty; it should begin with a header row that names the columns")
	case err != nil:
		return nil, fmt.Errorf("read header: %w", err)
	}
	if err := t.checkUTF8(header); err != nil {
		return nil, err
	}
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.TrimSpace(name)
	}
	t.width = len(names)
	switch {
	case cfg.Platform != "":
		err = cfg.shape(names)
	case cfg.Map == nil:
		err = cfg.ownNames(names)
	}
	if err != nil {
		return nil, err
	}
	t.binding, err = bind(cfg.Map, names)
	return t, err
}

// maxHeader is how much of an export is looked at to see how its header is
// written, in bytes.
const maxHeader = 64 << 10

// inspectHeader tells what stands between the cells when nobody says it: the comma,
// unless the header has none and has semicolons (Excel where the comma is the
// decimal sign) or tabs. OldMac tells that lines end in a carriage return alone, as
// Excel's "CSV (Macintosh)" has it.
func inspectHeader(in *bufio.Reader) (delimiter rune, oldMac bool, err error) {
	head, err := in.Peek(maxHeader)
	if err != nil && err != io.EOF {
		return 0, false, err
	}
	end, quoted := len(head), false
	var found [len(delimiters)]bool
	for i, c := range head {
		if c == '"' {
			quoted = !quoted
		} else if !quoted && (c == '\n' || c == '\r') {
			end = i
			break
		} else if d := strings.IndexByte(delimiters, c); d >= 0 && !quoted {
			found[d] = true
		}
	}
	oldMac = end < len(head)-1 && head[end] == '\r' && head[end+1] != '\n'
	for i, there := range found {
		if there {
			return rune(delimiters[i]), oldMac, nil
		}
	}
	return ',', oldMac, nil
}

// delimiters are what may stand between cells, the likeliest first.
const delimiters = ",;\t"

// lineFeeds turns carriage returns into the line ends that csv knows.
type lineFeeds struct{ r io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// rows gives the rows after the header.
func (t *table) rows() rowSeq {
	return func(yield func(row, error) bool) {
		for number := 2; ; number++ {
			r := row{number: number}
			cells, err := t.csv.Read()
			if err == io.EOF {
				return
			}
			if number-1 > MaxRows {
				yield(r, ErrTooManyRows)
				return
			}
			if err != nil {
				if err = t.broken(&r, err); !yield(r, err) {
					return
				}
				if skip := (*Skip)(nil); !errors.As(err, &skip) {
					return
				}
				continue
			}
			if r.line, _ = t.csv.FieldPos(0); t.lossy {
				err = t.checkDecoded(&r, cells)
			} else {
				err = t.checkUTF8(cells)
			}
			if err == nil && len(cells) != t.width {
				err = r.skip(RaggedRow, "the row has %d cells, the header %d; put quotes around cells that hold the delimiter or line ends", len(cells), t.width)
			}
			if err == nil {
				for f, column := range t.binding {
					if column != noColumn {
						r.cells[f] = cells[column]
					}
				}
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// broken decides what a row means that isn't CSV. The reader goes on after the
// line where the quotes broke, so only that row is lost; but when it spans lines
// up to the end of the file, a quote was never closed and it may have swallowed
// any number of rows.
func (t *table) broken(r *row, err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return fmt.Errorf("read export: %w", err)
	}
	r.line = p.StartLine
	if p.StartLine == p.Line {
		return r.skip(BadQuotes, "the quotes are broken at column %d; put the cell in quotes and double each quote inside it", p.Column)
	}
	if _, err := t.in.Peek(1); err == io.EOF {
		return fmt.Errorf("read export: line %d: quotes open in the row that begins here and are still open or broken at the end of the file; close them there", p.StartLine)
	}
	return r.skip(BadQuotes, "the quotes are broken in lines %d to %d; put the cell in quotes and double each quote inside it", p.StartLine, p.Line)
}

// checkUTF8 finds the first byte that isn't UTF-8. One such byte means that the
// encoding of the whole file is another, so it ends the import.
func (t *table) checkUTF8(cells []string) error {
	for i, cell := range cells {
		if utf8.ValidString(cell) {
			continue
		}
		line, _ := t.csv.FieldPos(i)
		for j, r := range cell {
			if r == '\n' {
				line++
			} else if r == utf8.RuneError {
				if _, size := utf8.DecodeRuneInString(cell[j:]); size == 1 {
					return &UsageError{[]string{fmt.Sprintf("the export is not UTF-8: line %d has the byte 0x%02X; say which it is with --encoding: windows-1252 when it comes from Windows, macintosh from Excel on a Mac", line, cell[j])}}
				}
			}
		}
	}
	return nil
}

// checkDecoded finds what couldn't be decoded in the cells that are used.
func (t *table) checkDecoded(r *row, cells []string) error {
	for f, column := range t.binding {
		if column != noColumn && column < len(cells) && strings.ContainsRune(cells[column], utf8.RuneError) {
			return r.skip(BadCharacter, "%s holds something that is no character in the export's encoding; correct the cell or say another --encoding", field(f))
		}
	}
	return nil
}
