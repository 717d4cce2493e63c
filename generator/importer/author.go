package importer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
)

// anonymous is the author of a review without a name.
const anonymous, quotedAnonymous = "Anonymous", `"Anonymous"`

// publishedAuthor turns an export's author into the name that is published.
//
// With initials that is the first word and the initial of the last, "Maria K.", however many words are in between; a
// single word stays as it is, and so does the case of the first. A name written surname first with a comma is
// reordered. In full it is the name as given, with single spaces. In both cases a word with an @ is an e-mail address
// and is left out, and a name that then has no letter (nothing, a telephone number, an emoji) or begins with
// "Anonymous" is Anonymous.
func publishedAuthor(name string, full bool) string {
	if !full {
		name = surnameLast(name)
	}
	kept := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return strings.Contains(w, "@") })
	name = strings.Join(kept, " ")
	if !strings.ContainsFunc(name, unicode.IsLetter) || placeholder(kept) {
		return anonymous
	}
	if full || len(kept) == 1 {
		return name
	}
	for i := len(kept) - 1; i > 0; i-- {
		if initial := initialOf(kept[i]); initial != "" {
			return kept[0] + " " + initial + "."
		}
	}
	return kept[0] // "Maria !!!"
}

// placeholder reports whether the words are what a platform shows in place of a name.
func placeholder(words []string) bool {
	return strings.EqualFold(strings.Trim(words[0], "()[]<>"), anonymous) || diagnostic.Nobody(strings.Join(words, " ")) ||
		strings.EqualFold(strings.Join(words, " "), "a Google user")
}

// surnameLast returns "Maria Kowalska" for "Kowalska, Maria", and otherwise drops what follows the comma: "Maria
// Kowalska, MD".
func surnameLast(name string) string {
	before, after, comma := strings.Cut(name, ",")
	if !comma {
		return name
	}
	if len(strings.Fields(before)) == 1 && strings.ContainsFunc(after, unicode.IsLetter) {
		return after + " " + before
	}
	return before
}

// initialOf returns the first letter of a word in upper case with its combining marks; "" if there is none.
func initialOf(word string) string {
	start := strings.IndexFunc(word, unicode.IsLetter)
	if start < 0 {
		return ""
	}
	letter, size := utf8.DecodeRuneInString(word[start:])
	rest := word[start+size:]
	marks := len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.Is(unicode.Mn, r) }))
	return string(unicode.ToTitle(letter)) + rest[:marks]
}
