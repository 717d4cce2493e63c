package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"reviewcast/generator"
	"reviewcast/generator/diagnostic"
)

// placed is a problem with the line of the file that it is about, as far as it
// can be shown.
type placed struct {
	diagnostic.Problem
	// Source is a window of the line around the place, tabs written as blanks; ""
	// when there is none to show. Caret is the place in it, from 0, in columns of a
	// terminal.
	Source string
	Caret  int
}

// excerptFile is how much of a file is looked through for a line, in bytes. A
// place further on is shown without its line.
const excerptFile = 64 << 20

// excerpts reads the lines that problems are about, to be shown in so many columns:
// a review's whole text may stand in one line, and the place in the middle of it.
// Problems come sorted by file and line, so that each file is read once.
func excerpts(content string, problems []diagnostic.Problem, columns int) []placed {
	out := make([]placed, len(problems))
	for i, p := range problems {
		out[i].Problem = p
	}
	for i := 0; i < len(out); {
		j := i + 1
		for j < len(out) && out[j].File == out[i].File {
			j++
		}
		readExcerpts(content, out[i:j], columns)
		i = j
	}
	return out
}

// readExcerpts fills in the lines of one file's problems. A file that can't be
// read shows none: then that is what the problem says.
func readExcerpts(content string, problems []placed, columns int) {
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
		if ok && !strings.ContainsRune(line, 0) { // with NULs it isn't text, or UTF-16
			p.Source, p.Caret = window(line, p.Col, columns-gutterOf(p.Line))
		}
	}
}

// window cuts out of a line what fits into so many columns around a place, which
// counts from 1 in code points. Nothing that moves a terminal's cursor gets
// through.
func window(line string, col, columns int) (shown string, caret int) {
	runes := []rune(line)
	for i, r := range runes {
		if r == '\t' || !unicode.IsPrint(r) {
			runes[i] = ' '
		}
	}
	at := min(max(col-1, 0), len(runes))
	first, last := 0, len(runes)
	if len(runes) > columns*perColumn || textWidth(string(runes)) > columns {
		first, last = around(runes, at, columns-2*textWidth(cut))
	}
	var b strings.Builder
	if first > 0 {
		b.WriteString(cut)
	}
	b.WriteString(string(runes[first:at]))
	caret = textWidth(b.String())
	b.WriteString(string(runes[at:last]))
	if last < len(runes) {
		b.WriteString(cut)
	}
	return b.String(), caret
}

// cut stands where a line goes on that isn't shown.
const cut = "…"

// perColumn bounds how many characters are shown on a column: a megabyte of
// accents takes no width at all.
const perColumn = 4

// around gives the bounds of as many characters around a place as fit: half of the
// columns go to what is before it, the others to what is behind, and what is left
// to what is before.
func around(runes []rune, at, columns int) (first, last int) {
	first, last = at, at
	room, most := columns, columns*perColumn
	for first > 0 && room-cells(runes[first-1]) >= columns/2 && last-first < most/2 {
		first--
		room -= cells(runes[first])
	}
	for last < len(runes) && room >= cells(runes[last]) && last-first < most {
		room -= cells(runes[last])
		last++
	}
	for first > 0 && room >= cells(runes[first-1]) && last-first < most {
		first--
		room -= cells(runes[first])
	}
	return first, last
}

// problems prints each on a line whose place a terminal makes a link of.
func (std streams) problems(content string, problems []diagnostic.Problem) {
	for _, p := range problems {
		fmt.Fprintln(std.err, fold(std.err, oneLine(content, p), 4))
	}
}

// oneLine is the short form: place, what is wrong, what would be right.
func oneLine(content string, p diagnostic.Problem) string {
	p.File = filepath.Join(content, filepath.FromSlash(p.File))
	if p.Severity == diagnostic.Warning {
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
func explain(w io.Writer, content string, problems []diagnostic.Problem, ink palette) error {
	var b strings.Builder
	for _, p := range excerpts(content, problems, columns(w)) {
		place := filepath.Join(content, filepath.FromSlash(p.File))
		if p.Line > 0 {
			place += fmt.Sprintf(":%d", p.Line)
			if p.Col > 0 {
				place += fmt.Sprintf(":%d", p.Col)
			}
		}
		colour := ink.red
		if p.Severity == diagnostic.Warning {
			colour = ink.yellow
		}
		gutter := gutterOf(p.Line) - len(" | ")
		headline := fmt.Sprintf("%s: %s %s %s\n", ink.bold(place), colour(string(p.Severity)+":"), ink.bold(p.Message), ink.dim("["+p.Code+"]"))
		b.WriteString(fold(w, headline, gutterOf(p.Line)))
		if p.Source != "" {
			fmt.Fprintf(&b, "%s %s\n", ink.dim(fmt.Sprintf("%*d |", gutter, p.Line)), p.Source)
			fmt.Fprintf(&b, "%s %s%s\n", ink.dim(strings.Repeat(" ", gutter)+" |"), strings.Repeat(" ", p.Caret), colour("^"))
		}
		if p.Suggestion != "" {
			suggestion := fmt.Sprintf("%s %s\n", ink.dim(strings.Repeat(" ", gutter)+" ="), p.Suggestion)
			b.WriteString(fold(w, suggestion, gutterOf(p.Line)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// gutterOf is how many columns the number of a line and the bar behind it take.
func gutterOf(line int) int { return max(4, len(strconv.Itoa(line))) + len(" | ") }

// buildError prints the problems that an error holds and leaves a line that sums
// them up.
func (std streams) buildError(content string, err error) error {
	var p *generator.ProblemsError
	if errors.As(err, &p) {
		std.problems(content, p.Problems)
	}
	return err
}
