package source

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// The methods of fields read one value each. They return the zero value if it is absent or wrong, and report what is
// wrong.

// text reads a text as written.
func (r *fields) text(f string) string {
	s, _, _ := r.given(f)
	return s
}

// given is text with its node. ok is false if it is absent or wrong.
func (r *fields) given(f string) (s string, n *syntax.Node, ok bool) {
	if n = r.value(f); n != nil {
		s, ok = r.plainText(n, r.name(f))
	}
	return s, n, ok
}

// plainText reads the text of a node.
func (d *decoder) plainText(n *syntax.Node, name string) (string, bool) {
	s := n.Text
	switch n.Kind {
	case syntax.Text, syntax.Cell:
	case syntax.Refused:
		return "", false
	case syntax.Number, syntax.Date:
		if d.strict {
			return "", d.fail(n, "wrong-type", fmt.Sprintf("%s is the number %s; it must be text", name, syntax.QuoteScalar(s)), fmt.Sprintf("put it in double quotes: %q", s))
		}
	case syntax.Boolean:
		return "", d.fail(n, "wrong-type", fmt.Sprintf("%s is %s, which means true or false; it must be text", name, s), fmt.Sprintf("put it in quotes: %q", s))
	default:
		suggestion := "write the text after the field's name; quote it if it contains special characters"
		if field := name[strings.LastIndexByte(name, '.')+1:]; slices.Contains(prose, field) && !d.strict && (len(n.Items) > 1 || len(n.Entries) > 0 && n.Entries[0].Value.Kind >= syntax.List || len(n.Entries) > 1) {
			suggestion = fmt.Sprintf("if these lines are the text, write %s: | above them, and indent all of them further", field)
		} else if n.Kind == syntax.List && !d.strict {
			suggestion = oneOf(field, n, "write it without hyphens and without [ ]; a text that begins with one of them needs quotes")
			if n.Items != nil && strings.HasSuffix(name, "id") {
				suggestion = "write an entry of its own for each"
			}
		} else if n.Kind == syntax.Mapping && len(n.Entries) == 1 && n.Entries[0].Value.Kind == syntax.Text && !d.strict {
			e := &n.Entries[0]
			if suggestion = fmt.Sprintf("put it in quotes, since it has a colon: %q", e.Key.Text+": "+e.Value.Text); isField(e.Key.Text) {
				suggestion = fmt.Sprintf("write the value alone: %s", e.Value.Text)
			} else if name == "an item of hours" {
				suggestion = d.days.remedy(e.Key.Text + " " + e.Value.Text)
			} else if name == "an item of same_as" && forms("linkForm").MatchString(e.Value.Text) {
				suggestion = "write the address alone: " + e.Value.Text
			}
		} else if e := n.Entries; name == "an item of hours" && len(e) == 3 { // days, opens, closes
			suggestion = d.days.remedy(e[0].Value.Text + " " + e[1].Value.Text + "-" + e[2].Value.Text)
		} else if i := slices.IndexFunc(n.Entries, func(e syntax.Entry) bool { return e.Key.Text == "id" || e.Key.Text == "value" }); i >= 0 {
			suggestion = "write only " + n.Entries[i].Value.Text + " in place of its fields"
		}
		return "", d.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must be text", name, n.Kind), suggestion)
	}
	if i, c := reviewcast.BadRune(s); i >= 0 {
		return "", d.fail(n, "bad-character", fmt.Sprintf("%s contains the %s", name, syntax.NameRune(c)), syntax.BadRuneRemedy(c))
	}
	// There are at least as many bytes as code points, and nearly always few enough.
	if len(s) > reviewcast.MaxTextLength && utf8.RuneCountInString(s) > reviewcast.MaxTextLength {
		return "", d.fail(n, "too-long", fmt.Sprintf("%s has %d characters", name, utf8.RuneCountInString(s)), fmt.Sprintf("at most %d are published", reviewcast.MaxTextLength))
	}
	return s, true
}

// oneOf returns how to write a list in a field of one value, or other if it isn't one of single values.
func oneOf(field string, n *syntax.Node, other string) string {
	parts := n.Kind != syntax.List || len(n.Items) == 0 || n.Items[0].Kind >= syntax.List || n.Items[0].Kind == syntax.Number && field != "rating"
	if parts || !isField(field) || slices.Contains(prose, field) {
		return other // such as [2026, 3, 14]
	}
	several := len(n.Items) > 1
	return diagnostic.When(several, "only one is possible: ") + fmt.Sprintf("write %s: %s", field, scalar(&n.Items[0])) +
		diagnostic.When(several && field == "language", "; a review in another one has its own, such as language: "+n.Items[len(n.Items)-1].Text)
}

// nonBlank reads a text that must not be blank.
func (r *fields) nonBlank(f string) string {
	s, n, ok := r.given(f)
	if ok && blank(s) {
		r.fail(n, "blank", r.name(f)+" is blank", "write it, or leave the field out if it isn't required")
		return ""
	}
	return s
}

// visible drops invisible characters, which come with copied words, from a value whose others are ASCII.
func visible(n *syntax.Node) {
	plain := strings.Map(func(c rune) rune {
		if c > unicode.MaxASCII && unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, n.Text)
	if len(plain) == len(n.Text) || plain == "" || strings.ContainsFunc(plain, func(c rune) bool { return c > unicode.MaxASCII }) {
		return
	}
	if n.Text = plain; len(plain) == 1 && '0' <= plain[0] && plain[0] <= '9' && n.Kind == syntax.Text {
		n.Kind = syntax.Number
	}
}

// blank reports whether a text has nothing but white space.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// id reads an id.
func (r *fields) id() string {
	s, n, ok := r.given("id")
	if !ok || reviewcast.ValidID(s) {
		return s
	}
	suggestion := fmt.Sprintf("an id has letters without accents, a to z and A to Z, digits, '.', '_' and '-', begins with a letter or digit, and has at most %d characters", reviewcast.MaxIDLength)
	if forms("exponent").MatchString(s) {
		suggestion = "a spreadsheet program has shortened this number; format the column as text there and type it again"
	} else if strings.HasPrefix(s, "https://") && reviewcast.ValidID(addressed(s)) {
		suggestion = "this is an address; write " + addressed(s)
	} else if n := len([]rune(s)); n > reviewcast.MaxIDLength {
		suggestion = fmt.Sprintf("it has %d characters; write one of at most %d", n, reviewcast.MaxIDLength)
	} else if r.schema == withdrawnSchema {
		suggestion = "write the id of the review, as it stands behind id: in its file"
	} else if fixed := strings.ToLower(fixID(s)); fixed != "" {
		suggestion = fmt.Sprintf("write %s: %s", fixed, suggestion)
	}
	r.fail(n, "bad-id", fmt.Sprintf("%s is %s", r.name("id"), diagnostic.Quote(s)), suggestion)
	return ""
}

// fixID returns an id that may have been meant; "" if it finds none.
func fixID(s string) string {
	id := strings.Join(strings.FieldsFunc(diagnostic.Latin(s), func(c rune) bool {
		return c > unicode.MaxASCII || !reviewcast.ValidID("a"+string(c))
	}), "-")
	if id = strings.Trim(id, "._-"); !reviewcast.ValidID(id) {
		return ""
	}
	return id
}

// month reads a calendar month, YYYY-MM.
func (r *fields) month(f string) string {
	s, n, ok := r.given(f)
	if !ok || reviewcast.Date(s+"-01").Valid() {
		return s
	}
	r.fail(n, "bad-date", fmt.Sprintf("%s is %s; it must be a month", r.name(f), n.Describe()), "write it as YYYY-MM, such as 2026-03, or leave it out")
	return ""
}

// halfYear is how long before a review its verification may be without a warning.
const halfYear = 183 * 24 * time.Hour

// firstYear is the year before which a date is probably mistyped: nobody reviewed online.
const firstYear = "1990"

// date reads a calendar date.
func (r *fields) date(f string) reviewcast.Date {
	n := r.value(f)
	if n == nil {
		return ""
	}
	if n.Kind == syntax.Boolean || n.Kind > syntax.Boolean && n.Kind < syntax.Cell {
		r.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must be a date", r.name(f), n.Describe()), oneOf(f, n, "write it as YYYY-MM-DD, such as 2026-03-14"))
		return ""
	}
	if d := reviewcast.Date(n.Text); d.Valid() {
		if d < firstYear {
			r.warn(f, "bad-date", fmt.Sprintf("%s %s is long ago", r.name(f), d), "check the year")
		}
		return d
	}
	message, suggestion := diagnostic.ExplainDate(r.name(f), n.Text)
	r.fail(n, "bad-date", message, suggestion)
	return ""
}

// stars reads a rating.
func (r *fields) stars(f string) int {
	n := r.value(f)
	if n == nil {
		return 0
	}
	if s := n.Text; (n.Kind == syntax.Number || n.Kind == syntax.Cell) && len(s) == 1 && '0'+reviewcast.MinRating <= s[0] && s[0] <= '0'+reviewcast.MaxRating {
		return int(s[0] - '0')
	}
	plain, _ := diagnostic.TrimCurlyQuotes(n.Text)
	plain, odd := syntax.PlainSpaces(plain)
	suggestion := fmt.Sprintf("write a whole number from %d to %d", reviewcast.MinRating, reviewcast.MaxRating)
	meant := diagnostic.MeantRating(plain)
	if n.Kind != syntax.Number && n.Kind != syntax.Cell {
		switch {
		case n.Kind == syntax.Text && diagnostic.Nothing(n.Text):
			meant = "ask the customer for the stars; without them it can't be published"
		case n.Kind == syntax.List:
			meant = oneOf(f, n, suggestion)
		case odd != 0 && meant != "":
			meant = fmt.Sprintf("there is %s in it; delete the whole line and type rating: %s", syntax.NameOdd(odd), strings.TrimPrefix(meant, "write "))
		case f == "rating" && r.value("author") != nil && diagnostic.MeantRating(r.value("author").Text) != "" && meant == "":
			meant = fmt.Sprintf("author and rating are exchanged: write author: %s, and rating: %s", n.Text, r.value("author").Text)
		case meant == "" && forms("remarkedForm").MatchString(plain):
			m := forms("remarkedForm").FindStringSubmatch(plain)
			meant = fmt.Sprintf("write the number alone; a note of your own begins with #: %s: %s # %s", f, m[1], m[2])
		case meant == "" || len(plain) == 1:
			meant = cmp.Or(meant, suggestion+", the best,") + " without quotes"
		}
		r.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", r.name(f), n.Describe()), meant)
		return 0
	}
	if v, err := strconv.ParseFloat(n.Text, 64); err == nil && (v > reviewcast.MaxRating || v < reviewcast.MinRating) {
		of10 := diagnostic.MeantRating(n.Text + "/10")
		suggestion = fmt.Sprintf("ratings go from %d to %d", reviewcast.MinRating, reviewcast.MaxRating) +
			map[string]string{"6": "; if 6 is the best mark, write 5", "0": "; if the customer wanted to give none, write 1, the lowest"}[n.Text] + diagnostic.When(of10 != "", fmt.Sprintf("; if it is %s of 10, %s", n.Text, of10)) +
			diagnostic.When(n.Kind == syntax.Cell && n.Text == "6", "; if a spreadsheet program has counted on from row to row (4, 5, 6), correct the rows above, too")
	} else if meant != "" {
		suggestion = meant
	}
	r.fail(n, "bad-rating", fmt.Sprintf("%s is %s", r.name(f), n.Describe()), suggestion)
	return 0
}

// language reads a BCP 47 tag and returns it in its usual case: "en-us" is "en-US". The country may be unknown.
func (r *fields) language(f, country string) string {
	s, n, ok := r.given(f)
	if !ok {
		return ""
	}
	tag, err := language.Raw.Parse(s)
	base, script, region := tag.Raw()
	if now := region.Canonicalize(); err != nil || tag == language.Und || now != region {
		suggestion := "write the code of the language, such as en, de or pt-BR"
		if code := diagnostic.Languages[diagnostic.Squash(s)]; code != "" {
			suggestion = "write language: " + code
		} else if _, remedy, country := strings.Cut(diagnostic.CountryCodes[strings.ToLower(s)], "; "); country {
			suggestion = "this is the code of a country: " + remedy
		} else if now != region {
			meant, _ := language.Raw.Compose(base, script, now)
			suggestion = "write " + meant.String()
		} else if near := diagnostic.Nearest(diagnostic.Squash(s), slices.Collect(maps.Keys(diagnostic.Languages))); near != "" && len(s) > 3 {
			suggestion = "write language: " + diagnostic.Languages[near]
		}
		r.fail(n, "bad-language", fmt.Sprintf("%s %s is not a language tag", r.name(f), diagnostic.Quote(s)), suggestion)
		return ""
	}
	if name, remedy, ok := strings.Cut(cmp.Or(diagnostic.CountryCodes[s], diagnostic.CountryCodes[s+"-"+country]), "; "); ok {
		r.warn(f, "bad-language", fmt.Sprintf("%s %s is %s", r.name(f), diagnostic.Quote(s), name), remedy)
	}
	return tag.String()
}

// float reads a number within bounds.
func (r *fields) float(f string, low, high float64) float64 {
	n := r.value(f)
	if n == nil {
		return 0
	}
	if n.Kind != syntax.Number {
		remedy := "write only a number, with a point and without quotes, such as 45.65; a place is in decimal degrees, with a minus in the south and in the west"
		if point := strings.Replace(n.Text, ",", ".", 1); point != n.Text && forms("decimal").MatchString(point) {
			remedy = fmt.Sprintf("write %s: %s, with a point in place of the comma", f, point)
		}
		r.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must be a number", r.name(f), n.Describe()), remedy)
		return 0
	}
	v, err := strconv.ParseFloat(n.Text, 64)
	if err != nil || v != v || v < low || v > high {
		r.fail(n, "out-of-range", fmt.Sprintf("%s is %s", r.name(f), syntax.QuoteScalar(n.Text)), fmt.Sprintf("it goes from %g to %g", low, high))
		return 0
	}
	return v
}

// choice reads one of a few values; other is the suggestion if none is near.
func (r *fields) choice(f string, choices []string, other string) string {
	s, n, ok := r.given(f)
	if !ok || slices.Contains(choices, s) {
		return s
	}
	suggestion := diagnostic.DidYouMean(s, choices, other)
	if inner, was := diagnostic.TrimCurlyQuotes(s); was && slices.Contains(choices, inner) {
		suggestion = fmt.Sprintf("write %s without quotation marks", inner)
	}
	r.fail(n, "bad-value", fmt.Sprintf("%s is %s; it must be %s", r.name(f), diagnostic.Quote(s), diagnostic.Join(choices, "or")), suggestion)
	return ""
}

// items returns the values of a list; a single text where a list belongs is reported. In a CSV cell the values are
// separated by semicolons, and spaces around them are ignored.
func (r *fields) items(f string) []syntax.Node {
	n := r.value(f)
	switch {
	case n == nil:
		return nil
	case n.Kind == syntax.List:
		return n.Items
	case n.Kind == syntax.Cell:
		var items []syntax.Node
		col := n.Col
		for part := range strings.SplitSeq(n.Text, ";") {
			if word := strings.TrimSpace(part); word != "" {
				items = append(items, syntax.Node{Kind: syntax.Cell, Text: word, Line: n.Line, Col: col + strings.Index(part, word)})
			}
			col += utf8.RuneCountInString(part) + 1
		}
		return items
	}
	bullet, _ := utf8.DecodeRuneInString(n.Text)
	bullets := strings.ContainsRune("•·▪–—*", bullet) && n.Line > r.found[r.schema.index[f]].Key.Line
	r.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must be a list", r.name(f), n.Describe()),
		diagnostic.Pick(bullets, fmt.Sprintf("%c is not a hyphen; write a hyphen and a space in place of each", bullet), r.listOf(f, n)))
	return nil
}

// texts reads a list of names and words to find, which must not be blank; nil if it is absent.
func (r *fields) texts(f string) []string {
	if r.value(f) == nil {
		return nil
	}
	texts, all, several := []string{}, "", (*syntax.Node)(nil)
	for n, s := range r.itemsOf(f) {
		parts := s
		if forms("severalForm").MatchString(s) || forms("twoWords").MatchString(s) {
			parts = strings.NewReplacer("/", ",", "+", ",").Replace(s)
		}
		texts, all = append(texts, s), all+parts+","
		if forms("severalForm").MatchString(s) || forms("twoWords").MatchString(s) && r.schema.what != "the service area" || f == "aliases" && r.schema.what == "the technician" && strings.Contains(separators.Replace(s), ",") || strings.Contains(s, ", ") && (f == "terms" || f == "aliases" && r.schema.what != "the service area") {
			several = cmp.Or(several, n)
		} else if i := strings.IndexAny(s, "*|()\\"); i >= 0 {
			r.Add(diagnostic.Warning, n.Line, n.Col, "wildcard", fmt.Sprintf("%s has a %c, which stands for nothing here, so that it finds no other words", diagnostic.Quote(s), s[i]), "list the words: inflected forms of a word are found, longer words are not")
		}
	}
	if several != nil {
		r.Add(diagnostic.Warning, several.Line, several.Col, "shared-name", diagnostic.Quote(several.Text)+" looks like several, and is found as one only", "separate them by commas; "+r.listOf(f, &syntax.Node{Kind: syntax.Text, Text: all}))
	}
	return texts
}

// itemsOf returns the items of a list that are texts and not blank.
func (r *fields) itemsOf(f string) iter.Seq2[*syntax.Node, string] {
	return func(yield func(*syntax.Node, string) bool) {
		for _, n := range r.items(f) {
			s, ok := "", true
			if visible(&n); n.Kind != syntax.Null {
				s, ok = r.plainText(&n, "an item of "+r.name(f))
			}
			if ok && blank(s) {
				what := diagnostic.Pick(n.Kind == syntax.Null, "empty", "blank")
				r.fail(&n, "blank", fmt.Sprintf("an item of %s is %s", r.name(f), what), "write it or delete it")
			} else if ok && !yield(&n, s) {
				return
			}
		}
	}
}
