package syntax

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"reviewcast/generator/diagnostic"
)

// causes are the parser errors that no correction fixed; the first that fits is used:
// what its message says, or the context of a message, and what is reported instead. %o is
// the line where the context begins.
var causes = []struct{ says, within, code, message, suggestion string }{
	{"exceeded max depth", "", "too-deep", fmt.Sprintf("lists and fields are nested more than %d deep", MaxDepth), "no file needs more than four levels"},
	{"unknown anchor", "", "yaml-alias", "a text can't begin with * without quotes", "put the text in quotes"},
	{"end of stream", "quoted scalar", "", "the quoted text that begins on line %o is not closed", "close the quotes"},
	{"document indicator", "quoted scalar", "", "the quoted text that begins on line %o is not closed", "close the quotes"},
	{"unknown escape", "", "", "unknown escape after a backslash in double quotes", `write \\ for a backslash, or use single quotes`},
	{"tab", "", "", "this line is indented with a tab", "indent with spaces"},
	{"", "quoted scalar", "", "the quoted text that begins on line %o can't be read", "check its quotes and backslashes"},
	{"cannot start any token", "", "", "a text can't begin with %c without quotes", "put the text in quotes"},
	{"mapping values are not allowed", "", "", "a text contains a colon and a space, or this line has the wrong indentation", "put the text in quotes, or align the field with the others"},
	{"could not find expected ':'", "", "", "missing colon after a field name, or the next line of a text is not indented enough", "write `field: value`; indent the lines of a text further than its field"},
	{"did not find expected key", "", "", "expected a field, or the end of the fields that begin on line %o", "align the fields; put the whole of a text with quotes or a colon in quotes"},
	{"expected '-' indicator", "", "", "expected an item, or the end of the list that begins on line %o", "align the hyphens, and align the fields of an item with its first one"},
	{"block sequence entries are not allowed", "", "", "a list can't begin here", "put the hyphen on a line of its own"},
	{"',' or ']'", "", "", "missing comma or ] in the list that begins with [ on line %o", "close it, or put texts with special characters in double quotes"},
	{"',' or '}'", "", "", "missing comma or } in the fields that begin with { on line %o", "close them, or put texts with special characters in double quotes"},
	{"alphabetic or numeric character", "", "", "a text can't begin with & or * without quotes", "put the text in quotes"},
	{"", "block scalar", "", "the text block can't be read", "write | alone after the colon and indent the text below it with spaces"},
	{"", "tag", "yaml-tag", "a text can't begin with ! without quotes", "put the text in quotes"},
	{"directive", "", "", "a line can't begin with % without quotes", "put texts that begin with % in quotes"},
	{"<document start>", "", "", "a second document begins here without a line ---", "separate documents by a line ---"},
	{"", "", "", "YAML can't be read: %m", "check the indentation and the quotes"},
}

// explain reports a syntax error: its cause and its remedy in place of the parser's
// message.
func (y *yamlText) explain(err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		y.Add(diagnostic.Error, 0, 0, "yaml-syntax", "YAML can't be read: "+err.Error(), "check the indentation and the quotes")
		return
	}
	line, col := e.Mark.Line, e.Mark.Column
	quoted := strings.Contains(e.ContextMsg, "quoted scalar")
	for _, c := range causes {
		if !strings.Contains(e.Message, c.says) || !strings.Contains(e.ContextMsg, c.within) {
			continue
		}
		if quoted && strings.Contains(c.message, "not closed") {
			line, col = e.ContextMark.Line, e.ContextMark.Column
		}
		fill := strings.NewReplacer("%o", strconv.Itoa(e.ContextMark.Line+y.before), "%c", string(y.char(line, col)), "%m", e.Message)
		if line > 0 {
			line += y.before
		}
		y.Add(diagnostic.Error, line, col, cmp.Or(c.code, "yaml-syntax"), fill.Replace(c.message), c.suggestion)
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
