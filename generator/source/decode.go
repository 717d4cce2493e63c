package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// decoder decodes the nodes of a file, field by field, and reports everything that is wrong. It never stops at the
// first problem.
type decoder struct {
	*diagnostic.List
	// strict refuses a number where text belongs, as JSON does. In YAML it is text that looks like a number.
	strict bool
	// absent are required columns that a CSV file does not have. They are reported at the header, once.
	absent map[string]bool
	// days are the words for days in the language of the opening hours.
	days calendar
}

// fail reports an Error at a node. It returns false, for what a caller has of it.
func (d *decoder) fail(n *syntax.Node, code, message, suggestion string) bool {
	d.Add(diagnostic.Error, n.Line, n.Col, code, message, suggestion)
	return false
}

// schema is a set of fields, in the order in which they are documented.
type schema struct {
	what   string // "the review", for messages
	prefix string // "owner_reply.", before the fields' names in messages
	names  []string
	index  map[string]int
	also   map[string]string // other words that editors use, and the fields they mean
	// without are words for fields that editors add and it doesn't have, and what to do instead.
	without map[string]string
	// example is how to write a value that was written as a text: %t is the text, %i an id made of it.
	example string
}

// newSchema makes a schema of names, separated by spaces.
func newSchema(what, prefix, example, names string) *schema {
	s := &schema{what: what, prefix: prefix, example: example, names: strings.Fields(names), index: map[string]int{}, also: meanings(what), without: meanings("not in " + what)}
	for i, name := range s.names {
		s.index[name] = i
	}
	schemas = append(schemas, s)
	return s
}

var schemas []*schema

// schemaOf returns the schema of a table ("review", "owner_reply", "geo"); one without fields for an unknown table.
func schemaOf(table string) *schema {
	for _, s := range schemas {
		if strings.TrimPrefix(s.what, "the ") == table {
			return s
		}
	}
	return &schema{}
}

// Fields returns the names of the fields of a table ("review", "owner_reply", "geo"), in the documented order; nil for
// an unknown table.
func Fields(table string) []string { return slices.Clone(schemaOf(table).names) }

// isField reports whether any file of the folder has a field of this name.
func isField(name string) bool {
	return slices.ContainsFunc(schemas, func(s *schema) bool { _, ok := s.index[name]; return ok })
}

// group returns the schema of a field that is a group of fields; nil for none.
func (s *schema) group(name string) *schema {
	i := slices.IndexFunc(schemas, func(g *schema) bool { return g.prefix == name+"." })
	if i < 0 || schemas[i] == authorSchema && s != siteSchema {
		return nil // the author of a review is a text
	}
	return schemas[i]
}

// fieldNames helps to explain syntax errors.
var fieldNames = syntax.Fields{Is: isField, Within: func(name, field string) bool {
	return slices.ContainsFunc(schemas, func(s *schema) bool { return s.prefix == name+"." && slices.Contains(s.names, field) })
}}

// maxFields is the number of fields of the largest schema, at least.
const maxFields = 18

// fields are the fields of a mapping by their index in the schema.
type fields struct {
	*decoder
	schema *schema
	node   *syntax.Node
	found  [maxFields]*syntax.Entry
	// meant has a bit for each field that an unknown one was probably meant to be. That it is missing is the same mistake
	// and is not reported.
	meant uint32
}

// wrongType reports a value that should have fields.
func (d *decoder) wrongType(n *syntax.Node, s *schema) bool {
	suggestion := "the fields are " + strings.Join(s.names, ", ")
	switch first := syntax.MissingSpace(n.Text, isField); {
	case n.Kind == syntax.Text && first != "":
		suggestion = "put a space after each colon: " + first
	case s.prefix != "" && n.Kind == syntax.Text && diagnostic.Nothing(n.Text):
		suggestion = "delete this line"
	case n.Kind == syntax.Text && forms("equalSign").MatchString(n.Text):
		m := forms("equalSign").FindStringSubmatch(n.Text)
		suggestion = fmt.Sprintf("write a colon and a space in place of each %s, as in %s: %s", cmp.Or(strings.TrimSpace(m[2]), "tab"), m[1], syntax.FirstWord(n.Text[len(m[0]):]))
	case s == reviewSchema && n.Kind == syntax.Text && !d.strict:
		suggestion = fmt.Sprintf("write a line for each field, id, author, rating and date, and below them the customer's words: text: %s", diagnostic.Quote(n.Text))
	case d.strict && s == replySchema && n.Kind == syntax.Text:
		suggestion = fmt.Sprintf(`write "owner_reply":{"text":%q,"date":"YYYY-MM-DD"}, with the day of the reply in place of YYYY-MM-DD`, n.Text)
	case d.strict && n.Kind == syntax.List:
		suggestion = "write one review per line, without [ and ]; or name the file .yaml, which may hold JSON"
	case n.Kind == syntax.List && len(n.Items) > 0 && len(n.Items[0].Entries) > 0:
		suggestion = "there is only one: write a space in place of each hyphen"
		if len(n.Items) > 1 && n.Items[1].Has(n.Items[0].Entries[0].Key.Text) {
			suggestion += diagnostic.Pick(s == replySchema, ", and the texts of all into one, with the last date", ", and keep one of them")
		}
	case (n.Kind != syntax.List || s == verificationSchema) && !d.strict && s.example != "":
		suggestion = "write " + cmp.Or(strings.Replace(s.prefix, ".", ": ", 1), "in place of these words: ") + s.hint(n)
	}
	return d.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", s.what, n.Describe()), suggestion)
}

// fields finds the fields of n and reports unknown and duplicate ones. ok is false if n is not a mapping.
func (d *decoder) fields(n *syntax.Node, s *schema) (r fields, ok bool) {
	r = fields{decoder: d, schema: s, node: n}
	if n.Kind != syntax.Mapping {
		return r, n.Kind != syntax.Refused && d.wrongType(n, s)
	}
	if lists := func(e syntax.Entry) bool { return e.Value.Kind == syntax.List && !isField(e.Key.Text) }; s == reviewSchema && len(n.Entries) > 0 && len(slices.DeleteFunc(slices.Clone(n.Entries), lists)) == 0 {
		return r, d.fail(n, "wrong-type", fmt.Sprintf("the reviews are below a field %s", diagnostic.Quote(n.Entries[0].Key.Text)), "delete its line and begin with the hyphens; a heading of your own, here and below, is a note: # "+n.Entries[0].Key.Text)
	}
	if e := n.Entries; len(e) == 1 && strings.HasPrefix(s.example, "{id: %i") && e[0].Value.Kind == syntax.Text && s.meant(e[0].Key.Text) == "" {
		return r, d.fail(n, "wrong-type", fmt.Sprintf("%s is only %s", s.what, diagnostic.Quote(e[0].Key.Text+": "+e[0].Value.Text)), "write "+s.written(e[0].Key.Text))
	}
	if s == reviewSchema && !d.Full() && len(n.Entries) > 0 && !slices.ContainsFunc(n.Entries, func(e syntax.Entry) bool {
		return (isField(e.Key.Text) || s.meant(e.Key.Text) != "") && !e.Value.Has("rating")
	}) {
		remedy := "write a line for each field: id, author, rating, date, and the customer's words as text"
		if first := &n.Entries[0]; first.Value.Kind == syntax.Mapping && len(first.Value.Entries) > 0 {
			e := &first.Value.Entries[0]
			remedy = fmt.Sprintf("delete the lines such as %s: and put a hyphen before the first field of each review: - %s: %s", first.Key.Text, e.Key.Text, e.Value.Text)
		}
		return r, d.fail(n, "wrong-type", "this is not a review: none of its fields is known", remedy)
	}
	if i := slices.IndexFunc(strange, func(row []string) bool { return n.Has(row[0]) && n.Has(row[1]) }); s == reviewSchema && i >= 0 {
		return r, d.fail(n, "wrong-type", strange[i][2], strange[i][3])
	}
	if s == faqSchema && n.Has("author") && n.Has("rating") {
		return r, d.fail(n, "unknown-field", "a whole review stands here", "move it, with its hyphen, to the end of a file in the folder reviews")
	}
	second := false // another review begins
	entries := d.outdented(n, s)
	for i := range entries {
		e := &entries[i]
		key := &e.Key
		if plain, odd := syntax.PlainSpaces(key.Text); odd != 0 && slices.Contains(s.names, strings.TrimSpace(plain)) {
			key.Text = strings.TrimSpace(plain)
			d.fail(key, "unknown-field", fmt.Sprintf("there is %s in the name of the field %s", syntax.NameOdd(odd), key.Text), "type the name again, and the colon behind it: "+key.Text+":")
		}
		f, known := s.index[key.Text]
		switch {
		case (!known || r.found[f] != nil) && d.Full():
			d.Drop(1, diagnostic.Error) // looking for what was meant is slow
		case !known:
			suggestion, meant := s.explainUnknown(n, e, d.strict)
			if i > 0 && !d.strict {
				suggestion = partOf(entries, i, suggestion, meant)
			}
			if suggestion == "" {
				continue // it is reported with the one before
			}
			if i, ok := s.index[meant]; ok {
				r.meant |= 1 << i
			}
			d.fail(key, "unknown-field", fmt.Sprintf("%s has an unknown field %s", s.what, diagnostic.Quote(key.Text)), suggestion)
		case r.found[f] != nil && second:
			// It is the other review's.
		case r.found[f] != nil:
			var remedy string
			remedy, second = r.second(entries, i)
			d.fail(key, "duplicate-field", "there is a second "+s.prefix+key.Text+"; the first is "+above(key, &r.found[f].Key), remedy)
		default:
			r.found[f] = e
		}
	}
	return r, true
}

// partOf returns the suggestion for an unknown field, if it may be a part of the value before it; "" if that one's tells it.
func partOf(entries []syntax.Entry, i int, suggestion, meant string) string {
	before, e := &entries[i-1], &entries[i]
	name := before.Key.Text
	switch divided := e.Value.Kind == syntax.Null && e.Value.Text == "" && e.Key.Line == before.Key.Line && meant == ""; {
	case divided && before.Value.Kind == syntax.Null:
		return ""
	case divided:
		words := before.Value.Text
		for ; i < len(entries) && entries[i].Value.Kind == syntax.Null; i++ {
			words += ", " + entries[i].Key.Text
		}
		return fmt.Sprintf("a comma in braces begins another field; if it belongs to what is before it, write %s: %q", name, words)
	case before.Value.Kind == syntax.Text && slices.Contains(prose, name) && unicode.IsUpper([]rune(e.Key.Text + ".")[0]) && (e.Value.Kind == syntax.Text || meant == ""):
		return fmt.Sprintf("if it belongs to the %s above, write two more spaces before it, as before the other lines of that; %[1]s: has a | at its end there, and all words below it", name)
	}
	return suggestion
}

// inner finds the fields of a field that is a group. ok is false if it is absent or wrong.
func (r *fields) inner(name string, s *schema) (g fields, ok bool) {
	if n := r.value(name); n != nil {
		return r.fields(n, s)
	}
	return g, false
}

// above returns where the first of two fields is, relative to the second. The lines in the file are not known here,
// since a record may move.
func above(second, first *syntax.Node) string {
	lines := second.Line - first.Line
	return cmp.Or(map[int]string{0: "on the same line", 1: "on the line above"}[lines], fmt.Sprintf("%d lines above", lines))
}

// name returns a field's name for messages.
func (r *fields) name(f string) string { return r.schema.prefix + f }

// value returns the field's value; nil if it is absent, null or already reported.
func (r *fields) value(f string) *syntax.Node {
	if e := r.found[r.schema.index[f]]; e != nil && e.Value.Kind != syntax.Null && e.Value.Kind != syntax.Refused {
		return &e.Value
	}
	return nil
}

// warn reports a Warning at a field's value, or at the mapping if it has none.
func (r *fields) warn(f, code, message, suggestion string) {
	at := r.placeOf(f)
	r.Add(diagnostic.Warning, int(at.Line), int(at.Col), code, message, suggestion)
}

// placeOf returns the place of a field's value, or of the mapping if it has none.
func (r *fields) placeOf(f string) place { return placeOf(cmp.Or(r.value(f), r.node)) }

var (
	examples = meanings("examples")                                 // values of required fields
	empty    = meanings("empty fields")                             // what to do with such a field without one
	strange  = diagnostic.Rows(wordsFile, "reviews in other forms") // by two of their fields
)

// required reports the given fields if they are missing.
func (r *fields) required(names ...string) {
	for _, f := range names {
		i := r.schema.index[f]
		e := r.found[i]
		switch {
		case e != nil && e.Value.Kind != syntax.Null, r.absent[r.name(f)], r.meant&(1<<i) != 0:
		case e != nil:
			suggestion := cmp.Or(empty[f], "write it after the colon; a value that begins with # needs quotes")
			if e.Value.Text != "" && !r.strict {
				suggestion = fmt.Sprintf("%s alone means no value; put it in quotes if it is text", e.Value.Text)
			}
			r.fail(&e.Value, "missing-field", r.name(f)+" is required but empty", suggestion)
		default:
			suggestion := "add " + r.name(f)
			own := ""
			if i := slices.IndexFunc(r.schema.names, func(name string) bool { return name == "name" || name == "label" }); i >= 0 && f == "id" && r.found[i] != nil {
				own = strings.ToLower(fixID(r.found[i].Value.Text))
			}
			if example := cmp.Or(own, examples[diagnostic.Squash(r.schema.what+" "+f)], examples[f]); example != "" && !r.strict && r.absent == nil {
				suggestion += fmt.Sprintf(", such as %s: %s", f, example)
			}
			r.fail(r.node, "missing-field", fmt.Sprintf("%s has no %s", r.schema.what, f), suggestion)
		}
	}
}

// twice reports an id that an entry before had. It keeps the line of the first.
func (d *decoder) twice(seen map[string]int32, id string, at place, message string) {
	key := strings.ToLower(id)
	if line, again := seen[key]; again && id != "" {
		d.Add(diagnostic.Error, int(at.Line), int(at.Col), "duplicate-id", fmt.Sprintf(message, diagnostic.Quote(id)),
			fmt.Sprintf("the first is on line %d; keep one of them, or give each its own id; upper and lower case are the same", line))
	} else {
		seen[key] = at.Line
	}
}
