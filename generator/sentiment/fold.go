package sentiment

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// latin are letters without a decomposition, and what people write in their place.
var latin = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ı': "i", '’': "'", 'ʼ': "'",
}

// Fold returns the form in which words are compared: lower case, without
// diacritics, apostrophes straight. "Hélène" and "helene" are one word.
func Fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if unicode.IsMark(r) {
			continue
		}
		r = unicode.ToLower(r)
		if plain, ok := latin[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// endings are the English endings after an apostrophe. "n't" is not among them: it negates.
var endings = []string{"'s", "'ll", "'ve", "'d", "'re", "'m", "s'"}

// bare strips such an ending: "Marcus's" becomes "Marcus", "they'd" "they".
func bare(s string) string {
	if !strings.Contains(s, "'") {
		return s
	}
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(s, e); ok && rest != "" {
			if e == "s'" {
				return rest + "s"
			}
			return rest
		}
	}
	return s
}
