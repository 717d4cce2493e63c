package compose

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"reviewcast/generator/schema"
)

// yaml returns the content of the file. What people type is in double quotes;
// several paragraphs are a block, which is easier to read and to change.
func (r *Review) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n- id: %s\n  author: %s\n  rating: %d\n  date: %s\n", schema.Line(r.file()), quoteYAML(r.ID), quoteYAML(r.Author), r.Rating, r.Date)
	for _, f := range []struct{ name, value string }{{"title", r.Title}, {"text", r.Text}, {"language", r.Language}, {"source", r.Source}} {
		switch {
		case f.value == "":
		case fitsBlock(f.value):
			fmt.Fprintf(&b, "  %s: |-\n", f.name)
			for line := range strings.SplitSeq(f.value, "\n") {
				b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
			}
		default:
			fmt.Fprintf(&b, "  %s: %s\n", f.name, quoteYAML(f.value))
		}
	}
	if r.Verification != "" {
		fmt.Fprintf(&b, "  verification:\n    method: %s\n", quoteYAML(r.Verification))
		if r.Reference != "" {
			fmt.Fprintf(&b, "    reference: %s\n", quoteYAML(r.Reference))
		}
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"technicians", r.Technicians}, {"services", r.Services}, {"service_areas", r.ServiceAreas}} {
		if len(l.ids) > 0 {
			fmt.Fprintf(&b, "  %s: [%s]\n", l.name, strings.Join(l.ids, ", "))
		}
	}
	return b.String()
}

// fitsBlock reports whether a block scalar reads back as s: a text of several lines
// without white space at its start, its end or the end of a line.
func fitsBlock(s string) bool {
	return strings.Contains(s, "\n") && s == strings.TrimSpace(s) && !strings.Contains(s, " \n") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// quoteYAML returns s in double quotes: all escapes of Go strings are YAML's, too.
func quoteYAML(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
