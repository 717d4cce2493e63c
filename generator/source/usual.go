package source

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// usual looks, where YAML can't be read any more, for the mistakes that are usual
// there. What the parser says of them is true, and about another place: it goes on
// until nothing fits. False means that it is none of them, and nothing was noted.
func (y *yamlReader) usual(line, col int) bool {
	return y.closedEarly(line, col) || y.noBlanks(line)
}

// closedEarly: a quote inside a text in quotes has ended it.
func (y *yamlReader) closedEarly(line, col int) bool {
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
	y.add(Error, line+y.before, at+1, "yaml-syntax", message, suggestion)
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
func (y *yamlReader) noBlanks(line int) bool {
	var found []Problem
	lines := y.upTo(line, maxBack)
	for back, text := range slices.Backward(lines) {
		at := line - (len(lines) - 1 - back)
		if p, ok := noBlank(text, at); ok {
			p.File, p.Line = y.file, p.Line+y.before
			found = append(found, p)
		} else if words := strings.TrimLeft(text, " "); words != "" && words[0] != '#' && (len(found) > 0 || at < line) {
			break
		}
	}
	for _, p := range slices.Backward(found) {
		y.put(p)
	}
	return len(found) > 0
}

// upTo gives the last n lines up to one, which may be the one behind the end.
func (y *yamlReader) upTo(line, n int) []string {
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

func noBlank(text string, line int) (p Problem, ok bool) {
	m := fieldForm.FindStringSubmatchIndex(text)
	if m == nil || !anyField(text[m[6]:m[7]]) {
		return p, false
	}
	name, rest := text[m[6]:m[7]], text[m[8]:m[9]]
	p = Problem{Severity: Error, Line: line, Code: "yaml-syntax"}
	column := func(byteAt int) int { return utf8.RuneCountInString(text[:byteAt]) + 1 }
	switch {
	case m[4] >= 0 && m[5]-m[4] == 1:
		p.Col, p.Message = column(m[6]), fmt.Sprintf("between the hyphen and %q is no blank", name)
		p.Suggestion = fmt.Sprintf("write %q, and the fields below it in the column of this one", "- "+name+":")
	case rest != "" && rest[0] != ' ':
		p.Col, p.Message = column(m[8]), fmt.Sprintf("behind the colon of %q is no blank", name)
		p.Suggestion = fmt.Sprintf("write %s", echo(name+": "+rest))
	default:
		return p, false
	}
	return p, true
}

// anyField tells whether any file of the folder has a field of this name.
func anyField(name string) bool {
	return slices.ContainsFunc(allSchemas(), func(s *schema) bool { _, ok := s.index[name]; return ok })
}

func allSchemas() []*schema {
	return append([]*schema{reviewSchema, replySchema, verificationSchema, businessSchema, addressSchema, geoSchema, siteSchema, authorSchema, policiesSchema,
		vocabularySchema, aspectSchema, problemSchema, quoteSchema, faqSchema, topicsSchema, claimSchema, withdrawnSchema}, namedSchemas[:]...)
}

// unspaced is how a text begins that would be fields if there were blanks behind its
// colons; "" for any other.
func unspaced(text string) string {
	if m := fieldForm.FindStringSubmatchIndex(firstLine(text)); m != nil && anyField(text[m[6]:m[7]]) && m[9] > m[8] && text[m[8]] != ' ' {
		return text[m[6]:m[7]] + ": " + firstWord(text[m[8]:m[9]])
	}
	return ""
}
