package importer

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// row is one review as an export has it, before anything is checked. Each
// platform has a reader that gives rows; everything after that is common.
type row struct {
	number int // counted as a spreadsheet does; in CSV the header is row 1
	line   int // where it begins in the file
	// cells holds a value for each of Fields, in that order; "" for those that the
	// export doesn't have.
	cells [len(fieldNames)]string
	// value is the whole of it where the export is JSON and its reader has more to
	// do.
	value jsontext.Value
}

// rowSeq is an export read row by row. An error that is a *Skip stands for one
// row; any other ends the import.
type rowSeq = iter.Seq2[row, error]

func (r *row) cell(f field) string { return r.cells[f] }

// skip gives the row up for a reason.
func (r *row) skip(code Code, format string, args ...any) *Skip {
	return &Skip{Row: r.number, Line: r.line, ID: clip(r.cells[fieldID]), Code: code, Reason: fmt.Sprintf(format, args...)}
}

// maxQuoted is how many code points of a cell a message shows.
const maxQuoted = 40

// quote shows a cell in a message: in quotes, short, and with everything escaped
// that could drive the terminal that prints it.
func quote(s string) string { return strconv.Quote(clip(s)) }

func clip(s string) string {
	n := 0
	for i := range s {
		if n == maxQuoted {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
