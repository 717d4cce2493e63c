package mcpserver

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cleanJSON applies cleanText to the strings of a valid JSON text. It may return its argument.
func cleanJSON(raw []byte) []byte {
	if bytes.Contains(raw, []byte(`\u`)) {
		// An escape may encode any character. Formatting writes every character as
		// itself, except controls below U+0020, which no published text has.
		if formatted, err := jsontext.AppendFormat(nil, raw); err == nil {
			raw = formatted
		}
	}
	return cleanText(raw)
}

// cleanText removes from a text in UTF-8 the characters that a person can't see but an agent reads. They hide
// instructions in a text (tag characters, runs of variation selectors), hide words from a search, and display text in
// another order than it is read. The published files keep them; only the agent's view lacks them.
//
// It removes format characters (Cf), which include bidirectional controls, the other default-ignorable characters of
// Unicode, variation selectors, the blank Braille pattern, and private-use characters, which have no agreed meaning.
// Three kinds stay, because words or symbols would change without them:
//
//   - visible characters of category Cf, such as the Arabic number sign;
//   - U+200C and U+200D between letters of scripts that join or stack their letters (Persian, the scripts of India,
//     Khmer, Myanmar and others), and a single U+200D between the parts of an emoji;
//   - a single U+FE0E or U+FE0F after a symbol or a digit, where it selects text or emoji style.
//
// Flags that consist of tag characters (Scotland's) become a black flag.
func cleanText[T ~string | ~[]byte](text T) T {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return text
	}
	i = max(0, i-1) // the first one that isn't ASCII may need the one before
	s := string(text[i:])
	if strings.IndexFunc(s, hidden) < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)), text[:i]...)
	var last rune // that was kept
	for at, r := range s {
		if r < utf8.RuneSelf || !hidden(r) || needed(last, r, s[at+utf8.RuneLen(r):]) {
			out = utf8.AppendRune(out, r)
			last = r
		}
	}
	return T(out)
}

const emojiStyle = '\uFE0F'

func hidden(r rune) bool {
	if r < 0x34F && r != 0xAD || 0x2010 <= r && r <= 0x2027 {
		return false // fast path for the letters of most European texts, and for their dashes and quotation marks
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		0xE000 <= r && r <= 0xF8FF || r >= 0xF0000 || r == 0x2800 // private use, and the blank Braille pattern
}

// needed reports whether a hidden r between last and rest is part of the spelling of a word or symbol.
func needed(last, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case '\u200C': // the non-joiner
		return joins(last)
	case '\u200D': // the joiner
		return joins(last) || pictorial(last) && pictorial(next) && next != emojiStyle
	case '\uFE0E', emojiStyle: // text style
		return last > unicode.MaxLatin1 && unicode.In(last, unicode.So, unicode.Sm, unicode.Po) ||
			last == '©' || last == '®' || '0' <= last && last <= '9' || last == '#' || last == '*'
	}
	return false
}

// joins reports whether r is a letter or mark of a script that uses joiners.
func joins(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// pictorial reports whether r can be part of an emoji: a pictograph, a skin tone, or the style selector.
func pictorial(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError || 0x1F3FB <= r && r <= 0x1F3FF || r == emojiStyle
}

// instructive matches parts of a phrase, in lower case, that addresses an agent.
var instructive = regexp.MustCompile(`ignore|disregard|instruction|prompt|assistant|you must|you are|as an ai|language model|` +
	`override|http|www\.|tool call|call the tool`)
