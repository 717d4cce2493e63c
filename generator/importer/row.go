package importer

import (
	"fmt"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// row is one review of an export before anything is checked. Each format has a reader that returns rows; everything
// after that is common.
type row struct {
	number int // counted as a spreadsheet does; in CSV the header is row 1
	line   int // where it begins in the file
	// cells has a value for each of Fields, in that order; "" for those that the export does not have.
	cells [len(fieldNames)]string
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
