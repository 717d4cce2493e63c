package source

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// text reads a text as written. ok is false if it is absent or wrong, which is
// reported.
func (r *fields) text(f int) (s string, ok bool) {
	n := r.value(f)
	if n == nil {
		return "", false
	}
	return r.plainText(n, r.name(f))
}

// plainText reads the text of a node.
func (d *decoder) plainText(n *syntax.Node, name string) (string, bool) {
	switch n.Kind {
	case syntax.Text, syntax.Cell:
	case syntax.Refused:
		return "", false
	case syntax.Number, syntax.Date:
		if d.strict {
			d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is the number %s; it must be text", name, syntax.QuoteScalar(n.Text)), "put it in double quotes")
			return "", false
		}
	case syntax.Boolean:
		d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s, which means true or false; it must be text", name, n.Text), "put it in quotes")
		return "", false
	default:
		d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must be text", name, n.Kind), "write the text after the field's name; quote it if it contains special characters")
		return "", false
	}
	s := n.Text
	if i, c := reviewcast.BadRune(s); i >= 0 {
		line, col := d.place(n, i)
		d.Add(diagnostic.Error, line, col, "bad-character", fmt.Sprintf("%s contains the %s", name, syntax.NameRune(c)), syntax.BadRuneRemedy(c))
		return "", false
	}
	// There are at least as many bytes as code points, and nearly always few
	// enough.
	if len(s) > reviewcast.MaxTextLength {
		if length := utf8.RuneCountInString(s); length > reviewcast.MaxTextLength {
			d.Add(diagnostic.Error, n.Line, n.Col, "too-long", fmt.Sprintf("%s has %d characters", name, length), fmt.Sprintf("at most %d are published", reviewcast.MaxTextLength))
			return "", false
		}
	}
	return s, true
}

// nonBlank reads a text that must not be blank.
func (r *fields) nonBlank(f int) (string, bool) {
	s, ok := r.text(f)
	if ok && blank(s) {
		n := r.value(f)
		r.Add(diagnostic.Error, n.Line, n.Col, "blank", fmt.Sprintf("%s is blank", r.name(f)), "write it, or leave the field out if it isn't required")
		return "", false
	}
	return s, ok
}

// optional reads a customer's text; a blank one is none.
func (r *fields) optional(f int) *string {
	s, ok := r.text(f)
	if !ok || blank(s) {
		return nil
	}
	return &s
}

// blank reports whether a text has nothing but white space.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// id reads an id.
//
//nolint:unparam // every id is the first field so far, but each schema says where
func (r *fields) id(f int) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if reviewcast.ValidID(s) {
		return s
	}
	n := r.value(f)
	suggestion := fmt.Sprintf("an id is a letter or digit, then letters, digits, '.', '_' and '-', at most %d in all", reviewcast.MaxIDLength)
	if inner, was := diagnostic.TrimCurlyQuotes(s); was && reviewcast.ValidID(inner) {
		suggestion = fmt.Sprintf("write %s without quotation marks", inner)
	} else if fixed := fixID(s); fixed != "" {
		suggestion += fmt.Sprintf(", such as %q", fixed)
	}
	r.Add(diagnostic.Error, n.Line, n.Col, "bad-id", fmt.Sprintf("%s is %s", r.name(f), diagnostic.Quote(s)), suggestion)
	return ""
}

// fixID returns an id that may have been meant; "" if it finds none.
func fixID(s string) string {
	id := strings.Join(strings.FieldsFunc(s, func(c rune) bool {
		return c > unicode.MaxASCII || !reviewcast.ValidID("a"+string(c))
	}), "-")
	id = strings.TrimLeft(id, "._-")
	if !reviewcast.ValidID(id) {
		return ""
	}
	return id
}

// month reads a calendar month, YYYY-MM; "" when the field is absent or wrong.
func (r *fields) month(f int) string {
	n := r.value(f)
	if n == nil || n.Kind == syntax.Refused {
		return ""
	}
	if !reviewcast.Date(n.Text + "-01").Valid() {
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-date", fmt.Sprintf("%s is %s; it must be a month", r.name(f), n.Describe()), "write it as YYYY-MM, such as 2026-03, or leave it out")
		return ""
	}
	return n.Text
}

// date reads a calendar date.
func (r *fields) date(f int) reviewcast.Date {
	n := r.value(f)
	if n == nil {
		return ""
	}
	if n.Kind == syntax.Refused {
		return ""
	}
	if n.Kind == syntax.Boolean || n.Kind > syntax.Boolean && n.Kind < syntax.Cell {
		r.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must be a date", r.name(f), n.Describe()), "write it as YYYY-MM-DD, such as 2026-03-14")
		return ""
	}
	if d := reviewcast.Date(n.Text); d.Valid() {
		return d
	}
	message, suggestion := diagnostic.ExplainDate(r.name(f), n.Text)
	r.Add(diagnostic.Error, n.Line, n.Col, "bad-date", message, suggestion)
	return ""
}

// stars reads a rating.
func (r *fields) stars(f int) int {
	n := r.value(f)
	if n == nil {
		return 0
	}
	if n.Kind == syntax.Refused {
		return 0
	}
	name := r.name(f)
	whole := fmt.Sprintf("write a whole number from %d to %d", reviewcast.MinRating, reviewcast.MaxRating)
	if n.Kind != syntax.Number && n.Kind != syntax.Cell {
		suggestion := whole + " without quotes"
		if n.Kind == syntax.Text {
			inner, _ := diagnostic.TrimCurlyQuotes(n.Text)
			if meant := diagnostic.MeantRating(inner); len(inner) == 1 && meant != "" {
				suggestion = meant + " without quotes"
			} else if meant != "" {
				suggestion = meant
			}
		}
		r.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", name, n.Describe()), suggestion)
		return 0
	}
	if len(n.Text) == 1 && '0'+reviewcast.MinRating <= n.Text[0] && n.Text[0] <= '0'+reviewcast.MaxRating {
		return int(n.Text[0] - '0')
	}
	suggestion := whole
	if v, err := strconv.ParseFloat(n.Text, 64); err == nil && (v > reviewcast.MaxRating || v < reviewcast.MinRating) {
		suggestion = fmt.Sprintf("ratings go from %d to %d", reviewcast.MinRating, reviewcast.MaxRating)
	} else if meant := diagnostic.MeantRating(n.Text); meant != "" {
		suggestion = meant
	}
	r.Add(diagnostic.Error, n.Line, n.Col, "bad-rating", fmt.Sprintf("%s is %s", name, n.Describe()), suggestion)
	return 0
}

// language reads a BCP 47 tag and returns it in its usual case: "en-us" is "en-US".
func (r *fields) language(f int) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if s == r.tag && s != "" {
		return r.canonical
	}
	tag, err := language.Raw.Parse(s)
	if err != nil || tag == language.Und {
		n := r.value(f)
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-language", fmt.Sprintf("%s %s is not a language tag", r.name(f), diagnostic.Quote(s)), "write a BCP 47 tag, such as en, de or pt-BR")
		return ""
	}
	r.tag, r.canonical = s, tag.String()
	return r.canonical
}

// url reads an absolute http(s) address; "" if it is absent or wrong.
func (r *fields) url(f int) string {
	n := r.value(f)
	if n == nil {
		return ""
	}
	return r.webAddress(n, r.name(f))
}

func (d *decoder) webAddress(n *syntax.Node, name string) string {
	s, ok := d.plainText(n, name)
	if !ok {
		return ""
	}
	u, err := url.Parse(s)
	if err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && !strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	suggestion := "write a whole address, such as https://example.com/page, or leave the field out"
	if err == nil && u.Scheme == "" && strings.Contains(s, ".") && !strings.ContainsFunc(s, unicode.IsSpace) {
		suggestion = "write it with https:// in front"
	}
	d.Add(diagnostic.Error, n.Line, n.Col, "bad-url", fmt.Sprintf("%s %s is not a web address", name, diagnostic.Quote(s)), suggestion)
	return ""
}

// float reads a number within bounds.
func (r *fields) float(f int, low, high float64) float64 {
	n := r.value(f)
	if n == nil {
		return 0
	}
	name := r.name(f)
	if n.Kind == syntax.Refused {
		return 0
	}
	if n.Kind != syntax.Number {
		r.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", name, n.Describe()), "write it without quotes, such as 45.65")
		return 0
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || v != v || v < low || v > high {
		r.Add(diagnostic.Error, n.Line, n.Col, "out-of-range", fmt.Sprintf("%s is %s", name, syntax.QuoteScalar(n.Text)), fmt.Sprintf("it goes from %g to %g", low, high))
		return 0
	}
	return v
}

// choice reads one of a few values.
func (r *fields) choice(f int, choices []string) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if slices.Contains(choices, s) {
		return r.word(s)
	}
	n := r.value(f)
	suggestion := diagnostic.DidYouMean(s, choices, "choose one of them")
	if inner, was := diagnostic.TrimCurlyQuotes(s); was && slices.Contains(choices, inner) {
		suggestion = fmt.Sprintf("write %s without quotation marks", inner)
	}
	r.Add(diagnostic.Error, n.Line, n.Col, "bad-value", fmt.Sprintf("%s is %s; it must be %s", r.name(f), diagnostic.Quote(s), diagnostic.OneOf(choices)), suggestion)
	return ""
}

// items returns the values of a list; a single text where a list belongs is reported.
// In a CSV cell the values are separated by semicolons, and spaces around them are
// ignored.
func (r *fields) items(f int) []syntax.Node {
	n := r.value(f)
	switch {
	case n == nil || n.Kind == syntax.Refused:
		return nil
	case n.Kind == syntax.List:
		return n.Items
	case n.Kind == syntax.Cell:
		var items []syntax.Node
		offset := 0
		for part := range strings.SplitSeq(n.Text, ";") {
			word := strings.TrimSpace(part)
			if word != "" {
				item := syntax.Node{Kind: syntax.Cell, Text: word}
				item.Line, item.Col = r.place(n, offset+strings.Index(part, word))
				items = append(items, item)
			}
			offset += len(part) + 1
		}
		return items
	}
	suggestion := "write a list"
	if n.Kind == syntax.Text && strings.HasPrefix(n.Text, "-") && !r.strict {
		suggestion = "put a space after each hyphen: - " + syntax.FirstWord(n.Text[1:])
	} else if n.Kind < syntax.List && !strings.Contains(n.Text, ",") {
		suggestion = fmt.Sprintf("write [%s]", n.Text)
		if r.strict || n.Kind == syntax.Text && !reviewcast.ValidID(n.Text) {
			suggestion = fmt.Sprintf("write [%s]", diagnostic.Quote(n.Text))
		}
	}
	r.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must be a list", r.name(f), n.Describe()), suggestion)
	return nil
}

// texts reads a list of texts that must not be blank.
func (r *fields) texts(f int) []string {
	items := r.items(f)
	texts := make([]string, 0, len(items))
	for i := range items {
		if s, ok := r.item(&items[i], r.name(f)); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// item reads one text of a list, which must not be blank.
func (d *decoder) item(n *syntax.Node, list string) (string, bool) {
	if n.Kind == syntax.Null {
		d.Add(diagnostic.Error, n.Line, n.Col, "blank", "an item of "+list+" is empty", "write it or delete it")
		return "", false
	}
	s, ok := d.plainText(n, "an item of "+list)
	if ok && blank(s) {
		d.Add(diagnostic.Error, n.Line, n.Col, "blank", "an item of "+list+" is blank", "write it or delete it")
		return "", false
	}
	return s, ok
}
