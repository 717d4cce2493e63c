package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"reviewcast/generator"
	"reviewcast/generator/source"
)

// placed is a problem with the line of the file that it is about, as far as it
// can be shown.
type placed struct {
	source.Problem
	// Source is a window of the line around the place, tabs written as blanks; ""
	// when there is none to show. Caret is the place in it, from 0, in columns of a
	// terminal.
	Source string
	Caret  int
}

// excerptWidth is how many columns of a source line are shown: a review's whole
// text may stand in one line, and the place in the middle of it.
const excerptWidth = 76

// excerptFile is how much of a file is looked through for a line, in bytes. A
// place further on is shown without its line.
const excerptFile = 64 << 20

// excerpts reads the lines that problems are about. Problems come sorted by file
// and line, so that each file is read once.
func excerpts(content string, problems []source.Problem) []placed {
	out := make([]placed, len(problems))
	for i, p := range problems {
		out[i].Problem = p
	}
	for i := 0; i < len(out); {
		j := i + 1
		for j < len(out) && out[j].File == out[i].File {
			j++
		}
		readExcerpts(content, out[i:j])
		i = j
	}
	return out
}

// readExcerpts fills in the lines of one file's problems. A file that can't be
// read shows none: then that is what the problem says.
func readExcerpts(content string, problems []placed) {
	wanted := map[int]bool{}
	for _, p := range problems {
		if p.Line > 0 {
			wanted[p.Line] = true
		}
	}
	root, err := os.OpenRoot(content)
	if err != nil || len(wanted) == 0 {
		return
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(problems[0].File))
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	r := bufio.NewReaderSize(io.LimitReader(f, excerptFile), 64<<10)
	lines := map[int]string{}
	for n := 1; len(lines) < len(wanted); n++ {
		line, err := r.ReadString('\n')
		if wanted[n] && (line != "" || err == nil) {
			lines[n] = strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			break
		}
	}
	for i := range problems {
		p := &problems[i]
		line, ok := lines[p.Line]
		if p.Line == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if ok && utf8.ValidString(line) {
			p.Source, p.Caret = window(line, p.Col, excerptWidth)
		}
	}
}

// window cuts out of a line what fits into a terminal around a column, which
// counts from 1 in code points. Nothing that moves a terminal's cursor gets
// through.
func window(line string, col, columns int) (shown string, caret int) {
	runes := []rune(line)
	at := min(max(col-1, 0), len(runes))
	first := 0
	if len(runes) > columns {
		first = max(0, min(at-columns/2, len(runes)-columns))
	}
	var b strings.Builder
	if first > 0 {
		b.WriteString("… ")
		caret = 2
	}
	last := min(len(runes), first+columns)
	for i := first; i < last; i++ {
		r := runes[i]
		if r == '\t' || !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
		if i < at {
			caret += cells(r)
		}
	}
	if last < len(runes) {
		b.WriteString(" …")
	}
	return b.String(), caret
}

// cells is how many columns a terminal gives to a character.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// problems prints each on a line whose place a terminal makes a link of.
func (std streams) problems(content string, problems []source.Problem) {
	for _, p := range problems {
		fmt.Fprintln(std.err, oneLine(content, p))
	}
}

// oneLine is the short form: place, what is wrong, what would be right.
func oneLine(content string, p source.Problem) string {
	p.File = filepath.Join(content, filepath.FromSlash(p.File))
	if p.Severity == source.Warning {
		p.Message = "warning: " + p.Message
	}
	return p.String()
}

// explain writes problems in the long form: the short form's words over several
// lines, with the source line and a caret under the place.
//
//	content/reviews/new.yaml:3:3: error: the review has an unknown field "ratng" [unknown-field]
//	   3 |   ratng: 5
//	     |   ^
//	     = did you mean "rating"?
func explain(w io.Writer, content string, problems []source.Problem, ink palette) error {
	var b strings.Builder
	for _, p := range excerpts(content, problems) {
		place := filepath.Join(content, filepath.FromSlash(p.File))
		if p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
			if p.Col > 0 {
				place += fmt.Sprintf(":%d", p.Col)
			}
		}
		colour := ink.red
		if p.Severity == source.Warning {
			colour = ink.yellow
		}
		fmt.Fprintf(&b, "%s: %s %s %s\n", ink.bold(place), colour(string(p.Severity)+":"), ink.bold(p.Message), ink.dim("["+p.Code+"]"))
		gutter := max(4, len(fmt.Sprint(p.Line)))
		if p.Source != "" {
			fmt.Fprintf(&b, "%s %s\n", ink.dim(fmt.Sprintf("%*d |", gutter, p.Line)), p.Source)
			fmt.Fprintf(&b, "%s %s%s\n", ink.dim(strings.Repeat(" ", gutter)+" |"), strings.Repeat(" ", p.Caret), colour("^"))
		}
		if p.Suggestion != "" {
			fmt.Fprintf(&b, "%s %s\n", ink.dim(strings.Repeat(" ", gutter)+" ="), p.Suggestion)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// buildError prints the problems that an error holds and leaves a line that sums
// them up.
func (std streams) buildError(content string, err error) error {
	var p *generator.ProblemsError
	if errors.As(err, &p) {
		std.problems(content, p.Problems)
	}
	return err
}
