package terminal

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"reviewcast/generator/diagnostic"
)

// Problems writes problems in the short form, a line each. Terminals make a link of
// the place at the beginning of the line.
func Problems(w io.Writer, content string, problems []diagnostic.Problem) {
	for _, p := range problems {
		fmt.Fprintln(w, Fold(w, Line(content, p), 4))
	}
}

// Line returns the short form of a problem: place, problem, suggestion.
func Line(content string, p diagnostic.Problem) string {
	p.File = filepath.Join(content, filepath.FromSlash(p.File))
	if p.Severity == diagnostic.Warning {
		p.Message = "warning: " + p.Message
	}
	return p.String()
}

// Explain writes problems in the long form: several lines each, with the source
// line and a caret under the place.
//
//	content/reviews/new.yaml:3:3: error: the review has an unknown field "ratng" [unknown-field]
//	   3 |   ratng: 5
//	     |   ^
//	     = did you mean "rating"?
func Explain(w io.Writer, content string, problems []diagnostic.Problem) error {
	ink := PaletteFor(w)
	var b strings.Builder
	for _, p := range Excerpts(content, problems, Columns(w)) {
		place := diagnostic.Problem{File: filepath.Join(content, filepath.FromSlash(p.File)), Line: p.Line, Col: p.Col}
		color := ink.Red
		if p.Severity == diagnostic.Warning {
			color = ink.Yellow
		}
		digits := gutter(p.Line) - len(" | ")
		headline := fmt.Sprintf("%s: %s %s %s\n", ink.Bold(strings.TrimSuffix(place.String(), ": ")), color(string(p.Severity)+":"), ink.Bold(p.Message), ink.Dim("["+p.Code+"]"))
		b.WriteString(Fold(w, headline, gutter(p.Line)))
		if p.Source != "" {
			fmt.Fprintf(&b, "%s %s\n", ink.Dim(fmt.Sprintf("%*d |", digits, p.Line)), p.Source)
			fmt.Fprintf(&b, "%s %s%s\n", ink.Dim(strings.Repeat(" ", digits)+" |"), strings.Repeat(" ", p.Caret), color("^"))
		}
		if p.Suggestion != "" {
			suggestion := fmt.Sprintf("%s %s\n", ink.Dim(strings.Repeat(" ", digits)+" ="), p.Suggestion)
			b.WriteString(Fold(w, suggestion, gutter(p.Line)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
