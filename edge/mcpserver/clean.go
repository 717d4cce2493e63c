package mcpserver

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// cleanJSON removes from the strings of a valid JSON text what cleanText removes
// from a text. It gives back its argument when there is nothing to remove.
func cleanJSON(raw []byte) []byte {
	if bytes.Contains(raw, []byte(`\u`)) {
		// An escape may stand for anything. Formatting writes every character as
		// itself, but for the controls below U+0020, which no published text has.
		if formatted, err := jsontext.AppendFormat(nil, raw); err == nil {
			raw = formatted
		}
	}
	return cleanText(raw)
}

// cleanText removes the characters that a person can't see and that an agent reads
// all the same: they are how hidden instructions are smuggled into a text (tag
// characters, runs of variation selectors), how a word is hidden from a search, and
// how text is shown in another order than it is read. What is published keeps them;
// this is the agent's view only.
//
// They are the format characters (Cf), bidirectional controls among them, the other
// characters that Unicode calls default-ignorable, and variation selectors. Three
// kinds stay, since without them words or signs would change:
//
//   - signs that are format characters by name only, such as the Arabic number sign;
//   - U+200C and U+200D between letters of scripts that join or stack their letters
//     (Persian, the scripts of India, Khmer, Myanmar and others), and U+200D between
//     the parts of one emoji, never two in a row;
//   - U+FE0E and U+FE0F, once, behind a sign or a digit, where they choose between a
//     plain and a coloured picture.
//
// Flags that are spelled in tag characters (Scotland's) become a black flag.
func cleanText[T ~string | ~[]byte](text T) T {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return text
	}
	s := string(text[i:])
	out := make([]byte, 0, len(text))
	out = append(out, text[:i]...)
	last := rune(-1)                // the last rune that was kept
	broken, removed := false, false // it is no UTF-8; something was removed behind it
	if i > 0 {
		last = rune(text[i-1])
	}
	for at, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[at:])
		}
		if size == 1 && broken && removed {
			continue // two bytes that are no UTF-8 and now stand together might become a hidden character
		}
		if r >= utf8.RuneSelf && hidden(r) && !needed(last, r, s[at+size:]) {
			removed = true
			continue
		}
		if broken = r == utf8.RuneError && size == 1; !broken {
			removed = false
		}
		out = append(out, s[at:at+size]...)
		last = r
	}
	return T(out)
}

const (
	nonJoiner   = '\u200C'
	joiner      = '\u200D'
	plainStyle  = '\uFE0E'
	colourStyle = '\uFE0F'
)

// hidden tells whether r can't be seen.
func hidden(r rune) bool {
	if r < 0x2000 && r != 0xAD && r < 0x34F {
		return false // letters of most European texts, quickly
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// needed tells whether a hidden r between the rune last and the text rest is part of
// how a word or a sign is written.
func needed(last, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch r {
	case nonJoiner:
		return joins(last)
	case joiner:
		return joins(last) || pictorial(last) && pictorial(next) && next != colourStyle
	case plainStyle, colourStyle:
		return last > unicode.MaxLatin1 && unicode.In(last, unicode.So, unicode.Sm, unicode.Po) ||
			last == '©' || last == '®' || '0' <= last && last <= '9' || last == '#' || last == '*'
	}
	return false
}

// joins tells whether r is a letter or mark of a script that writes with joiners.
func joins(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// pictorial tells whether r can be part of an emoji of several characters: a
// picture, a skin tone, or the end of a coloured one.
func pictorial(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError || 0x1F3FB <= r && r <= 0x1F3FF || r == colourStyle
}
