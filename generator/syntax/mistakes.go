package syntax

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
)

// commonMistake looks for a common mistake where the parser stopped. The parser often
// stops much later than the mistake, at the first character that fits nothing. It
// reports whether it found and reported one.
func (y *yamlText) commonMistake(line, col int) bool {
	return y.closedEarly(line, col) || y.missingSpaces(line)
}

// closedEarly looks for a quote inside a quoted text, which ends it.
func (y *yamlText) closedEarly(line, col int) bool {
	text := []rune(y.text(line))
	at := min(col-1, len(text)) - 1
	for at >= 0 && text[at] == ' ' {
		at--
	}
	if at < 1 || col-1 >= len(text) || text[at] != '\'' && text[at] != '"' || !slices.Contains(text[:at], text[at]) {
		return false
	}
	if strings.ContainsRune(":,]}#'\"", text[col-1]) {
		return false // something else is wrong with what follows
	}
	message, suggestion := "the text in single quotes ends at this apostrophe", "write '' for an apostrophe in it, or put the text in double quotes"
	if text[at] == '"' {
		message, suggestion = "the text in double quotes ends at this quotation mark", `write \" for a quotation mark in it, or put the text in single quotes`
	}
	y.Add(diagnostic.Error, line+y.before, at+1, "yaml-syntax", message, suggestion)
	return true
}

// fieldForm matches a line that begins with a field: indentation, hyphen, name,
// value.
var fieldForm = regexp.MustCompile(`^( *)(- *|-)?([A-Za-z_]+):(.*)$`)

// maxBack is how many lines before the error are searched.
const maxBack = 100

// missingSpaces looks for fields without a space after the colon or the hyphen: in
// the line of the error and the lines directly before it that have the same mistake,
// or in the last line before it.
func (y *yamlText) missingSpaces(line int) bool {
	var found []diagnostic.Problem
	lines := y.upTo(line, maxBack)
	for back, text := range slices.Backward(lines) {
		at := line - (len(lines) - 1 - back)
		if p, ok := y.missingSpace(text, at); ok {
			p.File, p.Line = y.File, p.Line+y.before
			found = append(found, p)
		} else if words := strings.TrimLeft(text, " "); words != "" && words[0] != '#' && (len(found) > 0 || at < line) {
			break
		}
	}
	for _, p := range slices.Backward(found) {
		y.Put(p)
	}
	return len(found) > 0
}

// upTo returns the last n lines up to a line, which may be the one after the end.
func (y *yamlText) upTo(line, n int) []string {
	var lines []string
	rest := y.data
	for i := 1; i <= line; i++ {
		row, after, _ := bytes.Cut(rest, []byte{'\n'})
		if rest = after; i > line-n {
			lines = append(lines, strings.TrimSuffix(string(row), "\r"))
		}
	}
	return lines
}

func (y *yamlText) missingSpace(text string, line int) (p diagnostic.Problem, ok bool) {
	m := fieldForm.FindStringSubmatchIndex(text)
	if m == nil || !y.isField(text[m[6]:m[7]]) {
		return p, false
	}
	name, rest := text[m[6]:m[7]], text[m[8]:m[9]]
	p = diagnostic.Problem{Severity: diagnostic.Error, Line: line, Code: "yaml-syntax"}
	column := func(byteAt int) int { return utf8.RuneCountInString(text[:byteAt]) + 1 }
	switch {
	case m[4] >= 0 && m[5]-m[4] == 1:
		p.Col, p.Message = column(m[6]), fmt.Sprintf("missing space between the hyphen and %q", name)
		p.Suggestion = fmt.Sprintf("write %q and align the fields below with this one", "- "+name+":")
	case rest != "" && rest[0] != ' ':
		p.Col, p.Message = column(m[8]), fmt.Sprintf("missing space after %q", name+":")
		p.Suggestion = fmt.Sprintf("write %s", diagnostic.Quote(name+": "+rest))
	default:
		return p, false
	}
	return p, true
}

// MissingSpace returns the corrected beginning of a text that would be a field with a
// space after its colon; "" for any other text.
func MissingSpace(text string, isField func(name string) bool) string {
	first, _, _ := strings.Cut(text, "\n")
	if m := fieldForm.FindStringSubmatchIndex(first); m != nil && isField(first[m[6]:m[7]]) && m[9] > m[8] && first[m[8]] != ' ' {
		return first[m[6]:m[7]] + ": " + FirstWord(first[m[8]:m[9]])
	}
	return ""
}

// FirstWord returns the text before the first space, escaped for a message.
func FirstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(strconv.Quote(word), `"`)
}
