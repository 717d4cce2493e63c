package source

import (
	"strings"
	"unicode/utf8"

	"reviewcast"
)

// plain reads words without quotes up to the end of the line.
func (q *quickYAML) plain(n *node) bool {
	q.place(n)
	end := strings.IndexByte(q.s[q.pos:], '\n')
	after := end + 1
	if end < 0 {
		end = len(q.s) - q.pos
		after = end
	}
	words := strings.TrimRight(q.s[q.pos:q.pos+end], " ")
	for i := range len(words) {
		switch c := words[i]; {
		case c == '\t', c == ':' && (i+1 == len(words) || words[i+1] == ' '), c == '#' && i > 0 && words[i-1] == ' ':
			return false
		}
	}
	q.pos += after
	return n.plain(words)
}

// plain makes n a scalar without quotes; false when it isn't clear of what kind.
func (n *node) plain(s string) bool {
	n.text = s
	c := s[0]
	switch {
	case isLetter(c):
		n.kind = text
		// The words that aren't text have five letters at most: true, false, null.
		return len(s) > 5 || !strings.EqualFold(s, "true") && !strings.EqualFold(s, "false") && !strings.EqualFold(s, "null")
	case c >= utf8.RuneSelf, c == '(', c == '$', c == '/', c == '_':
		n.kind = text
		return true
	case '0' <= c && c <= '9':
		return n.digits(s)
	}
	return false
}

// digits tells numbers and dates from texts that begin with a digit.
func (n *node) digits(s string) bool {
	if n.kind = text; strings.ContainsAny(s, "ghjklmqrsuvwyGHJKLMQRSUVWY") {
		return true // no number of any base and no time has these
	}
	if looksLikeDate(s) {
		n.kind = date
		return reviewcast.Date(s).Valid()
	}
	n.kind = number
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) == 1 || s[0] != '0' && len(s) <= 15
}

// quoted reads a text in quotes that ends on the same line.
func (q *quickYAML) quoted(n *node) bool {
	q.place(n)
	n.kind = text
	quote := q.s[q.pos]
	q.pos++
	var undone []byte // what stands before pos, once there was an escape
	escaped, from := false, q.pos
	for ; q.pos < len(q.s); q.pos++ {
		switch c := q.s[q.pos]; {
		case c == '\n' || c == '\t':
			return false
		case c == '\'' && quote == c && strings.HasPrefix(q.s[q.pos+1:], "'"):
			undone, escaped = append(undone, q.s[from:q.pos+1]...), true
			q.pos++
			from = q.pos + 1
		case c == quote:
			if n.text = q.s[from:q.pos]; escaped {
				n.text = string(append(undone, n.text...))
			}
			q.pos++
			return true
		case c == '\\' && quote == '"':
			undone, escaped = append(undone, q.s[from:q.pos]...), true
			r, size := escape(q.s[q.pos+1:])
			if size == 0 {
				return false
			}
			undone = utf8.AppendRune(undone, r)
			q.pos += size
			from = q.pos + 1
		}
	}
	return false
}

// escape reads what follows a backslash in double quotes; size is 0 for what the
// library knows better.
func escape(s string) (r rune, size int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case '"', '\\', '/':
		return rune(s[0]), 1
	case 'n':
		return '\n', 1
	case 't':
		return '\t', 1
	case 'u':
		if len(s) < 5 {
			return 0, 0
		}
		for i := 1; i < 5; i++ {
			digit := strings.IndexByte("0123456789abcdef", s[i]|0x20)
			if digit < 0 || digit < 10 && s[i] > '9' {
				return 0, 0
			}
			r = r<<4 | rune(digit)
		}
		if r == 0 || 0xD800 <= r && r < 0xE000 {
			return 0, 0
		}
		return r, 5
	}
	return 0, 0
}
