package sentiment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one word or number of a text.
type token struct {
	start, end int32 // bytes of the text
	*word
	// gap is the separator between the token before and this one.
	gap gap
	// clause and sentence number the parts of the text that the token is in.
	clause, sentence int32
	shape            shape
}

// gap is what separates a token from the one before, the strongestCue mark of it.
type gap uint8

const (
	tight gap = iota // blanks, hyphens
	comma            // the border of a clause
	stop             // . ! ? ; : dashes, brackets, an empty line
)

// shape is how a token is written, which its folded word no longer shows.
type shape uint8

const (
	capital  shape = 1 << iota // begins with an upper-case letter
	allCaps                    // two or more letters, all upper case
	asked                      // a question mark follows
	opensRun                   // the first token of a sentence or after a stop
)

// maxWord is how many bytes of a run of letters are taken for a word. It stops a
// text without blanks, 100,000 letters long, from becoming a key of the word
// list; a longer run is an unknown word.
const maxWord = 48

// separators is what stands between two tokens.
type separators struct {
	gap      gap
	last     byte
	newlines int
}

// scan splits text into tokens. The lexer caches every word it has looked up.
func (lx *lexer) scan(text string, dst []token) []token {
	between := separators{gap: stop}
	for i := 0; i < len(text); {
		var size int
		end := i
		var shp shape
		if c := text[i]; c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(text[i:]); !wordRune(r) {
				between.sign(r)
				if w := lx.symbols[r]; w != nil {
					dst = append(dst, token{start: int32(i), end: int32(i + size), word: w, gap: between.gap})
					between = separators{}
				}
				i += size
				continue
			}
		} else if !asciiWord[c] {
			between.ascii(c)
			if n := len(dst); n > 0 && c == '?' {
				dst[n-1].shape |= asked
			}
			i++
			continue
		}
		end, shp = wordEnd(text, i)
		t := token{start: int32(i), end: int32(end), gap: between.gap, shape: shp}
		if between.gap == stop {
			t.shape |= opensRun
		}
		t.word = lx.lookup(text[i-currency(text, i) : end])
		if len(dst) == 0 {
			t.gap = tight
		}
		dst = append(dst, t)
		between, i = separators{}, end
	}
	return dst
}

// ascii adds a character that is no letter or digit.
func (s *separators) ascii(c byte) {
	switch c {
	case '-':
		if s.last == '-' {
			s.gap = stop
		}
	case '\n':
		if s.newlines++; s.newlines > 1 {
			s.gap = stop
		}
	case ',', '(', ')':
		s.gap = max(s.gap, comma)
	case '!', '?', '.', ';', ':':
		s.gap = stop
	}
	s.last = c
}

// sign adds a character beyond ASCII that is no letter or digit.
func (s *separators) sign(r rune) {
	switch r {
	case '—', '–', '…', '。', '！', '？', '；', '：', '•', '·':
		s.gap = stop
	case '，', '、':
		s.gap = max(s.gap, comma)
	}
}

// currency returns the length of the symbol before the number that begins at i, 0 when
// there is none: "$480" is looked up with it, since it is money and "480" may not be.
func currency(s string, i int) int {
	if i > 0 && digit(s[i]) {
		for _, sign := range [...]string{"$", "£", "€"} {
			if strings.HasSuffix(s[:i], sign) {
				return len(sign)
			}
		}
	}
	return 0
}

// wordEnd returns the end of the word that begins at i: letters, marks and digits,
// apostrophes between letters, and points and commas between digits.
func wordEnd(s string, i int) (int, shape) {
	start, upper, lower := i, 0, 0
	var shp shape
	for i < len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			if c >= 'a' {
				lower++
			}
			i++
			continue
		case 'A' <= c && c <= 'Z':
			if i == start {
				shp = capital
			}
			upper++
			i++
			continue
		case c == '\'':
			if i > start && i+1 < len(s) && letterAt(s, i+1) && !elided(s[start:i]) {
				i++
				continue
			}
		case c == '.' || c == ',' || c == ':':
			if i > start && digit(s[i-1]) && i+1 < len(s) && digit(s[i+1]) {
				i++
				continue
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == '’' || r == 'ʼ' {
				if i > start && i+size < len(s) && letterAt(s, i+size) && !elided(s[start:i]) {
					i += size
					continue
				}
				break
			}
			if wordRune(r) {
				if unicode.IsUpper(r) {
					if i == start {
						shp = capital
					}
					upper++
				} else {
					lower++
				}
				i += size
				continue
			}
		}
		break
	}
	if upper > 1 && lower == 0 {
		shp |= allCaps
	}
	return i, shp
}

// elided reports whether s, before an apostrophe, is a French or Italian word that
// has lost its vowel: in "l’eau" and "d’Hélène" a new word begins.
func elided(s string) bool {
	return len(s) == 1 && strings.ContainsAny(s, "ldjnscmtLDJNSCMT") || s == "qu" || s == "Qu"
}

func letterAt(s string, i int) bool {
	if c := s[i]; c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && r != 0xFE0F
}

var asciiWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	return t
}()
