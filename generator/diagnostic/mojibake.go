package diagnostic

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Mojibake finds text in UTF-8 that a program has read as Windows-1252, such as "donâ€™t" for "don’t". It returns the
// first such characters and what they stand for; "" if there are none.
func Mojibake(s string) (garbled, meant string) {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return "", "" // most texts
	}
	runes := []rune(s)
	for i := range runes {
		for n := 3; n >= 2; n-- { // such characters have two or three bytes in UTF-8
			if i+n > len(runes) || runes[i] < utf8.RuneSelf {
				continue
			}
			var raw []byte
			for _, r := range runes[i : i+n] {
				raw = append(raw, windows1252(r))
			}
			r, size := utf8.DecodeRune(raw)
			if size == n && r != utf8.RuneError && western(r) {
				return string(runes[i : i+n]), string(r)
			}
		}
	}
	return "", ""
}

// windows1252 returns the byte of a character; 0 if there is none.
func windows1252(r rune) byte {
	if b, ok := charmap.Windows1252.EncodeRune(r); ok {
		return b
	}
	if r >= 0x80 && r < 0xA0 { // bytes without a character
		return byte(r)
	}
	return 0
}

// western reports whether a character is one that Western European texts have: other results of decoding may be
// chance, such as an É before an ellipsis.
func western(r rune) bool {
	return r >= 0xA0 && r <= 0xFF || r >= 0x2010 && r <= 0x2026 || r == '€' || r == '™' || r == 'Œ' || r == 'œ'
}
