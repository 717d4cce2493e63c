package snapshot

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold appends s, which must be UTF-8, to dst in the form in which texts and queries are compared: NFC, with each code
// point replaced by the smallest one that is equal under simple case folding ("straße" -> "STRAßE", "K" -> "K").
func fold(dst, s []byte) []byte {
	if at := norm.NFC.QuickSpan(s); at < len(s) {
		s = norm.NFC.Append(make([]byte, 0, len(s)+len(s)/8), s...)
	}
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		dst = utf8.AppendRune(dst, foldRune(r))
		i += size
	}
	return dst
}

func foldString(s string) string { return string(fold(nil, []byte(s))) }

// foldRune is the smallest code point of r's orbit under simple case folding.
func foldRune(r rune) rune {
	if 0x2E80 <= r && r < 0xA640 || 0xAC00 <= r && r < 0xD800 {
		return r // CJK and Hangul have no case; this is a fast path for texts in them
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
