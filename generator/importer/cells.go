package importer

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
)

// wordsOf returns sections of formats.txt.
func wordsOf(sections ...string) map[string]bool {
	words := map[string]bool{}
	for _, section := range sections {
		for _, word := range diagnostic.Words(formatsFile, section) {
			words[word] = true
		}
	}
	return words
}

// Words of columns and cells, as formats.txt explains them.
var (
	statusColumns, unshownColumns = wordsOf("status"), wordsOf("unshown")
	consents                      = diagnostic.Words(formatsFile, "consent")
	hiddenStates                  = wordsOf("unshown", "hidden", "no")
	yes, no, unverified           = wordsOf("yes"), wordsOf("no"), wordsOf("unverified")
	firstNames, lastNames         = wordsOf("first"), wordsOf("last")
)

// maxState is the length of the longest cell that may be a state, in bytes.
const maxState = 64

// unshown reports whether a column says of a review that its platform doesn't show it, or that its author hasn't agreed
// to the publication.
func unshown(column, cell string) bool {
	if len(cell) > maxState {
		return false
	}
	name, state := diagnostic.Squash(column), diagnostic.Squash(cell)
	switch {
	case unshownColumns[name]:
		return yes[state] || state != "" && len(layoutsOf(knownLayouts, strings.TrimSpace(cell))) > 0
	case hiddenStates[state]:
		return statusColumns[name] || slices.ContainsFunc(consents, func(part string) bool { return strings.Contains(name, part) })
	}
	return false
}

// sample returns the first rows below the header.
func (t *table) sample() (rows [][]string) {
	rest, _ := t.in.Peek(t.in.Buffered())
	in := csv.NewReader(bytes.NewReader(rest))
	in.Comma, in.FieldsPerRecord = t.csv.Comma, -1
	for len(rows) < 20 {
		cells, err := in.Read()
		if err != nil {
			break // or the end of what has been read
		}
		if len(cells) == len(t.names) {
			rows = append(rows, cells)
		}
	}
	return rows
}

// rated returns the columns of some rows that have ratings only, and don't count the rows; nil if there are no rows.
func rated(names []string, rows [][]string) []string {
	if len(rows) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		i, given, counted := slices.Index(names, name), 0, 0
		for j, cells := range rows {
			value, _, ok := diagnostic.ParseRating(cells[i])
			if cells[i] != "" && (!ok || value <= 0 || value > 10) {
				return true
			} else if cells[i] != "" {
				given++
			}
			if value == float64(j+1) {
				counted++
			}
		}
		return given == 0 || counted == len(rows) && counted > 2
	})
}

// columns returns the columns of a row and their cells.
func (r *row) columns() (names, cells []string) {
	if r.value == nil {
		return r.names, r.all
	}
	names = membersOf(r.value)
	for _, name := range names {
		cell, _ := textAt(r.value, name, false)
		cells = append(cells, cell)
	}
	return names, cells
}
