package terminal

import (
	"io"
	"os"
)

// Palette colors words for a terminal. The zero value leaves them as they are.
type Palette struct{ on bool }

// PaletteFor returns a palette that colors if w is a terminal that can, or if
// CLICOLOR_FORCE asks for it (bixense.com/clicolors), as for the log of a build
// server. NO_COLOR (no-color.org) overrides both.
func PaletteFor(w io.Writer) Palette {
	forced := os.Getenv("CLICOLOR_FORCE")
	return Palette{os.Getenv("NO_COLOR") == "" && (forced != "" && forced != "0" || IsTerminal(w) && !dumb())}
}

func (p Palette) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Bold returns s in bold.
func (p Palette) Bold(s string) string { return p.paint("1", s) }

// Dim returns s dimmed.
func (p Palette) Dim(s string) string { return p.paint("2", s) }

// Red returns s in bold red.
func (p Palette) Red(s string) string { return p.paint("1;31", s) }

// Green returns s in green.
func (p Palette) Green(s string) string { return p.paint("32", s) }

// Yellow returns s in bold yellow.
func (p Palette) Yellow(s string) string { return p.paint("1;33", s) }
