package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// palette paints words for a terminal. The zero value paints nothing.
type palette struct{ on bool }

// paletteFor paints when people look at w, a terminal that isn't dumb, or when
// CLICOLOR_FORCE asks for it (bixense.com/clicolors), such as for the log of a
// build machine. NO_COLOR (no-color.org) overrules both.
func paletteFor(w io.Writer) palette {
	forced := os.Getenv("CLICOLOR_FORCE")
	return palette{os.Getenv("NO_COLOR") == "" && (forced != "" && forced != "0" || isTerminal(w) && !dumb())}
}

// isTerminal tells whether people look at w, or type what is read from it.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// dumb tells whether the terminal can only print: no colours, no cursor.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

func (p palette) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) bold(s string) string   { return p.paint("1", s) }
func (p palette) dim(s string) string    { return p.paint("2", s) }
func (p palette) red(s string) string    { return p.paint("1;31", s) }
func (p palette) green(s string) string  { return p.paint("32", s) }
func (p palette) yellow(s string) string { return p.paint("1;33", s) }

// Widths in columns: what is assumed where nobody says it, and the least that
// anything is made to fit. Below that a terminal breaks the lines itself.
const (
	usualColumns = 80
	leastColumns = 30
)

// columns is how wide w is: what COLUMNS says where it is set (POSIX), then the
// terminal itself, then 80.
func columns(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, leastColumns)
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, leastColumns)
		}
	}
	return usualColumns
}

// tableColumns is the width that a table is cut to: 0, not at all, where neither a
// terminal nor COLUMNS asks for it, since what a file lacks nobody can scroll to.
func tableColumns(w io.Writer) int {
	if !isTerminal(w) && os.Getenv("COLUMNS") == "" {
		return 0
	}
	return columns(w)
}

// fold breaks the lines of s for the terminal w, at blanks; what follows a break
// is indented. Where no terminal is, s stays as it is: who reads a pipe or a file
// looks for whole lines.
func fold(w io.Writer, s string, indent int) string {
	if !isTerminal(w) {
		return s
	}
	return foldTo(s, columns(w), indent)
}

func foldTo(s string, columns, indent int) string {
	indent = min(indent, columns/2)
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\n")
		if textWidth(text) <= columns {
			b.WriteString(line)
			continue
		}
		lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
		b.WriteString(lead)
		at, empty := len(lead), true
		for word := range strings.SplitSeq(text[len(lead):], " ") {
			n := textWidth(word)
			switch {
			case empty:
			case at+1+n > columns:
				b.WriteString("\n" + strings.Repeat(" ", indent))
				at = indent
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at, empty = at+n, false
		}
		b.WriteString(line[len(text):])
	}
	return b.String()
}

// textWidth is how many columns a text takes. A colour takes none.
func textWidth(s string) int {
	n, escape := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			escape = true
		case escape:
			escape = r != 'm'
		default:
			n += cells(r)
		}
	}
	return n
}

// cells is how many columns a terminal gives to a character.
func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) || r == '\u200d' || r >= '\ufe00' && r <= '\ufe0f' {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
