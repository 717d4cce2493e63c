package source

import (
	"fmt"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// decoder decodes the nodes of a file, field by field, and reports everything that is
// wrong. It never stops at the first problem.
type decoder struct {
	*diagnostic.List
	locate syntax.Locator // nil: the place of the node
	// strict refuses a number where text belongs, as JSON does. In YAML it is
	// text that looks like a number.
	strict bool
	// absent are required columns that a CSV file does not have. They are
	// reported at the header, once.
	absent map[string]bool
	// tag and canonical are the last language: most files have only one.
	tag, canonical string
	// words holds one copy of frequent values: sources, methods, ids of
	// technicians.
	words map[string]string
}

// newDecoder returns a decoder that reports to p.
func newDecoder(p *diagnostic.List) *decoder {
	return &decoder{List: p, words: make(map[string]string)}
}

// place returns the place of the byte at offset in a node's text.
func (d *decoder) place(n *syntax.Node, offset int) (line, col int) {
	if d.locate == nil {
		return n.Line, n.Col
	}
	return d.locate(n, offset)
}

// maxWords stops a file of a million different sources from being kept in memory.
const maxWords = 1000

// word returns the copy of s that the decoder keeps.
func (d *decoder) word(s string) string {
	if w, ok := d.words[s]; ok {
		return w
	}
	if len(d.words) < maxWords {
		d.words[s] = s
	}
	return s
}

// schema is a set of fields, in the order in which they are documented.
type schema struct {
	what   string // "the review", for messages
	prefix string // "owner_reply.", before the fields' names in messages
	names  []string
	index  map[string]int
	// also maps other words that editors use to the names of fields.
	also map[string]string
}

func newSchema(what, prefix string, names ...string) *schema {
	s := &schema{what: what, prefix: prefix, names: names, index: make(map[string]int, len(names))}
	for i, name := range names {
		s.index[name] = i
	}
	schemas = append(schemas, s)
	return s
}

// qualified returns the names with the prefix.
func (s *schema) qualified() []string {
	names := make([]string, len(s.names))
	for i, name := range s.names {
		names[i] = s.prefix + name
	}
	return names
}

// schemas are all schemas.
var schemas []*schema

// Fields returns the names of the fields of a table ("review", "owner_reply", "geo"),
// in the documented order; nil for an unknown table.
func Fields(table string) []string {
	for _, s := range schemas {
		if strings.TrimPrefix(s.what, "the ") == table {
			return slices.Clone(s.names)
		}
	}
	return nil
}

// isField reports whether any file of the folder has a field of this name.
func isField(name string) bool {
	return slices.ContainsFunc(schemas, func(s *schema) bool { _, ok := s.index[name]; return ok })
}

// fieldNames helps to explain syntax errors.
var fieldNames = syntax.Fields{Is: isField, Within: func(group, name string) bool {
	return slices.ContainsFunc(schemas, func(s *schema) bool { _, ok := s.index[name]; return ok && s.prefix == group+"." })
}}

// meant returns the field that an unknown word probably stands for; "" for none.
func (s *schema) meant(word string) string {
	if name, ok := s.also[diagnostic.Squash(word)]; ok {
		return name
	}
	return diagnostic.Nearest(word, s.names)
}

// maxFields is the number of fields of the largest schema, at least.
const maxFields = 18

// fields are the fields of a mapping by their index in the schema.
type fields struct {
	*decoder
	schema *schema
	node   *syntax.Node
	found  [maxFields]*syntax.Entry
	// meant has a bit for each field that an unknown one was probably meant to
	// be. That it is missing is the same mistake and is not reported.
	meant uint32
}

// fields finds the fields of n and reports unknown and duplicate ones. ok is false if
// n is not a mapping.
func (d *decoder) fields(n *syntax.Node, s *schema) (r fields, ok bool) {
	r = fields{decoder: d, schema: s, node: n}
	if n.Kind == syntax.Refused {
		return r, false
	}
	if n.Kind != syntax.Mapping {
		suggestion := "the fields are " + strings.Join(s.names, ", ")
		if first := syntax.MissingSpace(n.Text, isField); n.Kind == syntax.Text && first != "" {
			suggestion = "put a space after each colon: " + first
		}
		d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", s.what, n.Describe()), suggestion)
		return r, false
	}
	second := false // another review begins
	for i := range n.Entries {
		e := &n.Entries[i]
		key := &e.Key
		f, known := s.index[key.Text]
		switch {
		case (!known || r.found[f] != nil) && d.Full():
			d.Drop(1, diagnostic.Error) // looking for what was meant is slow
		case !known:
			suggestion := "the fields are " + strings.Join(s.names, ", ")
			if name := s.meant(key.Text); name != "" {
				suggestion = fmt.Sprintf("did you mean %q?", name)
				if key.Text == "-"+name {
					suggestion = fmt.Sprintf("put a space after the hyphen: %q", "- "+name)
				}
				r.meant |= 1 << s.index[name]
			}
			d.Add(diagnostic.Error, key.Line, key.Col, "unknown-field", fmt.Sprintf("%s has an unknown field %s", s.what, diagnostic.Quote(key.Text)), suggestion)
		case r.found[f] != nil && second:
			// It is the other review's.
		case r.found[f] != nil && s == reviewSchema && f == reviewID && !d.strict:
			second = true
			suggestion := "if a second review begins here, write --- on a line of its own before it"
			if n.Col > 1 {
				suggestion = fmt.Sprintf("if a second review begins here, write it with a hyphen: %q", "- id: "+e.Value.Text)
			}
			d.Add(diagnostic.Error, key.Line, key.Col, "duplicate-field", "duplicate field id; the first is "+above(key, &r.found[f].Key), suggestion)
		case r.found[f] != nil:
			d.Add(diagnostic.Error, key.Line, key.Col, "duplicate-field", fmt.Sprintf("duplicate field %s", r.name(f)),
				"the first is "+above(key, &r.found[f].Key)+"; keep one of them")
		default:
			r.found[f] = e
		}
	}
	return r, true
}

// above returns where the first of two fields is, relative to the second. The lines
// in the file are not known here, since a record may move.
func above(second, first *syntax.Node) string {
	switch lines := second.Line - first.Line; lines {
	case 0:
		return "on the same line"
	case 1:
		return "on the line above"
	default:
		return fmt.Sprintf("%d lines above", lines)
	}
}

func (r *fields) name(f int) string { return r.schema.prefix + r.schema.names[f] }

// value returns the field's value; nil if it is absent or null.
func (r *fields) value(f int) *syntax.Node {
	if e := r.found[f]; e != nil && e.Value.Kind != syntax.Null {
		return &e.Value
	}
	return nil
}

// required reports the given fields if they are missing.
func (r *fields) required(fields ...int) {
	for _, f := range fields {
		if r.value(f) != nil || r.absent[r.name(f)] || r.meant&(1<<f) != 0 {
			continue
		}
		line, col := r.node.Line, r.node.Col
		if e := r.found[f]; e != nil {
			line, col = e.Value.Line, e.Value.Col
			suggestion := "write it after the colon"
			if e.Value.Text != "" && e.Value.Text != "null" && e.Value.Text != "~" {
				suggestion = fmt.Sprintf("%s alone means no value; put it in quotes if it is text", e.Value.Text)
			}
			if r.strict {
				suggestion = "give it a value"
			}
			r.Add(diagnostic.Error, line, col, "missing-field", fmt.Sprintf("%s is required but empty", r.name(f)), suggestion)
			continue
		}
		r.Add(diagnostic.Error, line, col, "missing-field", fmt.Sprintf("%s has no %s", r.schema.what, r.schema.names[f]), "add "+r.name(f))
	}
}
