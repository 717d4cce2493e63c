package syntax

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"reviewcast/generator/diagnostic"
)

// explain reports a syntax error: its cause and its remedy in place of the parser's
// message.
func (y *yamlText) explain(err error) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		y.Add(diagnostic.Error, 0, 0, "yaml-syntax", "YAML can't be read: "+err.Error(), "check the indentation and the quotes")
		return
	}
	line, col := e.Mark.Line, e.Mark.Column
	code, message, suggestion := "yaml-syntax", "", ""
	has := func(s string) bool { return strings.Contains(e.Message, s) }
	opened := fmt.Sprintf("line %d", e.ContextMark.Line+y.before)
	quoted := strings.Contains(e.ContextMsg, "quoted scalar")
	if !quoted && y.closedEarly(line, col) {
		return
	}
	switch {
	case has("exceeded max depth"):
		code, message, suggestion = "too-deep", fmt.Sprintf("lists and fields are nested more than %d deep", MaxDepth), "no file needs more than four levels"
	case has("unknown anchor"):
		code, message, suggestion = "yaml-alias", "the alias "+strings.Trim(strings.TrimSuffix(strings.TrimPrefix(e.Message, "unknown anchor "), " referenced"), "'")+" is not supported",
			"write the value itself; if * is part of a text, put the text in quotes"
	case quoted && (has("end of stream") || has("document indicator")):
		message, suggestion = "the quoted text that begins on "+opened+" is not closed", "close the quotes"
		line, col = e.ContextMark.Line, e.ContextMark.Column
	case quoted && has("unknown escape"):
		message, suggestion = `unknown escape after a backslash in double quotes`, `write \\ for a backslash, or use single quotes`
	case quoted && has("tab"), has("tab character"), has("tabs where"), has("mixed spaces and tabs"):
		message, suggestion = "this line is indented with a tab", "indent with spaces"
	case quoted:
		message, suggestion = "the quoted text that begins on "+opened+" can't be read", "check its quotes and backslashes"
	case has("cannot start any token"):
		switch c := y.char(line, col); c {
		case '\t':
			message, suggestion = "this line is indented with a tab", "indent with spaces"
		default:
			message, suggestion = fmt.Sprintf("a text can't begin with %c without quotes", c), "put the text in quotes"
		}
	case has("mapping values are not allowed"):
		message, suggestion = "a text contains a colon and a space, or this line has the wrong indentation", "put the text in quotes, or align the field with the others"
	case has("could not find expected ':'"):
		message, suggestion = "missing colon after a field name, or the next line of a text is not indented enough", "write `field: value`; indent the lines of a text further than its field"
	case has("did not find expected key"), has("did not find expected ',' or '}'") && e.ContextMark.Line == 0:
		message, suggestion = "expected a field, or the end of the fields that begin on "+opened, "align the fields; put the whole of a text with quotes or a colon in quotes"
	case has("expected '-' indicator"):
		message, suggestion = "expected an item, or the end of the list that begins on "+opened, "align the hyphens, and align the fields of an item with its first one"
	case has("block sequence entries are not allowed"):
		message, suggestion = "a list can't begin here", "put the hyphen on a line of its own"
	case has("',' or ']'"):
		message, suggestion = "missing comma or ] in the list that begins with [ on "+opened, "close it, or put texts with special characters in quotes"
	case has("',' or '}'"):
		message, suggestion = "missing comma or } in the fields that begin with { on "+opened, "close them, or put texts with special characters in quotes"
	case has("alphabetic or numeric character"):
		message, suggestion = "a text can't begin with & or * without quotes", "put the text in quotes"
	case strings.Contains(e.ContextMsg, "block scalar"):
		message, suggestion = "the text block can't be read: "+e.Message, "write | alone after the colon and indent the text below it with spaces"
	case strings.Contains(e.ContextMsg, "tag"):
		code, message, suggestion = "yaml-tag", "a text can't begin with ! without quotes", "put the text in quotes"
	case strings.Contains(e.ContextMsg, "directive"), has("directive"), has("<document start>"):
		message, suggestion = "a line that begins with % or a second document is not allowed here", "put texts that begin with % in quotes; separate documents by a line ---"
	default:
		message, suggestion = "YAML can't be read: "+e.Message, "check the indentation and the quotes"
	}
	if line > 0 {
		line += y.before
	}
	y.Add(diagnostic.Error, line, col, code, message, suggestion)
}

// char returns the character at a place; U+FFFD if there is none.
func (y *yamlText) char(line, col int) rune {
	for _, c := range y.text(line) {
		if col--; col <= 0 {
			return c
		}
	}
	return utf8.RuneError
}
