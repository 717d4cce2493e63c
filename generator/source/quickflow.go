package source

import (
	"strings"
	"unicode/utf8"
)

// flow reads a value among brackets, on one line.
func (q *quickYAML) flow(n *node, depth int) bool {
	if depth > quickDepth || q.pos == len(q.s) {
		return false
	}
	switch q.s[q.pos] {
	case '"', '\'':
		return q.quoted(n)
	case '[':
		n.kind = list
		return q.between(n, ']', func() bool { return q.flow(n.growItems(), depth+1) })
	case '{':
		n.kind = mapping
		return q.between(n, '}', func() bool { return q.flowField(n.grow(), depth) })
	}
	q.place(n)
	end := q.pos
	for end < len(q.s) && flowPlain(q.s[end]) {
		end++
	}
	words := strings.TrimRight(q.s[q.pos:end], " ")
	if words == "" || !isLetter(words[0]) && words[0] < utf8.RuneSelf && (words[0] < '0' || words[0] > '9') {
		return false
	}
	q.pos = end
	return n.plain(words)
}

// flowPlain tells whether a byte has no meaning of its own among brackets.
func flowPlain(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c >= utf8.RuneSelf || c == ' ' || c == '.' || c == '-' || c == '_' || c == '/' || c == '(' || c == ')'
}

// between reads what stands between two brackets.
func (q *quickYAML) between(n *node, shut byte, one func() bool) bool {
	q.place(n)
	q.pos++
	q.blanks()
	if q.pos < len(q.s) && q.s[q.pos] == shut {
		q.pos++
		return true
	}
	for {
		if !one() {
			return false
		}
		q.blanks()
		if q.pos == len(q.s) {
			return false
		}
		c := q.s[q.pos]
		q.pos++
		switch c {
		case shut:
			return true
		case ',':
			q.blanks()
		default:
			return false
		}
	}
}

// flowField reads one field among braces.
func (q *quickYAML) flowField(e *entry, depth int) bool {
	switch {
	case q.pos < len(q.s) && q.s[q.pos] == '"':
		if !q.quoted(&e.key) || len(e.key.text) > quickKey || !strings.HasPrefix(q.s[q.pos:], ":") {
			return false
		}
	default:
		length := q.field()
		if length == 0 {
			return false
		}
		q.place(&e.key)
		if !e.key.plain(q.s[q.pos : q.pos+length]) {
			return false
		}
		q.pos += length
	}
	q.pos++
	q.blanks()
	return q.flow(&e.value, depth+1)
}

func (q *quickYAML) blanks() {
	for q.pos < len(q.s) && q.s[q.pos] == ' ' {
		q.pos++
	}
}
