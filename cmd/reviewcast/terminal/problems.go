package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reviewcast/generator/diagnostic"
)

// Problems writes problems in the short form, a line each.
func Problems(w io.Writer, content string, problems []diagnostic.Problem) {
	for _, p := range problems {
		fmt.Fprintln(w, Fold(w, Line(content, p), 4))
	}
}

// Some writes the first ten warnings of package lint like [Problems], and says where the others are listed.
func Some(w io.Writer, content string, problems []diagnostic.Problem) {
	n := min(len(problems), 10)
	Problems(w, content, problems[:n])
	if rest := len(problems) - n; rest > 0 {
		fmt.Fprintf(w, "warning: %s more; reviewcast check%s lists all\n", diagnostic.Plural(rest, "warning"), diagnostic.When(content != "content", fmt.Sprintf(" --content %q", content)))
	}
}

// Line returns the short form of a problem: place, problem, suggestion.
func Line(content string, p diagnostic.Problem) string {
	p.File = filepath.Join(content, filepath.FromSlash(p.File))
	p.Message = diagnostic.When(p.Severity == diagnostic.Warning, "warning: ") + p.Message
	p.Suggestion = suggestion(content, p)
	return p.String()
}

// suggestion returns the suggestion of a problem; a command in it names the content folder, unless that is the usual one.
func suggestion(content string, p diagnostic.Problem) string {
	flag := diagnostic.When(filepath.Base(content) != "content", fmt.Sprintf(" --content %q", content))
	return strings.Replace(p.Suggestion, "--verification METHOD", "--verification METHOD"+flag, 1)
}

// Explain writes problems in the long form: several lines each, with the source line and a caret under the place.
//
//	content/reviews/new.yaml:3:3: error: the review has an unknown field "ratng" [unknown-field]
//	   3 |   ratng: 5
//	     |   ^
//	     = did you mean "rating"?
func Explain(w io.Writer, content string, problems []diagnostic.Problem) error {
	colors := PaletteFor(w)
	var b strings.Builder
	for _, p := range Excerpts(content, problems, Columns(w)) {
		place := diagnostic.Problem{File: filepath.Join(content, filepath.FromSlash(p.File)), Line: p.Line, Col: p.Col}
		color := diagnostic.Pick(p.Severity == diagnostic.Warning, colors.Yellow, colors.Red)
		digits := gutter(p.Line) - len(" | ")
		headline := fmt.Sprintf("%s: %s %s %s\n", colors.Bold(strings.TrimSuffix(place.String(), ": ")), color(string(p.Severity)+":"), colors.Bold(p.Message), colors.Dim("["+p.Code+"]"))
		b.WriteString(Fold(w, headline, gutter(p.Line)))
		if p.Source != "" {
			fmt.Fprintf(&b, "%s %s\n", colors.Dim(fmt.Sprintf("%*d |", digits, p.Line)), p.Source)
			fmt.Fprintf(&b, "%s %s%s\n", colors.Dim(strings.Repeat(" ", digits)+" |"), strings.Repeat(" ", p.Caret), color("^"))
		}
		if p.Suggestion != "" {
			line := fmt.Sprintf("%s %s\n", colors.Dim(strings.Repeat(" ", digits)+" ="), suggestion(content, p.Problem))
			b.WriteString(Fold(w, line, gutter(p.Line)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Excerpt is a problem with the line of the file that it is about.
type Excerpt struct {
	diagnostic.Problem
	Source string `json:"source"` // the part of the line around the place; "" when it cannot be shown
	Caret  int    `json:"caret"`  // the place in Source, in columns from 0
}

// Excerpts reads the lines that problems are about, as far as they fit into the columns. Problems that follow one
// another in the same file cost one reading.
func Excerpts(content string, problems []diagnostic.Problem, columns int) []Excerpt {
	out := make([]Excerpt, len(problems))
	file, lines := "", []string(nil)
	for i, p := range problems {
		out[i].Problem = p
		if p.Line > 0 && p.File != file {
			file, lines = p.File, linesOf(content, p.File)
		}
		if p.Line < 1 || p.Line > len(lines) || strings.ContainsRune(lines[p.Line-1], 0) { // with NULs it is not text, or it is UTF-16
			continue
		}
		line := strings.TrimRight(lines[p.Line-1], "\r\n")
		out[i].Source, out[i].Caret = window(line, p.Col, columns-gutter(p.Line))
	}
	return out
}

// linesOf returns the lines of a file; nil for one that cannot be read, which a problem of its own reports.
func linesOf(content, file string) []string {
	root, err := os.OpenRoot(content)
	if err != nil {
		return nil
	}
	defer root.Close()
	const maxSize = 64 << 20 // of files of which lines are shown
	name := filepath.FromSlash(file)
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil
	}
	data, _ := root.ReadFile(name)
	return slices.Collect(strings.Lines(strings.TrimPrefix(string(data), "\uFEFF")))
}

// window returns the part of a line around a column, in code points from 1, that fits into the width, without
// characters that move a cursor.
func window(line string, col, columns int) (shown string, caret int) {
	runes := []rune(strings.Map(func(r rune) rune { return diagnostic.Pick(unicode.IsPrint(r), r, ' ') }, line))
	at := min(max(col-1, 0), len(runes))
	const ellipsis = "…" // where the line is cut
	before, after := "", ""
	if len(runes) > columns*maxPerColumn || Width(string(runes)) > columns {
		first, last := around(runes, at, columns-2*Width(ellipsis))
		before, after = diagnostic.When(first > 0, ellipsis), diagnostic.When(last < len(runes), ellipsis)
		runes, at = runes[first:last], at-first
	}
	return before + string(runes) + after, Width(before + string(runes[:at]))
}

// maxPerColumn limits the characters in a column: combining accents have no width.
const maxPerColumn = 4

// around returns the bounds of what fits around a place, as much before it as after it if there is.
func around(runes []rune, at, columns int) (first, last int) {
	first, last = at, at
	for grown := true; grown && last-first < columns*maxPerColumn; {
		grown = false
		if first > 0 && Width(string(runes[first-1:last])) <= columns {
			first, grown = first-1, true
		}
		if last < len(runes) && Width(string(runes[first:last+1])) <= columns {
			last, grown = last+1, true
		}
	}
	return first, last
}

// gutter returns the columns that a line number and the bar after it take.
func gutter(line int) int { return max(4, len(strconv.Itoa(line))) + len(" | ") }

// WriteJSON writes problems for programs. Files are named relative to the content folder.
func WriteJSON(w io.Writer, problems []diagnostic.Problem) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string][]diagnostic.Problem{"problems": append([]diagnostic.Problem{}, problems...)})
}

// WriteGitHub writes problems as GitHub workflow commands.
func WriteGitHub(w io.Writer, content string, problems []diagnostic.Problem) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, p := range problems {
		file := property.Replace(filepath.ToSlash(filepath.Join(content, p.File)))
		place := diagnostic.When(p.Line > 0, fmt.Sprintf(",line=%d", p.Line)) + diagnostic.When(p.Col > 0, fmt.Sprintf(",col=%d", p.Col))
		message := p.Message + diagnostic.When(p.Suggestion != "", "\n"+p.Suggestion)
		fmt.Fprintf(&b, "::%s file=%s%s,title=%s::%s\n", p.Severity, file, place, property.Replace(p.Code), data.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
