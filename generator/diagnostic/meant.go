package diagnostic

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"reviewcast"
)

//go:embed words.txt
var wordsFile string

// Sections of words.txt, which explains them.
var (
	forms      = Forms(wordsFile, "forms")
	inJSON     = Forms(wordsFile, "JSON")                   // fields of remedies, by what they are in JSON; none is in another one
	starWords  = Lines(wordsFile, "stars")                  // ratings in words
	months     = Lines(wordsFile, "months")                 // their names in many languages
	clockWords = Lines(wordsFile, "times of the day")       // which dates keep
	dayLayouts = Rows(wordsFile, "layouts of dates")        // as package time writes them
	platforms  = Lines(wordsFile, "sources")                // of many businesses, by other words for them
	nothing    = Words(wordsFile, "nothing")                // of [Nothing]
	nobody     = Words(wordsFile, "nobody")                 // of [Nobody]
	particles  = Words(wordsFile, "particles")              // before surnames
	noSources  = append(Words(wordsFile, "no sources"), "") // which [SourceOf] leaves out
	ownSources = Words(wordsFile, "own sources")
)

// Languages are the codes of languages by their names.
var Languages = Lines(wordsFile, "languages")

// CountryCodes are what codes of languages mean that are taken for those of countries.
var CountryCodes = Lines(wordsFile, "codes of countries")

// Platform returns the usual name of a source; the source itself if it is like none.
func Platform(source string) string {
	if name, ok := platforms[Squash(source)]; ok {
		return name
	}
	if near := Nearest(source, slices.Sorted(maps.Keys(platforms))); len(near) > 4 && len(near)-len(source) < 2 && len(source)-len(near) < 2 {
		return platforms[near]
	}
	return source
}

// SourceOf returns the source that the name of a file says, without the words and numbers that say no place; "" for none.
func SourceOf(file string) string {
	words := strings.Split(forms("notSource").ReplaceAllString(Unaccented(strings.ToLower(file)), " "), " ")
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		word = strings.TrimRight(word, "0123456789")
		return months[word] != "" || slices.Contains(noSources, word)
	}), "-")
}

// IsPlatform reports whether a source is a platform that is known.
func IsPlatform(source string) bool { return platforms[Squash(source)] != "" }

// OwnSource reports whether all words of a source say that it is the business's own, such as a survey, and no platform.
func OwnSource(source string) bool {
	return source != "" && !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(source), func(c rune) bool { return strings.ContainsRune("-_. ", c) }), func(word string) bool {
		return !slices.Contains(ownSources, word)
	})
}

// Words returns what a problem's message and suggestion have that may be ids, or names of fields.
func (p Problem) Words() (words []string) {
	for _, word := range strings.FieldsFunc(p.Message+" "+p.Suggestion, func(c rune) bool { return !reviewcast.ValidID("a" + string(c)) }) {
		words = append(words, strings.Trim(word, "."))
	}
	return words
}

// Mistyped reports whether two words of at least four letters differ in one letter only, or in two that are exchanged.
func Mistyped(a, b string) bool {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	var apart []int
	for i := 0; i < len(x) && len(x) == len(y); i++ {
		if x[i] != y[i] {
			apart = append(apart, i)
		}
	}
	return len(x) > 3 && (len(apart) == 1 || len(apart) == 2 && apart[1] == apart[0]+1 && x[apart[0]] == y[apart[1]] && x[apart[1]] == y[apart[0]])
}

// section returns what a table has after a name in brackets, up to the next one.
func section(table, name string) string {
	_, rest, _ := strings.Cut(table, "\n["+name+"]\n")
	rest, _, _ = strings.Cut(rest, "\n[")
	return rest
}

// Words returns the words of a section of a table.
func Words(table, name string) []string { return strings.Fields(section(table, name)) }

// Lines returns a section of lines "word word: meaning".
func Lines(table, name string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(section(table, name)) {
		words, meant, _ := strings.Cut(line, ":")
		for word := range strings.FieldsSeq(words) {
			m[word] = strings.TrimSpace(meant)
		}
	}
	return m
}

// Rows returns a section of lines whose columns are separated by tabs.
func Rows(table, name string) (rows [][]string) {
	for line := range strings.Lines(section(table, name)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// Forms returns the regular expressions of a section of lines "name, tab, expression" by their names; nil for another
// name. Each is compiled when it is first used: a program uses few of them.
func Forms(table, name string) func(name string) *regexp.Regexp {
	m := map[string]func() *regexp.Regexp{}
	for _, row := range Rows(table, name) {
		if len(row) == 2 { // and no note
			m[row[0]] = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(row[1]) })
		}
	}
	return func(name string) *regexp.Regexp {
		if compiled := m[name]; compiled != nil {
			return compiled()
		}
		return nil
	}
}

// Nothing reports whether a text says that there is nothing to write: "no", "n/a", "-".
func Nothing(s string) bool { return slices.Contains(nothing, strings.ToLower(strings.TrimSpace(s))) }

// Nobody reports whether a text stands for a name that isn't known, but is not "Anonymous". "K. A." are initials, "k. A."
// is German for none given.
func Nobody(s string) bool {
	name := strings.Join(strings.Fields(s), "")
	return slices.Contains(nobody, strings.Trim(strings.ToLower(name), "()<>")) && !forms("initials").MatchString(name) && name != "Anonymous"
}

// SurnameLast returns "Maria Kowalska" for "Kowalska, Maria" and for "KOWALSKA Maria", and otherwise drops what follows
// the comma: "Maria Kowalska, MD". Of a surname of several words, such as "Van den Broeck, Griet", it keeps the first
// one with a capital letter.
func SurnameLast(name string) string {
	before, after, comma := strings.Cut(name, ",")
	if !comma {
		return forms("capitalsFirst").ReplaceAllString(name, "$2 $1")
	}
	words := strings.Fields(before)
	plain := func(word string) bool { return !slices.Contains(particles, strings.ToLower(word)) }
	if len(words) == 0 || slices.ContainsFunc(words[:len(words)-1], plain) || !strings.ContainsFunc(after, unicode.IsLetter) {
		return before
	}
	capital := slices.IndexFunc(words, func(word string) bool { return strings.ToLower(word) != word })
	return after + " " + words[max(capital, 0)]
}

// ParseRating reads the forms of a rating that have one meaning only: "4.5", "4,5", "4/5", "4 out of 5", "5 star
// rating", "five", "90%", "★★★★☆", "****" and "5⭐". scale is the best rating if the text says it; otherwise 0.
func ParseRating(s string) (value, scale float64, ok bool) {
	s, _ = TrimCurlyQuotes(strings.TrimSpace(s))
	s = strings.TrimRight(strings.TrimLeft(width.Narrow.String(strings.ToLower(s)), "( \t\n"), ")!,; \t\n")
	s = strings.NewReplacer("rated ", "", "½", ".5", " on google", "").Replace(s)
	if s != "" && strings.Trim(s, "*") == "" {
		s = strings.Repeat("★", len(s))
	}
	if number := strings.TrimRight(s, "★⭐\uFE0F "); number != "" && !strings.ContainsAny(number, "★⭐☆✩") {
		s = number // 5⭐
	}
	full, empty := strings.Count(s, "★")+strings.Count(s, "⭐"), strings.Count(s, "☆")+strings.Count(s, "✩")
	if full+empty > 0 {
		return float64(full), float64(Pick(empty > 0, full+empty, 0)), strings.TrimLeft(strings.TrimLeft(s, "★⭐\uFE0F "), "☆✩ ") == ""
	}
	m := forms("ratingForm").FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	word := cmp.Or(starWords[m[1]], m[1])
	if scale = number(m[3]); m[4] != "" {
		scale = 100
	}
	return number(word), scale, forms("decimalForm").MatchString(word) && (m[3] == "" || scale > 0)
}

// number reads a number with a point or a comma; 0 for none.
func number(s string) float64 {
	v, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return v
}

// MeantRating returns what to write for a rating such as "5/5", "five" or "★★★★★"; "" if that is not clear. Nothing of
// it is accepted as a rating.
func MeantRating(s string) string {
	v, scale, ok := ParseRating(s)
	scale = cmp.Or(scale, reviewcast.MaxRating)
	exact := v * reviewcast.MaxRating / scale
	switch whole := int(exact); {
	case !ok || v > scale || exact < reviewcast.MinRating:
		return ""
	case exact == float64(whole):
		return fmt.Sprintf("write %d", whole)
	case scale != reviewcast.MaxRating:
		return fmt.Sprintf("write %d or %d: it is %.3g of %d stars, and ratings are whole numbers", whole, whole+1, exact, reviewcast.MaxRating)
	default:
		return fmt.Sprintf("write %d or %d: ratings are whole numbers", whole, whole+1)
	}
}

// ExplainDate returns what is wrong with a date that is not a calendar date of the form YYYY-MM-DD, and what to write.
// name is the name of its field.
func ExplainDate(name, s string) (message, suggestion string) {
	const form = "write it as YYYY-MM-DD"
	if forms("dateForm").MatchString(s) {
		exchanged := s[:5] + s[8:] + s[4:7]
		remedy := Pick(reviewcast.Date(exchanged).Valid(), "write "+exchanged+" if month and day are exchanged", "correct the month or the day")
		for day := 30; day > 27 && s[8:] <= "31"; day-- {
			if last := s[:8] + strconv.Itoa(day); s > last && reviewcast.Date(last).Valid() {
				return fmt.Sprintf("%s %s does not exist", name, s), fmt.Sprintf("write %s if the last day of the month is meant; if not, correct the month or the day", last)
			}
		}
		return fmt.Sprintf("%s %s does not exist", name, s), remedy
	}
	for _, layout := range []string{"2006-1", "Jan 2006", "1/2006", "1.2006"} {
		if t, err := time.Parse(layout, PlainDate(s)); err == nil {
			return fmt.Sprintf("%s %s has no day", name, Quote(s)), fmt.Sprintf("look it up, and %s, such as %s-14", form, t.Format("2006-01"))
		}
	}
	choices, iso := meantDates(s), forms("isoForm").FindAllString(s, -1)
	date, _, _ := strings.Cut(strings.Join(choices, ""), " ")
	what, remedy := "is not a date", form+", such as 2026-03-14"
	switch {
	case len(choices) > 1:
		what, remedy = "is ambiguous", "write "+strings.Join(choices, ", ")
	case date != "" && strings.ContainsAny(s, "‐‑–—−"):
		what, remedy = "has dashes in place of hyphens", "write "+date+" with the minus key"
	case date != "" && date == strings.NewReplacer("O", "0", "o", "0", "l", "1", "I", "1").Replace(s):
		what, remedy = "has a letter in place of a digit, such as O for 0", "write "+date
	case date != "":
		what, remedy = "is not in the form YYYY-MM-DD", "write "+date
	case len(iso) == 1 && reviewcast.Date(iso[0]).Valid():
		what, remedy = "has more than a date", "write "+iso[0]
	case len(meantDates(forms("lastDays").ReplaceAllString(s, "28"))) > 0:
		what, remedy = "does not exist", "correct the month or the day, and "+form
	case ages.MatchString(s) && strings.HasPrefix(name, "owner_reply"):
		what, remedy = "is no day of the calendar", "write the day on which you answered, as YYYY-MM-DD"
	case ages.MatchString(s):
		what, remedy = "is counted from the day on which it was read", "look up the day where the review was given, or in the mail that announced it, and "+form
	}
	return fmt.Sprintf("%s %s %s", name, Quote(s), what), remedy
}

// ages matches words that count a date from today.
var ages = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:` + strings.Join(Words(wordsFile, "ages"), "|") + `)(?:$|[^\pL])`)

// EnglishMonths writes the names of months as English short forms, and keeps everything else.
func EnglishMonths(s string) string {
	return forms("letters").ReplaceAllStringFunc(s, func(word string) string {
		return cmp.Or(months[strings.ToLower(strings.TrimSuffix(word, "."))], word)
	})
}

// PlainDate writes months as English short forms, and drops weekdays, "of", ordinals and the time of the day.
func PlainDate(s string) string {
	s, _ = TrimCurlyQuotes(strings.TrimSpace(s))
	s = strings.NewReplacer("‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-", "'", "", "_", "-", "(", "", ")", "", " ago ", " aug ", " ago. ", " aug ", "-ago-", "-aug-", "°", "", "年", "-", "月", "-").Replace(strings.ToLower(s))
	s = forms("ordinals").ReplaceAllString(forms("spaces").ReplaceAllString(s, " ")+" ", "$1 ")
	s = forms("letters").ReplaceAllStringFunc(s, func(word string) string {
		word = strings.TrimSuffix(word, ".")
		return cmp.Or(months[word], clockWords[word])
	})
	return forms("clock").ReplaceAllString(strings.TrimSpace(forms("spaces").ReplaceAllString(s, " ")), "$1")
}

// meantDates reads the other ways in which people write dates. Of a date that can be read in several ways all come
// back, the one with the day first before the others, each with when it is meant.
func meantDates(s string) (found []string) {
	s = s[strings.LastIndex(s, ": ")+1:]
	if n, err := strconv.Atoi(s); err == nil && 30_000 < n && n < 80_000 { // how spreadsheets count days
		return []string{time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)}
	}
	s = PlainDate(s)
	for _, layouts := range dayLayouts {
		for i, layout := range layouts {
			t, err := time.Parse(layout, s)
			if date := t.Format(time.DateOnly); err == nil && (len(found) == 0 || !strings.HasPrefix(found[0], date)) {
				found = append(found, date+[]string{" if the day comes first in it", " if the month does", " if the year does"}[i])
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// curly maps the quotation marks of word processors to those that close them.
var curly = map[rune]string{'“': "”“", '”': "”", '„': "“”", '‘': "’‘", '’': "’", '‚': "‘’", '«': "»", '»': "«", '‹': "›", '›': "‹"}

// TrimCurlyQuotes removes a pair of typographic quotation marks around a text. No
// format takes them for quotes. ok is false if there is no such pair.
func TrimCurlyQuotes(s string) (inner string, ok bool) {
	first, size := utf8.DecodeRuneInString(s)
	last, lastSize := utf8.DecodeLastRuneInString(s)
	if len(s) <= size || curly[first] == "" || !strings.ContainsRune(curly[first], last) {
		return s, false
	}
	inner = s[size : len(s)-lastSize]
	if strings.ContainsRune(inner, first) || strings.ContainsRune(inner, last) {
		return s, false // “one” and “two”
	}
	return inner, true
}

// Mojibake finds text in UTF-8 that a program has read as Windows-1252 or Latin-1, such as "donâ€™t" for "don’t". It
// returns the first such characters and what they stand for; "" if there are none.
func Mojibake(s string) (garbled, meant string) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return "", "" // most texts
	}
	runes := []rune(s)
	raw := make([]byte, len(runes))
	for i, r := range runes {
		known := false
		if raw[i], known = charmap.Windows1252.EncodeRune(r); !known && r < 0xA0 { // a byte without a character
			raw[i] = byte(r)
		}
	}
	for i := range raw {
		if r, n := utf8.DecodeRune(raw[i:]); n > 1 && isMeant(r, runes, i, i+n-1) {
			return string(runes[i : i+n]), string(r)
		}
	}
	return "", ""
}

// isMeant reports whether the characters of a text from first to last stand for r, and are not there by chance, such as
// an É before an ellipsis: a letter beyond Western Europe whose last byte looks like punctuation is within a word.
func isMeant(r rune, text []rune, first, last int) bool {
	sure := 0xA0 <= r && r <= 0xFF || 0x2010 <= r && r <= 0x2026 || strings.ContainsRune("€™Œœ\uFEFF", r) || r > 0xFFFF // an emoji
	letter := 0x100 <= r && r <= 0x17F || 0x218 <= r && r <= 0x21B || 0x370 <= r && r <= 0x45F
	within := first > 0 && unicode.IsLower(text[first-1]) || last < len(text)-1 && unicode.IsLower(text[last+1])
	return sure || letter && (within || !strings.ContainsRune("…–—‘’“”‚„‹›«»·™®\u00a0", text[last]))
}

// wholeLetters are letters that are no other letter with an accent.
var wholeLetters = strings.NewReplacer("ł", "l", "Ł", "L", "ø", "o", "Ø", "O", "đ", "d", "Đ", "D", "ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ı", "i", "þ", "th", "Þ", "Th", "ð", "d", "Ð", "D", "ħ", "h")

// Unaccented returns a text with letters without accents: of ü, u stays.
func Unaccented(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return s
	}
	return forms("accents").ReplaceAllString(norm.NFD.String(wholeLetters.Replace(s)), "")
}

// latinLetters are Greek and Cyrillic letters without accents, and Latin ones for them.
var latinLetters = strings.NewReplacer(Words(wordsFile, "latin")...)

// Latin returns a text with letters of ASCII for its Latin, Greek and Cyrillic letters, as ids have them.
func Latin(s string) string { return latinLetters.Replace(Unaccented(s)) }
