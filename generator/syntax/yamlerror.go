package syntax

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"reviewcast/generator/diagnostic"
)

// causesFile has the parser errors that no correction fixed; the first that fits is used: what its message says, the
// context of a message, the code, and what is reported instead. %o is the line where the context begins.
//
//go:embed causes.txt
var causesFile string

// explain reports a syntax error: its cause and its remedy in place of the parser's message.
func (y *yamlText) explain(err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		y.Add(diagnostic.Error, 0, 0, "yaml-syntax", "YAML can't be read: "+err.Error(), "check the indentation and the quotes")
		return
	}
	line, col := e.Mark.Line, e.Mark.Column
	quoted := strings.Contains(e.ContextMsg, "quoted scalar")
	for row := range strings.Lines(causesFile) {
		c := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
		if !strings.Contains(e.Message, c[0]) || !strings.Contains(e.ContextMsg, c[1]) {
			continue
		}
		if quoted && strings.Contains(c[3], "not closed") {
			line, col = e.ContextMark.Line, e.ContextMark.Column
		}
		fill := strings.NewReplacer("%o", strconv.Itoa(e.ContextMark.Line+y.before), "%c", string(y.char(line, col)), "%m", e.Message, "%d", strconv.Itoa(MaxDepth))
		if line > 0 {
			line += y.before
		}
		y.Add(diagnostic.Error, line, col, cmp.Or(c[2], "yaml-syntax"), fill.Replace(c[3]), c[4])
		return
	}
}

// char returns the character at a place; U+FFFD if there is none.
func (y *yamlText) char(line, col int) rune {
	for text := range bytes.Lines(y.data) {
		if line--; line > 0 {
			continue
		}
		for _, c := range string(bytes.TrimRight(text, "\r\n")) {
			if col--; col <= 0 {
				return c
			}
		}
		break
	}
	return utf8.RuneError
}
