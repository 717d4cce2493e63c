package pages

import (
	"bytes"
	"html/template"
	"strings"
	texttemplate "text/template"
)

// twins are the templates of the pages' twins in Markdown. Nothing in them is escaped but by inline and quoted.
var twins = texttemplate.Must(texttemplate.New("twins").Funcs(templateFuncs).
	Funcs(texttemplate.FuncMap{"inline": inline, "quoted": quoted, "type": typeOf, "cell": cell, "prose": paragraphs, "excerpt": excerpt}).ParseFS(siteFiles, "site/*.md"))

// withoutLinks is the editors' Markdown without HTML, links and pictures, which stay as they were typed.
func withoutLinks(s string) string {
	return strings.NewReplacer("<", "&lt;", "[", `\[`, "]", `\]`).Replace(strings.TrimSpace(s))
}

// markdownHTML converts the editors' Markdown, as far as [withoutLinks] keeps it.
func markdownHTML(s string) (template.HTML, error) {
	var b bytes.Buffer
	err := toHTML.Convert([]byte(withoutLinks(s)), &b)
	return template.HTML(b.String()), err
}

// paragraphs writes a text as paragraphs of Markdown.
func paragraphs(s string) string { return escapeMarkdown(s, "") }

// quoted writes a text as a block quote.
func quoted(s string) string { return "> " + escapeMarkdown(s, "> ") }

// inline writes a text on a line of Markdown, without its line breaks.
func inline(s string) string { return escapeMarkdown(strings.Join(strings.Fields(s), " "), "") }

// markup are the bytes that are markup anywhere in a line.
var markup = [256]bool{'\\': true, '`': true, '*': true, '_': true, '[': true, ']': true, '<': true, '>': true, '&': true, '~': true, '|': true}

// escapeMarkdown escapes what would be markup, and begins every new line with the prefix.
func escapeMarkdown(s, prefix string) string {
	var b strings.Builder
	start := true // of a line
	for i := range len(s) {
		c := s[i]
		switch {
		case markup[c],
			start && strings.IndexByte("#+-=", c) >= 0,
			(c == '.' || c == ')') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') && startsWithNumber(s[:i]):
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString("\n" + prefix)
		case c == '\t', c == ' ' && start: // four blanks would begin a block of code
			b.WriteByte(' ')
			continue
		default:
			b.WriteByte(c)
		}
		start = c == '\n'
	}
	return b.String()
}

// startsWithNumber reports whether the last line of s is a number: a dot behind it begins a list.
func startsWithNumber(s string) bool {
	line := strings.TrimLeft(s[strings.LastIndexByte(s, '\n')+1:], " \t")
	return line != "" && len(line) < 10 && strings.Trim(line, "0123456789") == ""
}
