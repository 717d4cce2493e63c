package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// What to write in place of fields and values that are wrong.

// written returns how a text should have been written.
func (s *schema) written(text string) string {
	if s == aspectSchema && slices.Contains(ShippedAspects, fixID(text)) {
		return fmt.Sprintf("{id: %[1]s, label: %[2]q, extends: %[1]s}", fixID(text), strings.ReplaceAll(fixID(text), "_", " "))
	}
	if s == quoteSchema && reviewcast.ValidID(text) {
		return fmt.Sprintf("{review_id: %s, text: …}, with words of that review in place of …", text)
	}
	if question, answer, ok := strings.Cut(text, "? "); ok && s == faqSchema {
		return fmt.Sprintf("{question: %q, answer: %q}", question+"?", strings.TrimLeft(answer, "-–— "))
	}
	quoted := diagnostic.Pick(len(text) <= diagnostic.MaxPasted, strconv.Quote(text), diagnostic.Quote(text))
	return strings.NewReplacer("%t", quoted, "%i", strings.ToLower(fixID(text))).Replace(s.example)
}

// meant returns the field that an unknown word probably stands for; "" for none.
func (s *schema) meant(word string) string {
	if name, ok := s.also[diagnostic.Squash(word)]; ok {
		return name
	}
	for _, keyboard := range keyboards {
		if name := strings.NewReplacer(keyboard...).Replace(strings.ToLower(word)); slices.Contains(s.names, name) {
			return name
		}
	}
	return diagnostic.Nearest(word, s.names)
}

// keyboards have the letters of other scripts, and those of the same keys: date is δατε on a Greek one.
var keyboards = diagnostic.Rows(wordsFile, "keyboards")

// prose are the fields that hold sentences.
var prose = []string{"title", "text", "description", "answer", "quote"}

// explainUnknown returns what to do with an unknown field, and the field that it was meant to be.
func (s *schema) explainUnknown(n *syntax.Node, e *syntax.Entry, strict bool) (suggestion, meant string) {
	key := e.Key.Text
	if plain, odd := syntax.PlainSpaces(key); odd != 0 && isField(strings.TrimSpace(plain)) {
		return fmt.Sprintf("there is %s in it; write it with plain spaces: %s:", syntax.NameOdd(odd), plain), strings.TrimSpace(plain)
	}
	switch {
	case s == verificationSchema && e.Value.Kind == syntax.Null && slices.Contains(reviewcast.VerificationMethods, key) && (n.Has("method") || n.Entries[0].Key.Text != key):
		return "delete it: one method is enough", "method"
	case s == verificationSchema && slices.Contains(reviewcast.VerificationMethods, key) && !n.Has("method"):
		number := diagnostic.When(forms("referenceForm").MatchString(e.Value.Text), fmt.Sprintf(", and on a line of its own below it reference: %q", e.Value.Text))
		return "write method: " + key + number, "method"
	case s.without[strings.ToLower(key)] != "":
		return s.without[strings.ToLower(key)], ""
	case s == withdrawnSchema && !n.Has("id") && slices.Contains([]string{"author", "name", "customer"}, key):
		return "write in place of this line: id: and the id of the review, as it stands behind id: in its file", "id"
	case s == withdrawnSchema && (isField(key) || diagnostic.Squash(key) == "note" || diagnostic.Squash(key) == "comment") && s.also[key] == "":
		return "delete it: nothing of a withdrawn review is kept but its id; a note of your own begins with #", ""
	case s == faqSchema && strings.HasSuffix(key, "?"):
		return fmt.Sprintf("write question: before it, and the answer on a line of its own below it: answer: %s", e.Value.Text), "question"
	case s == faqSchema && len(n.Entries) == 1 && s.meant(key) == "":
		return "delete it; a heading of your own is a note: # " + e.Value.Text, ""
	case slices.Contains([]string{"note", "notes", "comment", "remark"}, diagnostic.Squash(key)) && (s.also[diagnostic.Squash(key)] == "" || key == "note" && diagnostic.MeantRating(e.Value.Text) == ""):
		return "a note of your own is a line that begins with #; write: # " + e.Value.Text, ""
	}
	if suggestion, meant := s.inGroup(n, e); suggestion != "" {
		return suggestion, meant
	}
	if i := strings.IndexAny(key, ": "); i > 0 && e.Value.Kind == syntax.Null && slices.Contains(s.names, key[:i]) {
		return fmt.Sprintf("put a colon and a space after the name: %s: %s", key[:i], strings.TrimLeft(key[i:], ": ")), key[:i]
	}
	if meant = s.meant(key); meant == "" && s == reviewSchema && e.Value.Has("text") && e.Value.Has("date") {
		meant = "owner_reply"
	}
	if meant == "" || key == "links" && e.Value.Kind == syntax.Mapping {
		for _, other := range []*schema{businessSchema, siteSchema, vocabularySchema} {
			if _, known := other.index[key]; known && other != s && (s == siteSchema || s == businessSchema || s == vocabularySchema) {
				return "delete it, and write it where it belongs, if it is not there yet: in " + map[*schema]string{businessSchema: BusinessFile, siteSchema: SiteFile, vocabularySchema: InsightsFile}[other], ""
			}
		}
		if (s == replySchema || s == verificationSchema) && slices.Contains(reviewSchema.names[4:], key) {
			below := diagnostic.When(e.Value.Line > e.Key.Line, ", and what is below it,")
			return fmt.Sprintf("it belongs to the review: write it%s two spaces further left; %s has %s", below, s.what, diagnostic.Join(s.names, "and")), ""
		}
		return "delete it if it is none of these fields: " + strings.Join(s.names, ", "), ""
	}
	v := &e.Value
	switch g := s.group(meant); {
	case v.Kind == syntax.Text && diagnostic.Nothing(v.Text):
		return "delete this line", meant
	case key == "-"+meant:
		return fmt.Sprintf("put a space after the hyphen: %q", "- "+meant), meant
	case strict || v.Kind >= syntax.List || v.Kind == syntax.Null:
	case g != nil && s.prefix == "":
		return "write " + meant + ": " + g.hint(v), meant
	case slices.ContainsFunc(refLists[:], func(l refList) bool { return l.name == meant }) && s == reviewSchema || meant == "aliases":
		return fmt.Sprintf("write %s: [%s]", meant, v.Text), meant
	case strings.Contains(v.Text, ": ") && len(v.Text) <= diagnostic.MaxPasted: // it needs quotes, which is one message then
		return fmt.Sprintf("write %s: %q", meant, v.Text), meant
	}
	return fmt.Sprintf("did you mean %q?", meant), meant
}

// inGroup returns what to do with a field that belongs to a group; "" for another one.
func (s *schema) inGroup(n *syntax.Node, e *syntax.Entry) (suggestion, meant string) {
	key := e.Key.Text
	for _, name := range s.names {
		if g := s.group(name); g != nil && slices.Contains(g.names, key) && s.also[key] == "" {
			var values []string
			for _, other := range n.Entries {
				if slices.Contains(g.names, other.Key.Text) {
					values = append(values, other.Key.Text+": "+other.Value.Text)
				}
			}
			switch {
			case n.Has(name) || s != siteSchema && s != reviewSchema:
			case !strings.HasPrefix(values[0], key+":"):
				return "delete this line when it stands in the field " + name, name
			default:
				return fmt.Sprintf("write in place of this line: %s: {%s}", name, strings.Join(values, ", ")), name
			}
			return fmt.Sprintf("move it into %s: below that line, two spaces further in, or between its braces, after a comma: %s: %s", name, key, e.Value.Text), ""
		}
	}
	return "", ""
}

// hint returns how a single value of a group should have been written.
func (s *schema) hint(v *syntax.Node) string {
	if name, value, ok := strings.Cut(v.Text, ": "); ok && slices.Contains(s.names, name) {
		v = &syntax.Node{Kind: syntax.Text, Text: value}
	}
	if s == verificationSchema {
		number := forms("referenceForm").FindString(v.Text)
		platform := diagnostic.IsPlatform(strings.TrimSuffix(v.Text, number)) // Booking, not a booking
		method := diagnostic.Pick(platform, "platform", append(methods(v), "METHOD")[0])
		proof := diagnostic.Pick(reviewcast.Date(number).Valid(), ", verified_on: "+number, fmt.Sprintf(", reference: %q", number))
		write := "{method: " + method + diagnostic.When(number != "", proof) + "}"
		if strings.EqualFold(strings.Trim(strings.TrimSuffix(v.Text, number), ` "“”„'`), method) {
			return write
		}
		return write + diagnostic.Pick(method == "METHOD", ", with one of these words in place of METHOD: ", "; the method is ") + MethodsExplained
	}
	if at := forms("coordinates").FindAllStringSubmatch(v.Text, -1); s == geoSchema && len(at) == 2 {
		minus := map[string]string{"S": "-", "W": "-"}
		return fmt.Sprintf("{latitude: %s, longitude: %s}", minus[at[0][2]]+at[0][1], minus[at[1][2]]+at[1][1])
	}
	if mail := forms("emailForm").FindString(v.Text); mail != "" && s == authorSchema {
		name, _, _ := strings.Cut(v.Text, mail)
		return strings.Replace(fmt.Sprintf("{name: %q, email: %s}", strings.TrimRight(name, ", <("), mail), `name: "", `, "", 1)
	}
	for _, row := range addressForms {
		form := regexp.MustCompile(row[0])
		m, country := form.FindStringSubmatch(v.Text), row[2]
		if s != addressSchema || m == nil {
			continue
		}
		for i, name := range form.SubexpNames() {
			if code := countries[diagnostic.Squash(m[i])]; code != "" && name != "" { // the country or a region
				country = code + "}"
			}
		}
		return strings.Replace(form.ReplaceAllString(v.Text, row[1])+country, ` address_region: "",`, "", 1)
	}
	return s.written(v.Text)
}

// addressForms are the addresses on one line of words.txt.
var addressForms = diagnostic.Rows(wordsFile, "addresses on one line")

// separators are what people write between the items of a list.
var separators = strings.NewReplacer("(", "", ")", "", ";", ",", " / ", ",", " & ", ",", " - ", ",", " and ", ",", " und ", ",", " et ", ",", " e ", ",", " y ", ",", " en ", ",", "\n", ",", "•", ",", "–", ",", "—", ",", "·", ",")

// listOf returns how to write a list that was written in another way.
func (r *fields) listOf(f string, n *syntax.Node) string {
	item := schemaOf(strings.ReplaceAll(strings.TrimSuffix(f, "s"), "_", " ")) // of the groups of fields in it
	if item.names == nil || r.schema == reviewSchema {
		item = nil
	}
	switch {
	case n.Kind == syntax.Mapping && item != nil && len(n.Entries) > 0 && n.Entries[0].Value.Kind < syntax.List && item.index[n.Entries[0].Key.Text] == 0 && n.Entries[0].Key.Text != item.names[0]:
		e := n.Entries[0]
		return fmt.Sprintf("begin each with a hyphen: - {id: %s, name: %s}", e.Key.Text, e.Value.Text)
	case n.Kind == syntax.Mapping && item == nil && len(n.Entries) > 0 && (n.Entries[0].Value.Kind == syntax.Null || f == "same_as"): // {a, b}
		var values []string
		for _, e := range n.Entries {
			values = append(values, cmp.Or(e.Value.Text, e.Key.Text))
		}
		return fmt.Sprintf("write %s: [%s]", f, strings.Join(values, ", "))
	case n.Kind == syntax.Mapping && item != nil && len(n.Entries) > 0 && n.Entries[0].Key.Text == item.names[0]:
		return fmt.Sprintf("write a hyphen before the first field of each, and indent the others by two more spaces: - %s: %s", item.names[0], n.Entries[0].Value.Text)
	case n.Kind == syntax.Mapping && f == "hours" && len(n.Entries) > 0:
		return r.days.written(n, r.found[r.schema.index[f]].Key.Line)
	case n.Kind == syntax.Mapping && item != nil && len(n.Entries) > 0:
		return "begin each with a hyphen: - " + item.written(n.Entries[0].Key.Text)
	case n.Kind >= syntax.List:
		return "begin each item with a hyphen and a space"
	case strings.HasPrefix(n.Text, "-") && !r.strict:
		return "put a space after each hyphen: - " + syntax.FirstWord(n.Text[1:])
	}
	first, last := "", n.Text
	if i := strings.LastIndex(n.Text, ",") + 1; !strings.Contains(n.Text, ";") && (f == "positive" || f == "negative" || f == "terms") {
		first, last = n.Text[:i], n.Text[i:] // in phrases, "and" is a word but before the last
	}
	list, rest := strings.Split(first+separators.Replace(last), ","), ""
	if meant, remark := r.days.meant(n.Text); f == "hours" && len(meant) > 0 {
		list, rest = meant, remark
	}
	var words []string
	for _, word := range list {
		switch word = strings.Trim(word, ` []"`); {
		case word == "":
		case f == "hours":
			words = append(words, strconv.Quote(word))
		case f == "same_as" && word[0] == '@':
			words = append(words, "https://www.instagram.com/"+word[1:])
		case f == "same_as" && forms("hostForm").MatchString(word):
			words = append(words, "https://"+word)
		case item != nil:
			words = append(words, item.written(word))
		case r.strict || n.Kind == syntax.Text && strings.ContainsAny(word, `:#{}[]"'@%|>!?*`):
			words = append(words, strconv.Quote(word))
		default:
			words = append(words, word)
		}
	}
	return fmt.Sprintf("write %s[%s]%s", diagnostic.When(!r.strict, f+": "), strings.Join(words, ", "), rest)
}

// secondFields are what to do with fields that a review has twice.
var secondFields = meanings("second fields")

// second returns what to do with a field that stands there a second time, and whether what is below it belongs to it.
func (r *fields) second(entries []syntax.Entry, i int) (remedy string, further bool) {
	e, s := &entries[i], r.schema
	name, differs := e.Key.Text, e.Value.Text != r.found[s.index[e.Key.Text]].Value.Text
	switch reply := r.replied(e.Value.Text); {
	case e.Value.Kind == syntax.List:
		return "move its items into the first, and delete this one", false
	case r.strict:
	case s == reviewSchema && name == "text" && reply != "":
		return reply, true
	case s.index[name] == 0 && s.prefix == "" && r.node.Col > 1:
		return fmt.Sprintf("if a second %s begins here, write in place of the whole line: %s- %s: %s", strings.TrimPrefix(s.what, "the "), strings.Repeat(" ", max(0, r.node.Col-3)), name, e.Value.Text), true
	case s == reviewSchema && secondFields[name] != "" && (differs || name != "text"):
		return secondFields[name], name == "author" || name == "id"
	}
	return "keep one of them", false
}

// replied returns how to write a second text of a review that is the reply to it; "" if it doesn't seem to be one.
func (r *fields) replied(text string) string {
	author := cmp.Or(r.value("author"), &syntax.Node{}).Text
	called, _, _ := strings.Cut(author, " ")
	begin := strings.FieldsFunc(text[:min(len(text), 60)], func(c rune) bool { return strings.ContainsRune(" ,.!:;\n", c) })
	if !slices.Contains(begin, called) && !forms("reply").MatchString(text) {
		return ""
	}
	line := fmt.Sprintf("in place of text here: owner_reply: {text: %q, date: YYYY-MM-DD}", text)
	if len(line) > diagnostic.MaxPasted {
		line = "owner_reply: on a line of its own above text:, two more spaces before text: and each of its lines, and below them, as far to the right as text:, date: YYYY-MM-DD"
	}
	return "this reads like your reply; if it is, write " + line + ", with the day of the reply in place of YYYY-MM-DD; if both are the customer's, write text: | once, and all of the words on the lines below it, indented"
}

// Mistakes of indentation and of hyphens that are valid YAML. Each is one message: the fields are put where they
// belong, so that no other follows.

// outdented returns the fields of n, and those of a group that stand below its name or its other fields and are not
// indented as a part of the group. They are reported once.
func (d *decoder) outdented(n *syntax.Node, s *schema) []syntax.Entry {
	entries := n.Entries
	for i := 0; i < len(entries); i++ {
		e := &entries[i]
		if visible(&e.Key); !slices.Contains(prose, e.Key.Text) {
			visible(&e.Value)
		}
		begun := e.Value.Kind == syntax.Mapping && e.Value.Line > e.Key.Line
		if !begun && (e.Value.Kind != syntax.Null || e.Value.Text != "") || d.strict || s.group(e.Key.Text) == nil {
			continue
		}
		g, end, sure := s.group(e.Key.Text), i+1, false
		var names, values []string
		for ; end < len(entries) && slices.Contains(g.names, entries[end].Key.Text) && !slices.Contains(names, entries[end].Key.Text) && !e.Value.Has(entries[end].Key.Text); end++ {
			key, v := entries[end].Key.Text, &entries[end].Value
			second := slices.ContainsFunc(entries, func(o syntax.Entry) bool { return o.Key.Text == key && o.Key.Line != entries[end].Key.Line })
			sure = sure || !slices.Contains(s.names, key) || second
			names, values = append(names, key), append(values, key+": "+scalar(v))
		}
		if !sure {
			continue
		}
		remedy := "put two more spaces before each of them: " + strings.Join(names, ", ")
		if flow := fmt.Sprintf("%s: {%s}", e.Key.Text, strings.Join(values, ", ")); !begun && len(flow) <= diagnostic.MaxPasted && !strings.Contains(flow, ": }") {
			remedy += fmt.Sprintf("; or write in place of these %d lines: %s", len(names)+1, flow)
		}
		at, message := &e.Key, fmt.Sprintf("the fields of %s are not indented below it", e.Key.Text)
		if len(names) == 1 {
			at, message = &entries[end-1].Key, fmt.Sprintf("the %s of %s is not indented below it", names[0], e.Key.Text)
			remedy = fmt.Sprintf("write: %s%s", strings.Repeat(" ", at.Col+1), values[0])
		}
		d.fail(at, "unknown-field", message, remedy)
		group := syntax.Node{Kind: syntax.Mapping, Line: e.Key.Line, Col: e.Key.Col, Entries: slices.Concat(e.Value.Entries, entries[i+1:end])}
		entries = slices.Delete(slices.Clone(entries), i+1, end)
		entries[i].Value = group
	}
	return entries
}

func scalar(n *syntax.Node) string {
	if n.Kind == syntax.Text {
		return strconv.Quote(n.Text)
	}
	return n.Text
}

// continues reports whether an item is a field of the item above.
func (s *schema) continues(above, n *syntax.Node) bool {
	if above.Kind != syntax.Mapping || s == faqSchema && n.Kind == syntax.Text {
		return above.Kind == syntax.Mapping && !above.Has("answer")
	}
	if n.Kind != syntax.Mapping || len(n.Entries) == 0 || len(above.Entries) == 0 || n.Has(s.names[0]) || slices.ContainsFunc(n.Entries, func(e syntax.Entry) bool { return above.Has(e.Key.Text) }) {
		return false
	}
	key := n.Entries[0].Key.Text
	name := cmp.Or(s.also[diagnostic.Squash(key)], key)
	return name != s.names[0] && slices.Contains(s.names, name) && !above.Has(name) && (name == key || s == faqSchema && above.Entries[0].Key.Text != key)
}

// joined joins the items of a list that are fields of the item above, since each has a hyphen, and reports them once.
func joined(items []syntax.Node, s *schema, p *diagnostic.List) []syntax.Node {
	list, names, first := items[:min(1, len(items))], []string(nil), (*syntax.Node)(nil)
	for i := 1; i < len(items); i++ {
		above, n := &list[len(list)-1], items[i]
		if !s.continues(above, &n) {
			list = append(list, n) // in place
			continue
		}
		if n.Kind == syntax.Text {
			p.Add(diagnostic.Error, n.Line, n.Col, "missing-field", "this answer is written like a question", fmt.Sprintf("write two spaces and answer: in place of its hyphen:   answer: %s", strconv.Quote(n.Text)))
			n.Entries = []syntax.Entry{{Key: syntax.Node{Kind: syntax.Text, Text: "answer", Line: n.Line, Col: n.Col}, Value: n}}
		} else if name := n.Entries[0].Key.Text; !slices.Contains(names, name) {
			names = append(names, name)
			first = cmp.Or(first, &n)
		}
		above.Entries = append(slices.Clip(above.Entries), n.Entries...)
	}
	if first == nil {
		return list
	}
	one := strings.TrimPrefix(s.what, "the ")
	remedy := "write a space in place of " + diagnostic.Pick(len(names) > 1, "each hyphen before "+diagnostic.Join(names, "and"), "its hyphen")
	if e := first.Entries[0]; e.Value.Kind < syntax.List {
		remedy += fmt.Sprintf("; write: %s%s: %s", strings.Repeat(" ", first.Col-1), cmp.Or(s.also[diagnostic.Squash(e.Key.Text)], e.Key.Text), scalar(&e.Value))
	}
	p.Add(diagnostic.Error, first.Line, first.Col, "wrong-type", fmt.Sprintf("%s has a hyphen, as if another %s began here", names[0], one), "only the first field of one "+one+" has a hyphen; "+remedy)
	return list
}
