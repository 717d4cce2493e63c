package source

import (
	"fmt"
	"strings"
)

// decoder walks the trees of one file, field by field, and notes everything that
// is wrong: it never stops at the first problem.
type decoder struct {
	*problems
	locate locator
	// strict is JSON's habit: a number where text belongs is a mistake. In YAML
	// it's just text that happens to look like a number.
	strict bool
	// absent are required columns that a CSV file doesn't have. The header's
	// problem stands for those of all rows.
	absent map[string]bool
	// tag and canonical are the last language that was looked up: most files have
	// one only.
	tag, canonical string
	// words holds one copy of the values that come again and again: sources,
	// methods, ids of technicians.
	words map[string]string
}

func newDecoder(p *problems, at locator) *decoder {
	if at == nil {
		at = func(n *node, _ int) (int, int) { return n.line, n.col }
	}
	return &decoder{problems: p, locate: at, words: make(map[string]string)}
}

// maxWords stops a file of a million different sources from being kept for ever.
const maxWords = 1000

// word gives the decoder's one copy of s.
func (d *decoder) word(s string) string {
	if w, ok := d.words[s]; ok {
		return w
	}
	if len(d.words) < maxWords {
		d.words[s] = s
	}
	return s
}

// schema is a set of fields that may stand together, in the order of the file's
// description.
type schema struct {
	what   string // "the review", for messages
	prefix string // "owner_reply.", before the fields' names in messages
	names  []string
	index  map[string]int
	// also says what editors mean by other words.
	also map[string]string
}

func newSchema(what, prefix string, names ...string) *schema {
	s := &schema{what: what, prefix: prefix, names: names, index: make(map[string]int, len(names))}
	for i, name := range names {
		s.index[name] = i
	}
	return s
}

// meant is the field that an unknown word probably stands for; "" for none.
func (s *schema) meant(word string) string {
	if name, ok := s.also[squash(word)]; ok {
		return name
	}
	return nearest(word, s.names)
}

// maxFields is at least the number of fields of the largest schema.
const maxFields = 18

// record is a mapping whose fields were found by name.
type record struct {
	*decoder
	schema *schema
	node   *node
	found  [maxFields]*entry
	// meant has a bit for each field that an unknown one was probably meant to be:
	// that it is missing is the same mistake.
	meant uint32
}

// record looks the fields of n up and notes the unknown and the repeated ones. ok
// is false when n is no mapping at all.
func (d *decoder) record(n *node, s *schema) (r record, ok bool) {
	r = record{decoder: d, schema: s, node: n}
	if n.kind == refused {
		return r, false
	}
	if n.kind != mapping {
		suggestion := "the fields are " + strings.Join(s.names, ", ")
		if first := unspaced(n.text); n.kind == text && first != "" {
			suggestion = "put a blank behind each colon: " + first
		}
		d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", s.what, n.describe()), suggestion)
		return r, false
	}
	second := false // another review begins
	for i := range n.entries {
		e := &n.entries[i]
		key := &e.key
		f, known := s.index[key.text]
		switch {
		case (!known || r.found[f] != nil) && d.full():
			d.drop(1, Error) // looking for what was meant is slow
		case !known:
			suggestion := "the fields are " + strings.Join(s.names, ", ")
			if name := s.meant(key.text); name != "" {
				suggestion = fmt.Sprintf("did you mean %q?", name)
				if key.text == "-"+name {
					suggestion = fmt.Sprintf("put a blank behind the hyphen: %q", "- "+name)
				}
				r.meant |= 1 << s.index[name]
			}
			d.add(Error, key.line, key.col, "unknown-field", fmt.Sprintf("%s has an unknown field %s", s.what, echo(key.text)), suggestion)
		case r.found[f] != nil && second:
			// It is the other review's.
		case r.found[f] != nil && s == reviewSchema && f == reviewID && !d.strict:
			second = true
			suggestion := "if a second review begins here, write --- on a line of its own before it"
			if n.col > 1 {
				suggestion = fmt.Sprintf("if a second review begins here, write it with a hyphen: %q", "- id: "+e.value.text)
			}
			d.add(Error, key.line, key.col, "duplicate-field", fmt.Sprintf("id stands here a second time (the first is in line %d)", r.found[f].key.line), suggestion)
		case r.found[f] != nil:
			d.add(Error, key.line, key.col, "duplicate-field", fmt.Sprintf("%s stands here a second time", r.name(f)),
				fmt.Sprintf("the first is in line %d; keep one of them", r.found[f].key.line))
		default:
			r.found[f] = e
		}
	}
	return r, true
}

// describe says what a value is, for messages about what it should be.
func (n *node) describe() string {
	switch n.kind {
	case null:
		return "empty"
	case text, cell:
		return "the text " + echo(n.text)
	case number, date, boolean:
		return echoPlain(n.text)
	}
	return n.kind.String()
}

// echoPlain repeats a value that was written without quotes.
func echoPlain(s string) string {
	quoted := echo(s)
	if quoted == `"`+s+`"` {
		return s
	}
	return quoted
}

func (r *record) name(f int) string { return r.schema.prefix + r.schema.names[f] }

// value is the field's value, nil when it is absent. null is absent too.
func (r *record) value(f int) *node {
	if e := r.found[f]; e != nil && e.value.kind != null {
		return &e.value
	}
	return nil
}

// required notes the fields that have to be there and aren't.
func (r *record) required(fields ...int) {
	for _, f := range fields {
		if r.value(f) != nil || r.absent[r.name(f)] || r.meant&(1<<f) != 0 {
			continue
		}
		line, col := r.node.line, r.node.col
		if e := r.found[f]; e != nil {
			line, col = e.value.line, e.value.col
			suggestion := "write it after the colon"
			if e.value.text != "" && e.value.text != "null" && e.value.text != "~" {
				suggestion = fmt.Sprintf("%s alone means nothing at all; if it is meant as text, put it in quotes", e.value.text)
			}
			if r.strict {
				suggestion = "give it a value"
			}
			r.add(Error, line, col, "missing-field", fmt.Sprintf("%s is required and is empty", r.name(f)), suggestion)
			continue
		}
		r.add(Error, line, col, "missing-field", fmt.Sprintf("%s has no %s", r.schema.what, r.schema.names[f]), "add "+r.name(f))
	}
}
