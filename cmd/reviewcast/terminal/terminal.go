// Package terminal writes for people in front of a terminal and reads their answers. What it writes to a pipe or a
// file has no colors and no broken lines.
package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// IsTerminal reports whether f, an [io.Reader] or [io.Writer], is a terminal.
func IsTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Widths in columns. A terminal that is narrower than the minimum breaks the lines itself.
const (
	defaultColumns = 80
	minColumns     = 30
)

// Columns returns the width of w: the value of COLUMNS (POSIX), that of the terminal, or 80.
func Columns(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, minColumns)
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, minColumns)
		}
	}
	return defaultColumns
}

// TableColumns returns the width that a table is cut to; 0, not at all, for files and pipes without COLUMNS.
func TableColumns(w io.Writer) int {
	if !IsTerminal(w) && os.Getenv("COLUMNS") == "" {
		return 0
	}
	return Columns(w)
}

// Fold breaks the lines of s at spaces so that they fit the terminal w, and indents what follows. Elsewhere s is
// unchanged: programs look for whole lines.
func Fold(w io.Writer, s string, indent int) string {
	if !IsTerminal(w) {
		return s
	}
	return foldTo(s, Columns(w), indent)
}

func foldTo(s string, columns, indent int) string {
	indent = min(indent, columns/2)
	var b strings.Builder
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\n")
		lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
		words := strings.Split(text[len(lead):], " ")
		row := lead + words[0]
		for _, word := range words[1:] {
			if Width(row+" "+word) <= columns {
				row += " " + word
				continue
			}
			b.WriteString(row + "\n")
			row = strings.Repeat(" ", indent) + word
		}
		b.WriteString(row + line[len(text):])
	}
	return b.String()
}

// Width returns the number of columns that a text takes. Colors take none.
func Width(s string) int { return displaywidth.Options{ControlSequences: true}.String(s) }

// Visible removes what would control a terminal or change a line's direction: reviews come from strangers.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		return diagnostic.Pick(r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Bidi_Control), -1, r)
	}, s)
}

// Palette colors words for a terminal: each function returns its text in bold, dimmed, or in a color.
type Palette struct{ Bold, Dim, Red, Green, Yellow func(s string) string }

// PaletteFor returns a palette that colors if w is a terminal that can, or CLICOLOR_FORCE asks for it
// (bixense.com/clicolors). NO_COLOR (no-color.org) overrides both.
func PaletteFor(w io.Writer) Palette {
	forced := os.Getenv("CLICOLOR_FORCE")
	on := os.Getenv("NO_COLOR") == "" && (forced != "" && forced != "0" || IsTerminal(w) && os.Getenv("TERM") != "dumb")
	paint := func(code string) func(string) string {
		return func(s string) string { return diagnostic.Pick(on, "\x1b["+code+"m"+s+"\x1b[0m", s) }
	}
	return Palette{Bold: paint("1"), Dim: paint("2"), Red: paint("1;31"), Green: paint("32"), Yellow: paint("1;33")}
}

// Reviews writes how many reviews are published, and how many are not.
func Reviews(d *reviewcast.Dataset) string {
	s := diagnostic.Plural(len(d.Reviews), "review")
	if n := d.Unpublished.Unverified; n > 0 {
		s += fmt.Sprintf(" (%d more not published: without a verification)", n)
	} else if len(d.Reviews) == 0 {
		s += " (none is published yet; write one with: reviewcast new review)"
	}
	return s
}

// ErrStopped is the error of a question that was not answered: Ctrl-C, a signal, or the end of the input.
var ErrStopped = errors.New("stopped; no file was changed")

// maxAnswer is the length of a line beyond which systems lose what is typed or pasted.
const maxAnswer = 4095

// Prompter asks questions, line by line.
type Prompter struct {
	out  io.Writer
	read func(prompt string) (line string, err error)
}

// NewPrompter returns a Prompter that reads lines.
func NewPrompter(ctx context.Context, in io.Reader, out io.Writer) *Prompter {
	lines := bufio.NewReader(in)
	return &Prompter{out: out, read: func(prompt string) (string, error) {
		answered := make(chan string, 1)
		go func() { // stays, if ctx ends, until the program does, which is at once
			fmt.Fprint(out, prompt)
			if line, err := lines.ReadString('\n'); err == nil {
				answered <- strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "?")
			}
			close(answered)
		}()
		select {
		case line, ok := <-answered:
			switch {
			case len(line) >= maxAnswer:
				return "", fmt.Errorf("a line cannot have more than %d characters here; leave the text empty and add it to the file afterwards", maxAnswer-1)
			case ok:
				return line, nil
			}
		case <-ctx.Done():
		}
		return "", ErrStopped
	}}
}

// Line asks a question until take accepts the answer.
func (p *Prompter) Line(question string, take func(answer string) error) error {
	for {
		answer, err := p.read(question + ": ")
		if err == nil {
			err = take(strings.TrimSpace(answer))
		}
		if err == nil || errors.Is(err, ErrStopped) {
			return err
		}
		fmt.Fprintln(p.out, foldTo("  "+err.Error(), Columns(os.Stdout), 2))
	}
}

// Text asks for paragraphs, which a line with nothing but a point ends: those that are pasted have empty lines. There is
// no text if the first line is empty.
func (p *Prompter) Text(question string) (string, error) {
	prompt := question + ": "
	var lines []string
	for {
		line, err := p.read(prompt)
		if err != nil {
			return "", err
		}
		if words := strings.TrimSpace(line); words == "." || words == "" && len(lines) == 0 {
			return strings.TrimSpace(strings.Join(lines, "\n")), nil
		}
		lines = append(lines, strings.TrimRight(line, " \t"))
		prompt = "  "
	}
}
