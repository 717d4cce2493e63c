package terminal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"reviewcast/generator/diagnostic"
)

// Excerpt is a problem with the line of the file that it is about.
type Excerpt struct {
	diagnostic.Problem
	Source string `json:"source"` // the part of the line around the place; "" when it cannot be shown
	Caret  int    `json:"caret"`  // the place in Source, in columns from 0
}

// maxExcerpt is the size of the largest file of which lines are shown.
const maxExcerpt = 64 << 20

// Excerpts reads the lines that the problems of a content folder are about. Each
// excerpt fits into the columns: the whole text of a review may be one line, and
// the place in the middle of it. Problems that follow one another in the same file
// cost one reading.
func Excerpts(content string, problems []diagnostic.Problem, columns int) []Excerpt {
	out := make([]Excerpt, len(problems))
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

// readExcerpts fills in the lines of one file's problems. A file that cannot be
// read has none, and the problem says so itself.
func readExcerpts(content string, problems []Excerpt, columns int) {
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
	name := filepath.FromSlash(problems[0].File)
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxExcerpt {
		return
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return
	}
	lines, n := map[int]string{}, 0
	for line := range strings.Lines(string(data)) {
		if n++; wanted[n] {
			lines[n] = strings.TrimRight(line, "\r\n")
		}
	}
	for i := range problems {
		p := &problems[i]
		line, ok := lines[p.Line]
		if p.Line == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if ok && !strings.ContainsRune(line, 0) { // with NULs it is not text, or it is UTF-16
			p.Source, p.Caret = window(line, p.Col, columns-gutter(p.Line))
		}
	}
}

// window returns the part of a line around a column that fits into the given
// width, without characters that move a terminal's cursor. col counts from 1 in
// code points.
func window(line string, col, columns int) (shown string, caret int) {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, line))
	at := min(max(col-1, 0), len(runes))
	before, after := "", ""
	if len(runes) > columns*maxPerColumn || Width(string(runes)) > columns {
		first, last := around(runes, at, columns-2*Width(ellipsis))
		if first > 0 {
			before = ellipsis
		}
		if last < len(runes) {
			after = ellipsis
		}
		runes, at = runes[first:last], at-first
	}
	return before + string(runes) + after, Width(before + string(runes[:at]))
}

// ellipsis marks where a line is cut.
const ellipsis = "…"

// maxPerColumn limits the characters shown in a column: a megabyte of combining
// accents has no width at all.
const maxPerColumn = 4

// around returns the bounds of the characters around a place that fit into the
// columns, as many before it as after it unless one side has fewer.
func around(runes []rune, at, columns int) (first, last int) {
	first, last = at, at
	left, right := 0, 0 // columns
	for last-first < columns*maxPerColumn {
		next := 0
		forward := last < len(runes) && (first == 0 || right < left)
		switch {
		case forward:
			next = cells(runes[last])
		case first > 0:
			next = cells(runes[first-1])
		}
		if left+right+next > columns || last-first == len(runes) {
			break
		}
		if forward {
			last, right = last+1, right+next
		} else {
			first, left = first-1, left+next
		}
	}
	return first, last
}

// gutter returns the columns that a line number and the bar after it take.
func gutter(line int) int { return max(4, len(strconv.Itoa(line))) + len(" | ") }
