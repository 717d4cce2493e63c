package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// Mistakes of indentation and of hyphens that are valid YAML. Each is one message: the fields are put where they
// belong, so that no other follows.

// outdented returns the fields of n, and those of a group that stand below its name or its other fields and are not
// indented as a part of the group. They are reported once.
func (d *decoder) outdented(n *syntax.Node, s *schema) []syntax.Entry {
	entries := n.Entries
	for i := 0; i < len(entries); i++ {
		e := &entries[i]
		begun := e.Value.Kind == syntax.Mapping && e.Value.Line > e.Key.Line
		if !begun && (e.Value.Kind != syntax.Null || e.Value.Text != "") || d.strict || s.group(e.Key.Text) == nil {
			continue
		}
		g, end, sure := s.group(e.Key.Text), i+1, false
		var names, values []string
		for ; end < len(entries) && slices.Contains(g.names, entries[end].Key.Text) && !slices.Contains(names, entries[end].Key.Text) && !e.Value.Has(entries[end].Key.Text); end++ {
			key, v := entries[end].Key.Text, &entries[end].Value
			_, own := s.index[key]
			second := slices.ContainsFunc(entries, func(o syntax.Entry) bool { return o.Key.Text == key && o.Key.Line != entries[end].Key.Line })
			sure = sure || !own || second
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

// lowered returns the fields with names in small letters, and reports several that had capitals once.
func (d *decoder) lowered(entries []syntax.Entry, s *schema) []syntax.Entry {
	lower, names, first := slices.Clone(entries), []string(nil), (*syntax.Node)(nil)
	for i := range lower {
		key := &lower[i].Key
		small := strings.ToLower(key.Text)
		if _, known := s.index[small]; known && small != key.Text && !slices.ContainsFunc(entries, func(e syntax.Entry) bool { return e.Key.Text == small }) {
			key.Text, names, first = small, append(names, small), cmp.Or(first, key)
		}
	}
	if len(names) < 2 {
		return entries
	}
	d.fail(first, "unknown-field", fmt.Sprintf("%d names of fields have capital letters", len(names)), "write them in small letters: "+strings.Join(names, ", "))
	return lower
}

// scalar returns a value as it may be written in braces.
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
	return n.Kind == syntax.Mapping && len(n.Entries) == 1 && n.Entries[0].Key.Text != s.names[0] && slices.Contains(s.names, n.Entries[0].Key.Text) && !above.Has(n.Entries[0].Key.Text)
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
	remedy := "write a space in place of its hyphen"
	if len(names) > 1 {
		remedy = "write a space in place of each hyphen before " + diagnostic.Join(names, "and")
	}
	if e := first.Entries[0]; e.Value.Kind < syntax.List {
		remedy += fmt.Sprintf("; write: %s%s: %s", strings.Repeat(" ", first.Col-1), e.Key.Text, scalar(&e.Value))
	}
	p.Add(diagnostic.Error, first.Line, first.Col, "wrong-type", fmt.Sprintf("%s has a hyphen, as if another %s began here", names[0], one), "only the first field of one "+one+" has a hyphen; "+remedy)
	return list
}

// causes drops the messages that follow from others: on quotes that a value needs which is wrong with them, too, on
// what a part of another review lacks, and that business.yaml is missing, which is under another name or in a folder.
func causes(problems []diagnostic.Problem) []diagnostic.Problem {
	line := func(p diagnostic.Problem) diagnostic.Position { return diagnostic.Position{File: p.File, Line: p.Line} }
	wrong, partial, misplaced := map[diagnostic.Position]bool{}, map[diagnostic.Position]bool{}, false
	for _, p := range problems {
		misplaced = misplaced || p.Code == "wrong-name" && (strings.HasSuffix(p.Suggestion, BusinessFile) || strings.HasPrefix(p.Suggestion, "move its files up")) ||
			p.Code == "unreadable" && strings.HasPrefix(p.Message, BusinessFile)
		partial[line(p)] = partial[line(p)] || p.Code == "duplicate-id"
		if p.Severity == diagnostic.Error && (p.Code == "wrong-type" || strings.HasPrefix(p.Code, "bad-") || strings.HasPrefix(p.Message, "the answer is")) {
			wrong[line(p)] = true
		}
	}
	return slices.DeleteFunc(problems, func(p diagnostic.Problem) bool {
		return p.Code == "yaml-syntax" && wrong[line(p)] && strings.Contains(p.Message, "quotes") ||
			partial[line(p)] && strings.HasPrefix(p.Message, "the review has no author, no") || misplaced && p.Code == "missing-file"
	})
}
