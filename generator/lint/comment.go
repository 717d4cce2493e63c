package lint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// A # after a space begins a comment in YAML in every text without quotes: "they were the #1 team" is published as
// "they were the", and the file is valid. A # followed by a space is assumed to be a comment on purpose.

// cutTexts warns of texts that end where such a comment begins.
func (in *inspector) cutTexts(root *os.Root) ([]diagnostic.Problem, error) {
	byFile := map[string][]*source.Review{}
	for _, r := range in.content.Reviews {
		if file := in.content.Position(r).File; source.IsYAML(file) {
			byFile[file] = append(byFile[file], r)
		}
	}
	var problems []diagnostic.Problem
	for _, name := range []string{source.BusinessFile, source.SiteFile, source.FAQFile} {
		data, err := root.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, at := range cutLine.FindAllSubmatchIndex(data, -1) {
			problems = append(problems, cut(name, 1+bytes.Count(data[:at[2]], []byte("\n")), string(data[at[0]:at[2]]), string(data[at[2]:at[3]])))
		}
	}
	for name, reviews := range byFile {
		data, err := root.ReadFile(name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		problems = append(problems, in.cutIn(data, name, reviews)...)
	}
	return problems, nil
}

// commentForm matches the beginning of a comment that may be part of a text.
var commentForm = regexp.MustCompile(" #[^ \t#\r\n]")

// plainField matches the line of a field whose value is on the line without quotes, up to a comment.
var plainField = regexp.MustCompile(`^(?:- +)?(?:(author|title|text|reference):)?[ \t]*([^"'|>]?.*?)$`)

func (in *inspector) cutIn(data []byte, name string, reviews []*source.Review) []diagnostic.Problem {
	var problems []diagnostic.Problem
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		for _, at := range commentForm.FindAllStringIndex(text, -1) {
			before, rest := text[:at[0]+1], strings.TrimSpace(text[at[0]+1:])
			m := plainField.FindStringSubmatch(strings.TrimSpace(before))
			if m == nil || m[1] == "" && m[2] == "" || !slices.ContainsFunc(reviews, func(r *source.Review) bool { return in.content.Position(r).Line <= line && endsIn(r, m[1], m[2]) }) {
				continue
			}
			problems = append(problems, cut(name, line, before, rest))
		}
	}
	return problems
}

// cutLine matches a line of the small files whose text ends at a comment.
var cutLine = regexp.MustCompile(`(?m)^ *(?:- )?(?:description|title|feed_title|question|answer|name): [^'"|>\n][^\n]*? (#[^ \t#\r\n][^\r\n]*)`)

// cut returns the warning of a text that ends before rest.
func cut(file string, line int, before, rest string) diagnostic.Problem {
	return diagnostic.Problem{Severity: diagnostic.Warning, File: file, Line: line, Col: utf8.RuneCountInString(before) + 1, Code: "cut-by-comment",
		Message:    fmt.Sprintf("the text from %s on is left out: in YAML a # after a space begins a comment", diagnostic.Quote(rest)),
		Suggestion: "put the whole text in double quotes"}
}

// endsIn reports whether a text of the review ends in words: those of one field if it is named. Empty words mean a
// field without a value.
func endsIn(r *source.Review, field, words string) bool {
	ends := func(name string, text *string) bool {
		if field != "" && field != name {
			return false
		}
		return words == "" && (text == nil || *text == "") || words != "" && text != nil && strings.HasSuffix(*text, words)
	}
	return ends("reference", &r.Reference) && field != "" || ends("author", &r.Author) || ends("title", r.Title) || ends("text", r.Text) || ends("text", replyOf(r))
}
