package sentiment

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
	"golang.org/x/text/unicode/norm"
)

// token is one word or number of a text.
type token struct {
	start, end int32 // bytes of the text
	*word
	gap              gap   // the separator between the token before and this one
	clause, sentence int32 // number the parts of the text that the token is in
	shape            shape
}

// gap is what separates a token from the one before, the strongest mark of it.
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

// maxWord is how many bytes of a run of letters are taken for a word. It stops a text without blanks, 100,000 letters
// long, from becoming a key of the word list; a longer run is an unknown word.
const maxWord = 48

// scan splits text into tokens.
func (w *worker) scan(text string, dst []token) []token {
	between, newlines, last := stop, 0, rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		end, shp := i+size, shape(0)
		var found *word
		if wordRune(r) {
			end, shp = wordEnd(text, i)
			found = w.lookup(text[i:end])
		} else {
			if r == '\n' {
				newlines++
			}
			between = max(between, gapOf(r, last, newlines))
			if n := len(dst); n > 0 && r == '?' {
				dst[n-1].shape |= asked
			}
			last, found = r, w.v.dict.lex.signs[r]
		}
		if found != nil {
			if between == stop {
				shp |= opensRun
			}
			if len(dst) == 0 {
				between = tight
			}
			dst = append(dst, token{start: int32(i), end: int32(end), word: found, gap: between, shape: shp})
			between, newlines, last = tight, 0, 0
		}
		i = end
	}
	return dst
}

// gapOf returns what a character that is no letter or digit separates.
func gapOf(r, last rune, newlines int) gap {
	if r == '-' && last == '-' || r == '\n' && newlines > 1 {
		return stop
	}
	switch r {
	case '!', '?', '.', ';', ':', '—', '–', '…', '。', '！', '？', '；', '：', '•', '·':
		return stop
	case ',', '(', ')', '，', '、':
		return comma
	}
	return tight
}

// wordEnd returns the end of the word that begins at i: letters, marks and digits,
// apostrophes between letters, and points and commas between digits.
func wordEnd(s string, i int) (int, shape) {
	start, upper, lower := i, 0, 0
	var shp shape
word:
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		switch {
		case unicode.IsUpper(r):
			if i == start {
				shp = capital
			}
			upper++
		case '0' <= r && r <= '9':
		case wordRune(r):
			lower++
		case i > start && (r == '\'' || r == '’' || r == 'ʼ') && unicode.IsLetter(next) && !elided(s[start:i]):
		case i > start && (r == '.' || r == ',' || r == ':') && digit(s[i-1]) && unicode.IsDigit(next):
		default:
			break word
		}
		i += size
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

func digit(c byte) bool { return '0' <= c && c <= '9' }

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && r != 0xFE0F
}

// latin are letters without a decomposition, and what people write in their place.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "’", "'", "ʼ", "'")

// Fold returns the form in which words are compared: lower case, without
// diacritics, apostrophes straight. "Hélène" and "helene" are one word.
func Fold(s string) string {
	return latin.Replace(strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s)))
}

// endings are the English endings after an apostrophe. "n't" is not among them: it negates.
var endings = []string{"'s", "'ll", "'ve", "'d", "'re", "'m"}

// bare strips such an ending: "Marcus's" becomes "Marcus", "they'd" "they".
func bare(s string) string {
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(s, e); ok && rest != "" {
			return rest
		}
	}
	return s
}

// abbreviations end with a point that ends no sentence. UAX 29 leaves them to the application.
var abbreviations = strings.Fields("mr mrs ms dr st jr sr vs approx apt ave inc ltd mt prof")

// sentencesOf cuts a text by UAX 29, and joins what it cuts too much: a line that an editor's file broke within a
// sentence, and the point of an abbreviation. Blanks around a sentence belong to none.
func sentencesOf(text string, dst []Span) []Span {
	for it := sentences.FromString(text); it.Next(); {
		said := strings.TrimLeft(it.Value(), blanks)
		start := it.End() - len(said)
		end := start + len(strings.TrimRight(said, blanks))
		if start == end {
			continue
		}
		if n := len(dst); n > 0 && continues(text, dst[n-1], start) {
			dst[n-1].End = int32(end)
			continue
		}
		dst = append(dst, Span{int32(start), int32(end)})
	}
	return dst
}

const blanks = " \n\t"

// continues reports whether the sentence before goes on at byte next.
func continues(text string, before Span, next int) bool {
	said := text[before.Start:before.End]
	between := text[before.End:next]
	switch last := said[len(said)-1]; last {
	case '.':
		word := said[strings.LastIndexAny(said, " \n\t(")+1 : len(said)-1]
		return len(word) <= 6 && !strings.Contains(between, "\n") &&
			(slices.Contains(abbreviations, strings.ToLower(word)) || len(word) == 1 && 'A' <= word[0] && word[0] <= 'Z' && word != "I")
	case '!', '?', ':', ';', '"', ')', 0xA6: // the last byte of …
		return false
	}
	// A single line break after words is the file's, not the writer's, if the
	// line was a long one; lists have short lines.
	const minWrapped = 50 // bytes
	line := said[strings.LastIndexByte(said, '\n')+1:]
	return strings.Count(between, "\n") == 1 && len(line) >= minWrapped && !strings.ContainsAny(text[next:next+1], "-*•")
}

// structure numbers the sentences and clauses of the tokens. A clause ends at a comma or a stronger mark, before a word
// of contrast, and before "and" or "so" when a new subject follows.
func structure(tokens []token, sents []Span) {
	s, clause := 0, int32(0)
	for i := range tokens {
		t := &tokens[i]
		for s < len(sents)-1 && t.start >= sents[s].End {
			s++
		}
		t.sentence = int32(s)
		opens := i > 0 && t.sentence != tokens[i-1].sentence
		if opens {
			t.shape |= opensRun
		}
		if opens || t.gap >= comma || t.flags&contrast != 0 ||
			t.flags&joins != 0 && i+1 < len(tokens) && tokens[i+1].flags&subject != 0 {
			clause++
		}
		t.clause = clause
	}
}
