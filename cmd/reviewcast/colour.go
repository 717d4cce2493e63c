package main

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// palette paints words for a terminal. The zero value paints nothing.
type palette struct{ on bool }

// paletteFor paints when people look at w: a terminal that isn't dumb, and no
// NO_COLOR (no-color.org) in the environment.
func paletteFor(w io.Writer) palette {
	return palette{isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

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
