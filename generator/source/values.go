package source

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"reviewcast"
)

// text reads a text as written. ok is false when it is absent or wrong, which is
// noted.
func (r *record) text(f int) (s string, ok bool) {
	n := r.value(f)
	if n == nil {
		return "", false
	}
	return r.plainText(n, r.name(f))
}

// plainText reads any text.
func (d *decoder) plainText(n *node, name string) (string, bool) {
	switch n.kind {
	case text, cell:
	case refused:
		return "", false
	case number, date:
		if d.strict {
			d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is the number %s; it must be text", name, echoPlain(n.text)), "put it in double quotes")
			return "", false
		}
	case boolean:
		d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s, which means true or false; it must be text", name, n.text), "put it in quotes")
		return "", false
	default:
		d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must be text", name, n.kind), "write the text after the field's name; quotes help when it holds special characters")
		return "", false
	}
	s := n.text
	if i, c := reviewcast.BadRune(s); i >= 0 {
		line, col := d.locate(n, i)
		d.add(Error, line, col, "bad-character", fmt.Sprintf("%s has the %s", name, nameRune(c)), badRuneRemedy(c))
		return "", false
	}
	// Bytes are at least as many as code points, and nearly always few enough.
	if len(s) > reviewcast.MaxTextLength {
		if length := utf8.RuneCountInString(s); length > reviewcast.MaxTextLength {
			d.add(Error, n.line, n.col, "too-long", fmt.Sprintf("%s has %d characters", name, length), fmt.Sprintf("at most %d are published", reviewcast.MaxTextLength))
			return "", false
		}
	}
	return s, true
}

// nonBlank reads a text that must say something.
func (r *record) nonBlank(f int) (string, bool) {
	s, ok := r.text(f)
	if ok && blank(s) {
		n := r.value(f)
		r.add(Error, n.line, n.col, "blank", fmt.Sprintf("%s is blank", r.name(f)), "write it, or leave the field out if it isn't required")
		return "", false
	}
	return s, ok
}

// optional reads a customer's words; blank means none.
func (r *record) optional(f int) *string {
	s, ok := r.text(f)
	if !ok || blank(s) {
		return nil
	}
	return &s
}

// blank tells whether a text has nothing but white space.
func blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// id reads an id.
//
//nolint:unparam // every id stands first so far, but each table says where
func (r *record) id(f int) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if reviewcast.ValidID(s) {
		return s
	}
	n := r.value(f)
	suggestion := fmt.Sprintf("an id is a letter or digit, then letters, digits, '.', '_' and '-', at most %d in all", reviewcast.MaxIDLength)
	if inner, was := straight(s); was && reviewcast.ValidID(inner) {
		suggestion = fmt.Sprintf("write %s without quotation marks", inner)
	} else if fixed := fixID(s); fixed != "" {
		suggestion += fmt.Sprintf(", such as %q", fixed)
	}
	r.add(Error, n.line, n.col, "bad-id", fmt.Sprintf("%s is %s", r.name(f), echo(s)), suggestion)
	return ""
}

// fixID makes an id of what might have been meant; "" when it can't.
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

// date reads a calendar date.
func (r *record) date(f int) reviewcast.Date {
	n := r.value(f)
	if n == nil {
		return ""
	}
	const form = "write it as YYYY-MM-DD"
	if n.kind == refused {
		return ""
	}
	if n.kind == boolean || n.kind > boolean && n.kind < cell {
		r.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must be a date", r.name(f), n.describe()), form+", such as 2026-03-14")
		return ""
	}
	if d := reviewcast.Date(n.text); d.Valid() {
		return d
	}
	suggestion := form + ", such as 2026-03-14"
	what := fmt.Sprintf("%s %s is not a date", r.name(f), echo(n.text))
	if looksLikeDate(n.text) {
		what = fmt.Sprintf("%s %s is not in the calendar", r.name(f), n.text)
		suggestion = "correct the month or the day"
	} else if _, err := time.Parse("2006-01", n.text); err == nil {
		what, suggestion = fmt.Sprintf("%s %s has no day", r.name(f), echo(n.text)), form
	} else if dates := meantDates(n.text); len(dates) == 1 {
		what = fmt.Sprintf("%s %s is not of the form YYYY-MM-DD", r.name(f), echo(n.text))
		suggestion = "write " + dates[0].Format(time.DateOnly)
	} else if len(dates) == 2 {
		what = fmt.Sprintf("%s %s can be read in two ways", r.name(f), echo(n.text))
		suggestion = fmt.Sprintf("write %s if the day comes first in it, %s if the month does", dates[0].Format(time.DateOnly), dates[1].Format(time.DateOnly))
	}
	r.add(Error, n.line, n.col, "bad-date", what, suggestion)
	return ""
}

// looksLikeDate tells whether s is of the form, if not in the calendar.
func looksLikeDate(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	for i := range len(s) {
		if i == 4 || i == 7 {
			if s[i] != '-' {
				return false
			}
		} else if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// stars reads a rating.
func (r *record) stars(f int) int {
	n := r.value(f)
	if n == nil {
		return 0
	}
	if n.kind == refused {
		return 0
	}
	name := r.name(f)
	whole := fmt.Sprintf("write a whole number from %d to %d", reviewcast.MinRating, reviewcast.MaxRating)
	if n.kind != number && n.kind != cell {
		suggestion := whole + " without quotes"
		if n.kind == text {
			inner, _ := straight(n.text)
			if meant := meantStars(inner); len(inner) == 1 && meant != "" {
				suggestion = meant + " without quotes"
			} else if meant != "" {
				suggestion = meant
			}
		}
		r.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", name, n.describe()), suggestion)
		return 0
	}
	if len(n.text) == 1 && '0'+reviewcast.MinRating <= n.text[0] && n.text[0] <= '0'+reviewcast.MaxRating {
		return int(n.text[0] - '0')
	}
	suggestion := whole
	if v, err := strconv.ParseFloat(n.text, 64); err == nil && (v > reviewcast.MaxRating || v < reviewcast.MinRating) {
		suggestion = fmt.Sprintf("stars go from %d to %d", reviewcast.MinRating, reviewcast.MaxRating)
	} else if meant := meantStars(n.text); meant != "" {
		suggestion = meant
	}
	r.add(Error, n.line, n.col, "bad-rating", fmt.Sprintf("%s is %s", name, n.describe()), suggestion)
	return 0
}

// language reads a BCP 47 tag and gives it in its usual case: "en-us" is "en-US".
func (r *record) language(f int) string {
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
		r.add(Error, n.line, n.col, "bad-language", fmt.Sprintf("%s %s is not a language tag", r.name(f), echo(s)), "write a BCP 47 tag, such as en, de or pt-BR")
		return ""
	}
	r.tag, r.canonical = s, tag.String()
	return r.canonical
}

// url reads an absolute web address; "" when it is absent or wrong.
func (r *record) url(f int) string {
	n := r.value(f)
	if n == nil {
		return ""
	}
	return r.webAddress(n, r.name(f))
}

func (d *decoder) webAddress(n *node, name string) string {
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
	d.add(Error, n.line, n.col, "bad-url", fmt.Sprintf("%s %s is not a web address", name, echo(s)), suggestion)
	return ""
}

// float reads a number within bounds.
func (r *record) float(f int, low, high float64) float64 {
	n := r.value(f)
	if n == nil {
		return 0
	}
	name := r.name(f)
	if n.kind == refused {
		return 0
	}
	if n.kind != number {
		r.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", name, n.describe()), "write it without quotes, such as 45.65")
		return 0
	}
	v, err := strconv.ParseFloat(n.text, 64)
	if err != nil || v != v || v < low || v > high {
		r.add(Error, n.line, n.col, "out-of-range", fmt.Sprintf("%s is %s", name, echoPlain(n.text)), fmt.Sprintf("it goes from %g to %g", low, high))
		return 0
	}
	return v
}

// choice reads one of a few words.
func (r *record) choice(f int, choices []string) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if slices.Contains(choices, s) {
		return r.word(s)
	}
	n := r.value(f)
	suggestion := didYouMean(s, choices, "choose one of them")
	if inner, was := straight(s); was && slices.Contains(choices, inner) {
		suggestion = fmt.Sprintf("write %s without quotation marks", inner)
	}
	r.add(Error, n.line, n.col, "bad-value", fmt.Sprintf("%s is %s; it must be %s", r.name(f), echo(s), oneOf(choices)), suggestion)
	return ""
}

// items is a list's values; a single text where a list belongs is noted. In a CSV
// cell the values are separated by semicolons, blanks around them don't count.
func (r *record) items(f int) []node {
	n := r.value(f)
	switch {
	case n == nil || n.kind == refused:
		return nil
	case n.kind == list:
		return n.items
	case n.kind == cell:
		var items []node
		offset := 0
		for part := range strings.SplitSeq(n.text, ";") {
			word := strings.TrimSpace(part)
			if word != "" {
				item := node{kind: cell, text: word}
				item.line, item.col = r.locate(n, offset+strings.Index(part, word))
				items = append(items, item)
			}
			offset += len(part) + 1
		}
		return items
	}
	suggestion := "write a list"
	if n.kind == text && strings.HasPrefix(n.text, "-") && !r.strict {
		suggestion = "put a blank after each hyphen: - " + firstWord(n.text[1:])
	} else if n.kind < list && !strings.Contains(n.text, ",") {
		suggestion = fmt.Sprintf("write [%s]", n.text)
		if r.strict || n.kind == text && !reviewcast.ValidID(n.text) {
			suggestion = fmt.Sprintf("write [%s]", echo(n.text))
		}
	}
	r.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must be a list", r.name(f), n.describe()), suggestion)
	return nil
}

// firstWord is what a text has before its first blank.
func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(strconv.Quote(word), `"`)
}

// texts reads a list of texts that must say something.
func (r *record) texts(f int) []string {
	items := r.items(f)
	texts := make([]string, 0, len(items))
	for i := range items {
		if s, ok := r.item(&items[i], r.name(f)); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// item reads one of a list's texts, which must say something.
func (d *decoder) item(n *node, list string) (string, bool) {
	if n.kind == null {
		d.add(Error, n.line, n.col, "blank", "an item of "+list+" is empty", "write it or delete it")
		return "", false
	}
	s, ok := d.plainText(n, "an item of "+list)
	if ok && blank(s) {
		d.add(Error, n.line, n.col, "blank", "an item of "+list+" is blank", "write it or delete it")
		return "", false
	}
	return s, ok
}
