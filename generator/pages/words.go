package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strings"
	texttemplate "text/template"

	"reviewcast"
)

// quarter counts the quarters of all years, so that neighbours differ by one.
type quarter int

func quarterOf(d reviewcast.Date) quarter {
	year, month, _ := d.Noon().Date()
	return quarter(4*year + int(month-1)/3)
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// place puts an address on one line, without the code of its country unless that is all.
func place(a reviewcast.Address) string {
	parts := []string{a.StreetAddress, strings.TrimSpace(a.PostalCode + " " + a.AddressLocality), a.AddressRegion}
	if slices.Contains([]string{"AU", "CA", "GB", "IE", "IN", "NZ", "US", "ZA"}, a.AddressCountry) { // the code comes last
		parts[1], parts[2] = a.AddressLocality, strings.TrimSpace(a.AddressRegion+" "+a.PostalCode)
	}
	return cmp.Or(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", "), a.AddressCountry)
}

// excerpt is the beginning of a text, cut after a word.
func excerpt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "") // without a part of a character at the end
	if space := strings.LastIndexAny(text, " \n"); space > len(text)/2 {
		text = text[:space]
	}
	return strings.TrimRight(text, ".,;:!?– ") + "…"
}

// Hidden says in words how many reviews are left out, and why.
func (s *Site) Hidden() string {
	u := s.Dataset.Unpublished
	var parts []string
	for i, n := range []int{u.Unverified, u.Withdrawn, u.Legal} {
		if n > 0 {
			reason := []string{"%s without a verification", "%s withdrawn by the author or the platform", "%s withdrawn for legal reasons"}[i]
			parts = append(parts, s.text(reason, s.grouped(n)))
		}
	}
	return strings.Join(parts, ", ")
}

// twinFuncs are for the templates of Markdown, in which nothing is escaped but by inline, prose and quoted.
var twinFuncs = texttemplate.FuncMap{
	"inline": inline, "list": list, "last": last, "lower": strings.ToLower, "excerpt": excerpt,
	"cell": func(text string) string { // of a table
		return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
	},
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(b), err
	},
	"prose":  func(text string) string { return escapeMarkdown(text, "") },
	"quoted": func(text string) string { return "> " + escapeMarkdown(text, "> ") },
}

// withoutLinks is the editors' Markdown without HTML, links and pictures, which stay as they were typed.
func withoutLinks(s string) string {
	return strings.NewReplacer("<", "&lt;", "[", `\[`, "]", `\]`).Replace(strings.TrimSpace(s))
}

// headingForm matches the headings of the editors' summary, which stands below a heading of level 2.
var headingForm = regexp.MustCompile(`(?m)^#{1,2} +`)

// markdownHTML converts the editors' Markdown, as far as [withoutLinks] keeps it.
func markdownHTML(s string) (template.HTML, error) {
	var b bytes.Buffer
	err := toHTML.Convert(headingForm.ReplaceAll([]byte(withoutLinks(s)), []byte("### ")), &b)
	return template.HTML(b.String()), err
}

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
