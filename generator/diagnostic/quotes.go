package diagnostic

import (
	"strings"
	"unicode/utf8"
)

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
