package importer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
)

// unused is what the cells of a column are that isn't imported.
type unused struct {
	yes, other bool // a cell is yes, or neither yes nor no
	days       int  // the days in it of reviews without one
}

// maxWord is the length of the longest word for yes or no, in bytes.
const maxWord = 16

// look notes what a row has in columns that are not imported.
func (m *merger) look(r *row, v *review) {
	undated := strings.TrimSpace(r.cells[fieldDate]) == ""
	for i, name := range r.names {
		u := m.unused[name]
		if u == nil {
			u = &unused{other: forms["harmless"].MatchString(name) || slices.Contains(slices.Collect(maps.Values(m.cfg.Map)), name)}
			m.unused[name] = u
		}
		cell := r.all[i]
		if undated && len(layoutsOf(knownLayouts, cell)) > 0 {
			u.days++
		}
		switch word := diagnostic.Squash(cell); {
		case u.other || word == "":
		case len(cell) > maxWord || !slices.Contains(yes, word) && !slices.Contains(no, word):
			u.other = true
		case slices.Contains(no, word):
			v.no = append(v.no, [2]string{name, cell})
		default:
			u.yes = true
		}
	}
}

// doubt reports why a new review may be wrong.
func (m *merger) doubt(v *review, r *record) {
	text := textOf(r.values[fieldText])
	found := []string{said(doubtWords, text)}
	for _, no := range v.no {
		if u := m.unused[no[0]]; u.yes && !u.other {
			found = append(found, fmt.Sprintf("with %s in the column %s, which isn't imported; if that says that a review isn't approved or shown, delete it from FILE (later imports leave it out)", quote(no[1]), quote(no[0])))
		}
	}
	for _, doubt := range found {
		if doubt != "" {
			m.report.Doubts[doubt] = append(m.report.Doubts[doubt], fmt.Sprintf("%s, row %d: %s", r.id, v.number, quote(text)))
		}
	}
}
