package terminal

import (
	"bufio"
	"io"
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
	// Source is the part of the line around the place, tabs replaced by spaces; ""
	// when the line cannot be shown. Caret is the place in Source, from 0, in
	// columns.
	Source string
	Caret  int
}

// maxExcerpt is how much of a file is read to find a line, in bytes. A problem
// further on is shown without its line.
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
	f, err := root.Open(filepath.FromSlash(problems[0].File))
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	r := bufio.NewReaderSize(io.LimitReader(f, maxExcerpt), 64<<10)
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
		if ok && !strings.ContainsRune(line, 0) { // with NULs it is not text, or it is UTF-16
			p.Source, p.Caret = window(line, p.Col, columns-gutter(p.Line))
		}
	}
}

// window returns the part of a line around a column that fits into the given
// width, without characters that move a terminal's cursor. col counts from 1 in
// code points.
func window(line string, col, columns int) (shown string, caret int) {
	runes := []rune(line)
	for i, r := range runes {
		if r == '\t' || !unicode.IsPrint(r) {
			runes[i] = ' '
		}
	}
	at := min(max(col-1, 0), len(runes))
	first, last := 0, len(runes)
	if len(runes) > columns*maxPerColumn || Width(string(runes)) > columns {
		first, last = around(runes, at, columns-2*Width(ellipsis))
	}
	var b strings.Builder
	if first > 0 {
		b.WriteString(ellipsis)
	}
	b.WriteString(string(runes[first:at]))
	caret = Width(b.String())
	b.WriteString(string(runes[at:last]))
	if last < len(runes) {
		b.WriteString(ellipsis)
	}
	return b.String(), caret
}

// ellipsis marks where a line is cut.
const ellipsis = "…"

// maxPerColumn limits the characters shown in a column: a megabyte of combining
// accents has no width at all.
const maxPerColumn = 4

// around returns the bounds of the characters around a place that fit: half of the
// columns for those before it, the rest for those after it, and what is left for
// those before it.
func around(runes []rune, at, columns int) (first, last int) {
	first, last = at, at
	room, most := columns, columns*maxPerColumn
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

// gutter returns the columns that a line number and the bar after it take.
func gutter(line int) int { return max(4, len(strconv.Itoa(line))) + len(" | ") }
