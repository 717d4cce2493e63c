package source

import (
	"fmt"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// decoder walks the trees of one file, field by field, and notes everything that
// is wrong: it never stops at the first problem.
type decoder struct {
	*diagnostic.List
	locate syntax.Locator
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

func newDecoder(p *diagnostic.List, at syntax.Locator) *decoder {
	if at == nil {
		at = func(n *syntax.Node, _ int) (int, int) { return n.Line, n.Col }
	}
	return &decoder{List: p, locate: at, words: make(map[string]string)}
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

// qualified are the names with the prefix.
func (s *schema) qualified() []string {
	names := make([]string, len(s.names))
	for i, name := range s.names {
		names[i] = s.prefix + name
	}
	return names
}

// isField reports whether any file of the folder has a field of this name.
func isField(name string) bool {
	return slices.ContainsFunc(allSchemas(), func(s *schema) bool { _, ok := s.index[name]; return ok })
}

func allSchemas() []*schema {
	return append([]*schema{reviewSchema, replySchema, verificationSchema, businessSchema, addressSchema, geoSchema, siteSchema, authorSchema, policiesSchema,
		vocabularySchema, aspectSchema, problemSchema, quoteSchema, faqSchema, topicsSchema, claimSchema, withdrawnSchema}, namedSchemas[:]...)
}

// meant is the field that an unknown word probably stands for; "" for none.
func (s *schema) meant(word string) string {
	if name, ok := s.also[diagnostic.Squash(word)]; ok {
		return name
	}
	return diagnostic.Nearest(word, s.names)
}

// maxFields is at least the number of fields of the largest schema.
const maxFields = 18

// record is a mapping whose fields were found by name.
type record struct {
	*decoder
	schema *schema
	node   *syntax.Node
	found  [maxFields]*syntax.Entry
	// meant has a bit for each field that an unknown one was probably meant to be:
	// that it is missing is the same mistake.
	meant uint32
}

// record looks the fields of n up and notes the unknown and the repeated ones. ok
// is false when n is no mapping at all.
func (d *decoder) record(n *syntax.Node, s *schema) (r record, ok bool) {
	r = record{decoder: d, schema: s, node: n}
	if n.Kind == syntax.Refused {
		return r, false
	}
	if n.Kind != syntax.Mapping {
		suggestion := "the fields are " + strings.Join(s.names, ", ")
		if first := syntax.MissingSpace(n.Text, isField); n.Kind == syntax.Text && first != "" {
			suggestion = "put a blank behind each colon: " + first
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
					suggestion = fmt.Sprintf("put a blank behind the hyphen: %q", "- "+name)
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
			d.Add(diagnostic.Error, key.Line, key.Col, "duplicate-field", fmt.Sprintf("id stands here a second time (the first is in line %d)", r.found[f].Key.Line), suggestion)
		case r.found[f] != nil:
			d.Add(diagnostic.Error, key.Line, key.Col, "duplicate-field", fmt.Sprintf("%s stands here a second time", r.name(f)),
				fmt.Sprintf("the first is in line %d; keep one of them", r.found[f].Key.Line))
		default:
			r.found[f] = e
		}
	}
	return r, true
}

func (r *record) name(f int) string { return r.schema.prefix + r.schema.names[f] }

// value is the field's value, nil when it is absent. null is absent too.
func (r *record) value(f int) *syntax.Node {
	if e := r.found[f]; e != nil && e.Value.Kind != syntax.Null {
		return &e.Value
	}
	return nil
}

// required notes the fields that have to be there and aren't.
func (r *record) required(fields ...int) {
	for _, f := range fields {
		if r.value(f) != nil || r.absent[r.name(f)] || r.meant&(1<<f) != 0 {
			continue
		}
		line, col := r.node.Line, r.node.Col
		if e := r.found[f]; e != nil {
			line, col = e.Value.Line, e.Value.Col
			suggestion := "write it after the colon"
			if e.Value.Text != "" && e.Value.Text != "null" && e.Value.Text != "~" {
				suggestion = fmt.Sprintf("%s alone means nothing at all; if it is meant as text, put it in quotes", e.Value.Text)
			}
			if r.strict {
				suggestion = "give it a value"
			}
			r.Add(diagnostic.Error, line, col, "missing-field", fmt.Sprintf("%s is required and is empty", r.name(f)), suggestion)
			continue
		}
		r.Add(diagnostic.Error, line, col, "missing-field", fmt.Sprintf("%s has no %s", r.schema.what, r.schema.names[f]), "add "+r.name(f))
	}
}
