package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	// secondFields are what to do with fields that a review has twice.
	secondFields = diagnostic.Lines(wordsFile, "second fields")
	// replyForm matches words of a business to its customer.
	replyForm = regexp.MustCompile(diagnostic.Rows(wordsFile, "words of a reply")[0][0])
)

// second returns what to do with a field that stands there a second time, and whether what is below it belongs to it.
func (r *fields) second(entries []syntax.Entry, i int) (remedy string, further bool) {
	e, s, n := &entries[i], r.schema, r.node
	name, first := e.Key.Text, r.found[s.index[e.Key.Text]]
	rated := slices.ContainsFunc(entries[i:], func(e syntax.Entry) bool { return e.Key.Text == "rating" })
	switch reply := r.replied(entries[i:]); {
	case s == businessSchema && e.Value.Kind == syntax.List:
		return "move its items below those of the first, and delete this line", false
	case r.strict:
		return "keep one of them", false
	case s == reviewSchema && !rated && reply != "":
		return reply, true
	case s == reviewSchema && rated && name == "author":
		return `if another review begins here, write its first line above, such as "- id: jo-2026-03", or delete the # at its beginning; if not, keep one author`, true
	case s.index[name] == 0 && s.prefix == "" && n.Col > 1:
		return fmt.Sprintf("if a second %s begins here, write in place of the whole line: %s- %s: %s", strings.TrimPrefix(s.what, "the "), strings.Repeat(" ", max(0, n.Col-3)), name, e.Value.Text), true
	case s.index[name] == 0 && s == reviewSchema:
		return "if a second review begins here, write --- on a line of its own before it", true
	case s == reviewSchema && secondFields[name] != "" && e.Value.Text != first.Value.Text:
		return secondFields[name], name == "author"
	case s != siteSchema && slices.Contains(prose, name) && e.Value.Text != first.Value.Text:
		return fmt.Sprintf("if they belong together, write %s: | once, and all of the words on the lines below it, indented, with an empty line between paragraphs; if not, keep one of them", name), false
	}
	return diagnostic.Pick(name == "owner_reply", secondFields[name], "keep one of them"), false
}

// replied returns how to write a reply whose fields stand below those of the review; "" if they don't seem to be one.
func (r *fields) replied(below []syntax.Entry) string {
	var names []string
	written := map[string]string{}
	for _, e := range below {
		if name := e.Key.Text; slices.Contains([]string{"author", "text", "date"}, name) && written[name] == "" {
			names, written[name] = append(names, name), e.Value.Text
		}
	}
	text, author := written["text"], cmp.Or(r.value("author"), &syntax.Node{}).Text
	called, _, _ := strings.Cut(author, " ")
	begin := strings.FieldsFunc(text[:min(len(text), 60)], func(c rune) bool { return strings.ContainsRune(" ,.!:;\n", c) })
	if text == "" || r.schema != reviewSchema || !slices.Contains(begin, called) && !replyForm.MatchString(text) {
		return ""
	}
	date := cmp.Or(written["date"], "YYYY-MM-DD")
	day := diagnostic.When(written["date"] == "", ", with the day of the reply in place of YYYY-MM-DD")
	line := fmt.Sprintf("in place of %s here: %sowner_reply: {text: %q, date: %s}", diagnostic.Join(names, "and"), strings.Repeat(" ", r.node.Col-1), text, date)
	if len(line) > diagnostic.MaxPasted {
		line = "owner_reply: on a line of its own above text:, two more spaces before text: and each of its lines, and below them, as far to the right as text:, date: " + date
	}
	return "this reads like your reply; if it is, write " + line + day
}
