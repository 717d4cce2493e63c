package source

import (
	"strings"
)

// literal reads a block that begins with |, |- or |+.
func (q *quickYAML) literal(n *node, indent int) bool {
	keep, ok := q.header(n)
	if !ok {
		return false
	}
	first, whole := "", strings.Builder{}
	lines, empty := 0, 0
	ok = q.block(indent, func(line string) bool {
		if line == "" {
			empty++
			return lines > 0
		}
		switch lines++; lines {
		case 1:
			first = line
			return true
		case 2:
			whole.WriteString(first)
		}
		for ; empty >= 0; empty-- {
			whole.WriteByte('\n')
		}
		empty = 0
		whole.WriteString(line)
		return true
	})
	if n.text = first; lines > 1 {
		n.text = whole.String()
	}
	if keep {
		n.text += strings.Repeat("\n", empty+1)
	}
	return ok && lines > 0
}

// folded reads a block that begins with >, >- or >+ and whose lines are all
// equally far in.
func (q *quickYAML) folded(n *node, indent int) bool {
	keep, ok := q.header(n)
	if !ok {
		return false
	}
	var whole strings.Builder
	empty := 0
	ok = q.block(indent, func(line string) bool {
		if line == "" {
			empty++
			return whole.Len() > 0
		}
		if c := line[0]; c == ' ' || c == '\t' || strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") {
			return false
		}
		if whole.Len() > 0 {
			if empty == 0 {
				whole.WriteByte(' ')
			}
			for ; empty > 0; empty-- {
				whole.WriteByte('\n')
			}
		}
		whole.WriteString(line)
		return true
	})
	if n.text = whole.String(); n.text == "" {
		return false
	}
	if keep {
		n.text += strings.Repeat("\n", empty+1)
	}
	return ok
}

// header reads the line on which a block begins, from its sign on.
func (q *quickYAML) header(n *node) (keep, ok bool) {
	q.place(n)
	n.kind = text
	q.pos++
	if q.pos < len(q.s) && (q.s[q.pos] == '+' || q.s[q.pos] == '-') {
		keep = q.s[q.pos] == '+'
		q.pos++
	}
	return keep, q.pos < len(q.s) && q.ended()
}

// block gives each line of a block, without its indentation; the first that has
// words says how far in it is. Blanks alone on a line, as far in as that, say
// nothing; what has more of them, or comes first, is left to the library.
func (q *quickYAML) block(indent int, each func(line string) bool) bool {
	in := 0
	for q.pos < len(q.s) {
		line, _, whole := strings.Cut(q.s[q.pos:], "\n")
		blanks := 0
		for blanks < len(line) && line[blanks] == ' ' {
			blanks++
		}
		empty := blanks == len(line)
		switch {
		case !whole, empty && blanks > in, !empty && line[blanks] == '\t':
			return false
		case empty:
		case in == 0 && blanks <= indent:
			return false
		case in == 0:
			in = blanks
		case blanks < in:
			return blanks <= indent // the block has ended
		}
		q.pos += len(line) + 1
		q.line++
		if empty {
			line = ""
		} else {
			line = line[in:]
		}
		if !each(line) {
			return false
		}
	}
	return true
}
