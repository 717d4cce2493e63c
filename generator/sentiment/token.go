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
	capital    shape = 1 << iota // begins with an upper-case letter
	allCaps                      // two or more letters, all upper case
	excited                      // an exclamation mark follows
	asked                        // a question mark follows
	quotedWord                   // alone between quotation marks
	opensRun                     // the first token of a sentence or after a stop
)

// maxWord is how many bytes of a run of letters are taken for a word. It stops a
// text without blanks, 100,000 letters long, from becoming a key of the word
// list; a longer run is an unknown word.
const maxWord = 48

// scan cuts text into tokens. The lexer remembers every word it has looked up.
func (lx *lexer) scan(text string, dst []token) []token {
	mark, last := tight, byte(0)
	quoted := false // an opening quotation mark directly precedes
	newlines := 0
	opens := true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !asciiWord[c] {
				i++
				switch c {
				case ' ', '\t', '-', '\'', '/', '&', '*', '_', '$', '#', '+', '%':
					if c == '-' && last == '-' {
						mark = stop
					}
				case '\n':
					if newlines++; newlines > 1 {
						mark = stop
					}
				case ',':
					mark = max(mark, comma)
				case '"':
					quoted = true
				case '(', ')':
					mark = max(mark, comma)
				case '!', '?', '.', ';', ':':
					mark = stop
					if n := len(dst); n > 0 {
						switch c {
						case '!':
							dst[n-1].shape |= excited
						case '?':
							dst[n-1].shape |= asked
						}
					}
				}
				if c != '"' {
					quoted = quoted && c == '\''
				}
				last = c
				continue
			}
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !wordRune(r) {
				w := lx.symbols[r]
				i += size
				switch r {
				case '—', '–', '…', '。', '！', '？', '；', '：', '•', '·':
					mark = stop
				case '，', '、':
					mark = max(mark, comma)
				case '“', '„', '«', '”', '»':
					quoted = r != '”'
				case 0xFE0F, 0x200D, '’':
				default:
					quoted = false
				}
				if w != nil {
					dst = append(dst, token{start: int32(i - size), end: int32(i), word: w, gap: mark})
					mark, newlines, last = tight, 0, 0
				}
				continue
			}
		}
		start := i
		var shp shape
		i, shp = wordEnd(text, i)
		t := token{start: int32(start), end: int32(i), gap: mark, shape: shp}
		if mark == stop || opens {
			t.shape |= opensRun
		}
		if quoted && closesQuote(text[i:]) {
			t.shape |= quotedWord
		}
		t.word = lx.lookup(text[start-currency(text, start) : i])
		dst = append(dst, t)
		mark, newlines, quoted, opens, last = tight, 0, false, false, 0
	}
	return dst
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

func closesQuote(rest string) bool {
	return strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "”") || strings.HasPrefix(rest, "“") || strings.HasPrefix(rest, "»")
}

// wordEnd finds the end of the word that begins at i: letters, marks and digits,
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
