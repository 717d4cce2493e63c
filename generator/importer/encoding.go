package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"reviewcast/generator/diagnostic"
)

// encodings are the values of Config.Encoding: those of alphabets, and Unicode. Nil is UTF-8, which is not decoded but
// checked cell by cell, where a message can name the line.
var encodings = func() map[string]encoding.Encoding {
	m := map[string]encoding.Encoding{"": nil, "utf-8": nil, "utf-16le": utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM), "utf-16be": utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM)}
	for _, e := range charmap.All {
		if name := strings.ToLower(strings.NewReplacer("IBM Code Page ", "cp", " ", "-").Replace(fmt.Sprint(e))); strings.Contains(alphabets, name+": ") {
			m[name] = e
		}
	}
	return m
}()

// Encodings are the names of the encodings, for messages.
func Encodings() string { return strings.Join(slices.Sorted(maps.Keys(encodings))[1:], ", ") }

// alphabets has the letters beyond ASCII of languages, by the encodings that have them.
//
//go:embed alphabets.txt
var alphabets string

// likely returns the encoding that a text in one of the encodings with a byte for each character has: the one in which
// the most of its letters beyond ASCII are those of one language. share is how many are, and given how many with the
// encoding that is given. It returns "" if there are no such letters.
func likely(raw []byte, encodingGiven string) (name string, share, given float64) {
	for line := range strings.Lines(alphabets) {
		encoding, letters, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		decoded, _ := encodings[encoding].NewDecoder().Bytes(raw)
		all, known, lower, ascii := 0, 0, false, false
		text := []rune(string(decoded))
		for i, r := range text {
			small := unicode.ToLower(r)
			switch {
			case r < utf8.RuneSelf:
				ascii = unicode.IsLetter(r)
			case r == '£' && (i < len(text)-1 && unicode.IsDigit(text[i+1]) || i > 0 && unicode.IsDigit(text[i-1])): // in windows-1250 Ł
				all, known = all+1, known+1
			case !strings.ContainsRune(punctuation, r), strings.ContainsRune("„…£°•§™®©½", r) && 0 < i && i < len(text)-1 && unicode.IsLetter(text[i-1]) && unicode.IsLetter(text[i+1]):
				all++
				other := ascii && strings.ContainsAny(letters, "жα") // no word has letters of two scripts
				if strings.ContainsRune(letters, small) && !other && (r == small || !lower) {
					known++
				}
			}
			lower = unicode.IsLower(r)
		}
		s := float64(known) / float64(max(all, 1))
		if s > share && (known > 1 || !strings.HasPrefix(encoding, "cp")) { // of these, a capital may be chance
			name, share = encoding, s
		}
		if encoding == encodingGiven {
			given = max(given, s)
		}
	}
	return name, share, given
}

// punctuation are characters beyond ASCII that texts of every language have, the last ten not within words.
const punctuation = "–—‘’‚“”«»€·´\u00a0" + "„…£°•§™®©½"

// sample returns a word of a text that two encodings read otherwise, as each reads it.
func sample(raw []byte, given, meant string) (wrong, right string) {
	for _, word := range bytes.FieldsFunc(raw, func(r rune) bool { return r < utf8.RuneSelf && !('a' <= r|0x20 && r|0x20 <= 'z') }) {
		a, _ := encodings[given].NewDecoder().Bytes(word)
		b, _ := encodings[meant].NewDecoder().Bytes(word)
		if wrong, right = string(a), string(b); wrong != right {
			break
		}
	}
	return wrong, right
}

// marks are the byte order marks. They override Config.Encoding, since no text begins with one by chance.
var marks = map[string]string{"\xEF\xBB\xBF": "utf-8", "\xFF\xFE": "utf-16le", "\xFE\xFF": "utf-16be"}

// text is an export as UTF-8.
type text struct {
	io.Reader
	// lossy reports that U+FFFD stands for something that could not be decoded, and is not the customer's own character.
	lossy bool
}

// decode converts an export to UTF-8 without a byte order mark if its encoding is known. Bytes that are not UTF-8 are
// left to the reader.
func decode(ctx context.Context, r io.Reader, cfg Config, json bool) (text, error) {
	in := bufio.NewReaderSize(&meter{ctx: ctx, r: r}, 64<<10)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return text{}, fmt.Errorf("read export: %w", err)
	}
	if remedy := notText(in, json); remedy != "" {
		head, _ = in.Peek(64 << 10)
		if m := append(forms("publishedID").FindSubmatch(head), nil, nil); cfg.Taken(string(m[1])) != "" {
			return text{}, usageError(messages["published here"], m[1], cfg.Taken(string(m[1])))
		}
		return text{}, &UsageError{[]string{remedy}}
	}
	name := cfg.Encoding
	for mark, encoding := range marks {
		if bytes.HasPrefix(head, []byte(mark)) {
			_, _ = in.Discard(len(mark)) // they have been peeked at
			name = encoding
		}
	}
	if i := bytes.IndexByte(head, 0); i >= 0 && encodings[name] == nil { // UTF-16 without a mark
		name = [...]string{"utf-16be", "utf-16le"}[min(i, 1)]
	}
	enc := encodings[name]
	if enc == nil {
		return text{Reader: in}, nil
	}
	if _, ok := enc.(*charmap.Charmap); ok {
		raw, _ := in.Peek(64 << 10)
		if utf8.Valid(raw) { // as the texts say better, see [converter.text]
			raw = nil
		}
		meant, share, given := likely(raw, name)
		if wrong, right := sample(raw, name, cmp.Or(meant, name)); share > 0.9 && given < 0.8 && wrong != right {
			return text{}, usageError("the export seems to be in %[1]s, where a word is %[2]s; in %[3]s it is %[4]s: import it with --encoding %[1]s, or save it as CSV UTF-8 and import that without --encoding", meant, quote(right), name, quote(wrong))
		}
	}
	return text{Reader: transform.NewReader(in, enc.NewDecoder()), lossy: true}, nil
}

//go:embed formats.txt
var formatsFile string

// notText reports what to do with an export that is no text, or not one of reviews of the business; "" when it may be.
func notText(in *bufio.Reader, json bool) string {
	head, _ := in.Peek(2 << 10) // what is wrong with a short export shows later
	start := string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n"))
	// Latin-1 has a character for each byte.
	characters, _ := charmap.ISO8859_1.NewDecoder().String(start)
	for _, row := range slices.Concat(rows("files"), rows(diagnostic.Pick(json, "no json", "no table"))) {
		if regexp.MustCompile("(?is)" + row[0]).MatchString(characters) {
			return row[1]
		}
	}
	return ""
}

// meter counts the bytes of an export that are read, and stops at MaxExport and when the context ends.
type meter struct {
	ctx  context.Context
	r    io.Reader
	done int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.done += int64(n)
	if m.done > MaxExport {
		return 0, ErrTooLarge
	}
	return n, err
}
