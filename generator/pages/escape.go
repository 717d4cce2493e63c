package pages

import (
	"strconv"
	"strings"
)

// writer makes HTML by hand where there is too much of it for html/template: the
// articles of reviews and the lists of quotes. It escapes as html/template does; a
// test compares the two.
type writer struct{ b []byte }

// html appends markup of ours.
func (w *writer) html(parts ...string) {
	for _, s := range parts {
		w.b = append(w.b, s...)
	}
}

func (w *writer) int(n int) { w.b = strconv.AppendInt(w.b, int64(n), 10) }

// text appends a text, for content and for attributes in quotation marks.
func (w *writer) text(s string) {
	from := 0
	for i := range len(s) {
		var escaped string
		switch s[i] {
		case 0:
			escaped = "\uFFFD"
		case '"':
			escaped = "&#34;"
		case '&':
			escaped = "&amp;"
		case '\'':
			escaped = "&#39;"
		case '+':
			escaped = "&#43;"
		case '<':
			escaped = "&lt;"
		case '>':
			escaped = "&gt;"
		default:
			continue
		}
		w.b = append(append(w.b, s[from:i]...), escaped...)
		from = i + 1
	}
	w.b = append(w.b, s[from:]...)
}

// url appends an address for an attribute. Only http and https are let through, as
// an address comes from a review: anything else becomes a harmless fragment.
func (w *writer) url(s string) {
	if scheme, _, ok := strings.Cut(s, ":"); !ok || !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		w.html("#ZgotmplZ")
		return
	}
	const hex = "0123456789abcdef"
	var out strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!#$&*+,/:;=?@[]", c) >= 0:
			out.WriteByte(c)
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			out.WriteByte(c)
		default:
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	w.text(out.String())
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// markdown appends a text to Markdown: characters that would be markup are escaped,
// and every new line begins with the prefix.
func (w *writer) markdown(s, prefix string) {
	start := true // of a line
	for i := range len(s) {
		c := s[i]
		switch {
		case strings.IndexByte("\\`*_[]<>&~|", c) >= 0,
			start && strings.IndexByte("#+-=", c) >= 0,
			(c == '.' || c == ')') && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') && startsWithNumber(s[:i]):
			w.b = append(w.b, '\\', c)
		case c == '\n':
			w.html("\n", prefix)
		case c == '\t', c == ' ' && start: // four blanks would begin a block of code
			w.b = append(w.b, ' ')
			continue
		default:
			w.b = append(w.b, c)
		}
		start = c == '\n'
	}
}

// startsWithNumber reports whether the last line of s is digits only, so that a dot
// behind it would begin a numbered list.
func startsWithNumber(s string) bool {
	line := strings.TrimLeft(s[strings.LastIndexByte(s, '\n')+1:], " \t")
	return line != "" && len(line) < 10 && strings.Trim(line, "0123456789") == ""
}

// inline appends a text to a line of Markdown, without its line breaks.
func (w *writer) inline(s string) { w.markdown(strings.Join(strings.Fields(s), " "), "") }
