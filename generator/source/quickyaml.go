package source

import (
	"strings"
	"unicode/utf8"
)

// quickYAML reads the shapes of YAML in which reviews are written: mappings and
// lists by indentation or, within one line, by brackets; words without quotes on
// one line, in quotes on one line, or in a block. Ten thousand files of one review
// each cost the library half a second of computing, and this reader a tenth of it.
//
// It knows no error. At the first thing that it isn't sure of it gives up, and the
// library reads the file from the beginning: every message is the library's. What
// it does read is the same tree as the library's, places included; a fuzz test
// holds the two against each other.
//
// Texts are slices of the file as far as they stand there as they are.
type quickYAML struct {
	s    string
	pos  int
	line int // from 1, of pos
	// start is where the line begins, indent how many blanks stand before its first
	// character.
	start, indent int
	// Up to byte seen of the line there are col-1 code points.
	seen, col int
}

// quickDepth is how deep values may nest here.
const quickDepth = 8

// quickKey is the longest name of a field here, in bytes.
const quickKey = 64

// read builds the tree of the only document of s in n. ok is false when the
// library has to read it; n is undefined then.
func (q *quickYAML) read(s string, n *node) (ok bool) {
	*q = quickYAML{s: s}
	n.reset()
	if strings.IndexByte(s, '\r') >= 0 || strings.Contains(s, string(bom)) || !q.next() {
		return false
	}
	switch {
	case s[q.pos] == '{' || s[q.pos] == '[':
		return q.flow(n, 0) && q.ended() && !q.next() && q.pos == len(s)
	case q.dash():
		ok = q.list(n, q.indent, 0)
	default:
		ok = q.mapping(n, q.indent, 0)
	}
	return ok && q.pos == len(s)
}

// next goes to the first character of the next line that says anything; false at
// the end, and at a tab where blanks belong, which leaves pos before the end.
func (q *quickYAML) next() bool {
	for q.pos < len(q.s) {
		q.line++
		q.start, q.seen, q.col = q.pos, q.pos, 1
		for q.pos < len(q.s) && q.s[q.pos] == ' ' {
			q.pos++
		}
		q.indent = q.pos - q.start
		if q.pos == len(q.s) {
			return false
		}
		switch q.s[q.pos] {
		case '\n':
			q.pos++
		case '#':
			end := strings.IndexByte(q.s[q.pos:], '\n')
			if end < 0 {
				q.pos = len(q.s)
				return false
			}
			q.pos += end + 1
		case '\t':
			return false
		default:
			return true
		}
	}
	return false
}

// ended passes the blanks and the end of the line; false when something else
// stands there.
func (q *quickYAML) ended() bool {
	for q.pos < len(q.s) && q.s[q.pos] == ' ' {
		q.pos++
	}
	if q.pos == len(q.s) {
		return true
	}
	if q.s[q.pos] != '\n' {
		return false
	}
	q.pos++
	return true
}

// place gives n the position of pos.
func (q *quickYAML) place(n *node) {
	q.col += utf8.RuneCountInString(q.s[q.seen:q.pos])
	q.seen = q.pos
	n.line, n.col = q.line, q.col
}

// dash tells whether an item of a list begins here.
func (q *quickYAML) dash() bool { return strings.HasPrefix(q.s[q.pos:], "- ") }

// word is the length of the plain word at pos that may name a field.
func (q *quickYAML) word() int {
	i := q.pos
	for i < len(q.s) && (q.s[i] == '_' || isLetter(q.s[i]) || i > q.pos && '0' <= q.s[i] && q.s[i] <= '9') {
		i++
	}
	return i - q.pos
}

// field is the length of the name that stands here before a colon; 0 for none.
func (q *quickYAML) field() int {
	n := q.word()
	rest := q.s[q.pos+n:]
	if n == 0 || n > quickKey || rest == "" || rest[0] != ':' || len(rest) > 1 && rest[1] != ' ' && rest[1] != '\n' {
		return 0
	}
	return n
}

// mapping reads the fields whose names begin in column indent, from the first to
// the first line that belongs to none.
func (q *quickYAML) mapping(n *node, indent, depth int) bool {
	if depth > quickDepth {
		return false
	}
	n.kind = mapping
	q.place(n)
	for {
		length := q.field()
		if length == 0 {
			return false
		}
		e := n.grow()
		q.place(&e.key)
		if !e.key.plain(q.s[q.pos : q.pos+length]) {
			return false
		}
		q.pos += length + 1
		if !q.fieldValue(&e.value, indent, depth) {
			return false
		}
		if q.pos == len(q.s) || q.indent < indent {
			return true
		}
		if q.indent > indent {
			return false
		}
	}
}

// fieldValue reads what follows a field's colon, and goes to the next line that
// says anything.
func (q *quickYAML) fieldValue(n *node, indent, depth int) bool {
	for q.pos < len(q.s) && q.s[q.pos] == ' ' {
		q.pos++
	}
	if q.pos < len(q.s) && q.s[q.pos] != '\n' {
		return q.value(n, indent, depth)
	}
	switch {
	case !q.ended() || !q.next():
		return false // the field is empty
	case q.dash() && q.indent >= indent:
		return q.list(n, q.indent, depth+1)
	case q.indent > indent:
		return q.mapping(n, q.indent, depth+1)
	}
	return false
}

// list reads the items whose hyphens stand in column indent.
func (q *quickYAML) list(n *node, indent, depth int) bool {
	if depth > quickDepth {
		return false
	}
	n.kind = list
	q.place(n)
	for {
		item := n.growItems()
		for q.pos++; q.pos < len(q.s) && q.s[q.pos] == ' '; {
			q.pos++
		}
		if q.pos == len(q.s) || q.s[q.pos] == '\n' {
			return false
		}
		if q.field() > 0 {
			if !q.mapping(item, q.pos-q.start, depth+1) {
				return false
			}
		} else if !q.value(item, indent, depth+1) {
			return false
		}
		switch {
		case q.pos == len(q.s) || q.indent < indent:
			return true
		case q.indent > indent:
			return false
		case !q.dash():
			return true // the next field of the mapping that the list belongs to
		}
	}
}

// value reads a value that begins on the line of its name or hyphen, which stands
// in column indent, and goes to the next line that says anything.
func (q *quickYAML) value(n *node, indent, depth int) bool {
	ok := false
	switch q.s[q.pos] {
	case '"', '\'':
		ok = q.quoted(n) && q.ended()
	case '{', '[':
		ok = q.flow(n, depth) && q.ended()
	case '|':
		ok = q.literal(n, indent)
	case '>':
		ok = q.folded(n, indent)
	default:
		ok = q.plain(n)
	}
	if !ok {
		return false
	}
	return q.next() || q.pos == len(q.s)
}
