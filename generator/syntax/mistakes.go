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

// usual looks, where YAML can't be read any more, for the mistakes that are usual
// there. What the parser says of them is true, and about another place: it goes on
// until nothing fits. False means that it is none of them, and nothing was noted.
func (y *yamlText) usual(line, col int) bool {
	return y.closedEarly(line, col) || y.noBlanks(line)
}

// closedEarly: a quote inside a text in quotes has ended it.
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

// fieldForm finds a field's name at the beginning of a line, and what stands before
// and behind it.
var fieldForm = regexp.MustCompile(`^( *)(- *|-)?([A-Za-z_]+):(.*)$`)

// maxBack is how many lines are looked at for one mistake.
const maxBack = 100

// noBlanks: between a colon and its value, or between a hyphen and its field, is no
// blank. It is looked for in the line where nothing fits any more and in those right
// above it that have the same mistake, or in the last one above it.
func (y *yamlText) noBlanks(line int) bool {
	var found []diagnostic.Problem
	lines := y.upTo(line, maxBack)
	for back, text := range slices.Backward(lines) {
		at := line - (len(lines) - 1 - back)
		if p, ok := y.noBlank(text, at); ok {
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

// upTo gives the last n lines up to one, which may be the one behind the end.
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

func (y *yamlText) noBlank(text string, line int) (p diagnostic.Problem, ok bool) {
	m := fieldForm.FindStringSubmatchIndex(text)
	if m == nil || !y.isField(text[m[6]:m[7]]) {
		return p, false
	}
	name, rest := text[m[6]:m[7]], text[m[8]:m[9]]
	p = diagnostic.Problem{Severity: diagnostic.Error, Line: line, Code: "yaml-syntax"}
	column := func(byteAt int) int { return utf8.RuneCountInString(text[:byteAt]) + 1 }
	switch {
	case m[4] >= 0 && m[5]-m[4] == 1:
		p.Col, p.Message = column(m[6]), fmt.Sprintf("between the hyphen and %q is no blank", name)
		p.Suggestion = fmt.Sprintf("write %q, and the fields below it in the column of this one", "- "+name+":")
	case rest != "" && rest[0] != ' ':
		p.Col, p.Message = column(m[8]), fmt.Sprintf("behind the colon of %q is no blank", name)
		p.Suggestion = fmt.Sprintf("write %s", diagnostic.Quote(name+": "+rest))
	default:
		return p, false
	}
	return p, true
}

// MissingSpace returns how a text begins that would be a field if there was a space
// after its colon; "" for any other text.
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
