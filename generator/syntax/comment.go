package syntax

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
)

// A # after a space begins a comment in YAML in every text without quotes: "they were the #1 team" is published as
// "they were the", and the file is valid. A # with a space behind it is assumed to be a comment on purpose, except before
// a number in the middle of a sentence.

var commented = diagnostic.Words(wordsFile, "fields of texts")

// cut reports a text without quotes that ends at a comment which is part of it.
func (y *yamlText) cut(key, v *Node) {
	if !slices.Contains(commented, key.Text) || v.Col > maxIndent || v.Kind != Text && (v.Kind != Null || v.Text != "") {
		return
	}
	first := v.Line - y.before
	rest := y.from(first, v.Col)
	before, _, found := strings.Cut(rest[:min(len(rest), 2*len(v.Text)+len(" #")+maxIndent)], " #")
	if !found || !slices.Equal(strings.Fields(before), strings.Fields(v.Text)) {
		return // it has quotes, or no comment
	}
	comment, _, _ := strings.Cut(rest[len(before)+len(" #"):], "\n")
	comment, _, _ = strings.Cut(comment, " # ")
	comment = strings.TrimRight(comment, " \t\r")
	numbered := forms("numbered").MatchString(before + "#" + comment)
	if comment == "" || strings.ContainsAny(comment[:1], " \t#") && !numbered {
		return
	}
	words := strings.TrimSpace(before + " #" + comment)
	whole := y.from(first, 1)
	remedy := pasted(strings.TrimRight(whole[:len(whole)-len(rest)], " ") + " " + quoteValue(words))
	line, col := v.Line, v.Col+utf8.RuneCountInString(before)+1
	if breaks := strings.Count(before, "\n"); breaks > 0 {
		line, col = line+breaks, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n'):])+1
		if remedy = "put the whole text in double quotes"; col <= key.Col {
			return // a note between the fields
		}
	}
	severity := diagnostic.Warning
	if !numbered && !forms("oneWord").MatchString(comment) {
		severity, v.Kind = diagnostic.Error, Refused
	}
	y.Add(severity, line, col, "cut-by-comment", fmt.Sprintf("the text from %s on is left out: in YAML a # after a space begins a comment", diagnostic.Quote("#"+comment)),
		"if it is a note of yours, "+diagnostic.Pick(numbered, "leave it", "put a space after the #")+"; if not, "+remedy)
}

// maxIndent is how far to the right a text is looked at, and how many spaces it may have between its words, beside one
// each. It stops a file of one line from being read again for each of its texts.
const maxIndent = 400
