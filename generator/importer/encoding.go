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
)

// encodings are the values of Config.Encoding. Nil is UTF-8, which is not decoded but checked cell by cell, where a
// message can name the line.
var encodings = map[string]encoding.Encoding{
	"":             nil,
	"utf-8":        nil,
	"utf-16le":     utf16.UTF16(utf16.LittleEndian, utf16.IgnoreBOM),
	"utf-16be":     utf16.UTF16(utf16.BigEndian, utf16.IgnoreBOM),
	"iso-8859-2":   charmap.ISO8859_2,
	"windows-1250": charmap.Windows1250,
	"windows-1251": charmap.Windows1251,
	"windows-1252": charmap.Windows1252,
	"windows-1253": charmap.Windows1253,
	"windows-1254": charmap.Windows1254,
	"windows-1257": charmap.Windows1257,
	"macintosh":    charmap.Macintosh,
}

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
		for _, r := range string(decoded) {
			small := unicode.ToLower(r)
			switch {
			case r < utf8.RuneSelf:
				ascii = unicode.IsLetter(r)
			case !strings.ContainsRune(punctuation, r):
				all++
				other := ascii && strings.ContainsAny(letters, "жα") // no word has letters of two scripts
				if strings.ContainsRune(letters, small) && !other && (r == small || !lower) {
					known++
				}
			}
			lower = unicode.IsLower(r)
		}
		s := float64(known) / float64(max(all, 1))
		if s > share {
			name, share = encoding, s
		}
		if encoding == encodingGiven {
			given = max(given, s)
		}
	}
	return name, share, given
}

// punctuation are characters beyond ASCII that texts of every language have.
const punctuation = "–—‘’‚“”„…«»€£°·•´§™®©½\u00a0"

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
			return text{}, &UsageError{[]string{fmt.Sprintf("the export seems to be in %[1]s, where a word is %[2]s; in %[3]s it is %[4]s: import it with --encoding %[1]s, or save it as CSV UTF-8 and import that without --encoding", meant, quote(right), name, quote(wrong))}}
		}
	}
	return text{Reader: transform.NewReader(in, enc.NewDecoder()), lossy: true}, nil
}

// notText reports what to do with an export that is no text, or not one of reviews of the business; "" when it may be.
func notText(in *bufio.Reader, json bool) string {
	head, _ := in.Peek(2 << 10) // what is wrong with a short export shows later
	start := strings.ToLower(string(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")))
	const zip, workbook, page = "pk\x03\x04", "the export is an Excel workbook; in Excel choose File, Save As, CSV UTF-8, and import that file", "the export is a web page, perhaps one to log in; download it again, as CSV or JSON"
	const mail = "the export is a mail; write down its review with `reviewcast new review`"
	const places = "the export is an answer of the Places API, which has five reviews and no ids; export Google Business Profile instead (takeout.google.com)"
	const ours = "the export is a YAML file, as a content folder has them; reviews in YAML need no import: put the file into the folder reviews"
	for _, f := range []struct{ begins, has, remedy string }{
		{zip, "word/", "the export is a Word document; copy its table into a spreadsheet program, save it there as CSV UTF-8, and import that file"},
		{zip, "xl/", workbook}, {zip, "[Content_Types].xml", workbook},
		{zip, "mimetypeapplication/vnd.oasis.opendocument", "the export is a LibreOffice spreadsheet; choose File, Save As, Text CSV with UTF-8, and import that file"},
		{zip, ".iwa", "the export is a Numbers spreadsheet; choose File, Export To, CSV with UTF-8, and import that file"},
		{zip, "", "the export is a ZIP archive; unpack it and import the file with the reviews in it (of Google Takeout: reviews.json below Google Business Profile)"},
		{"", "\xD0\xCF\x11\xE0", "the export is an old Excel workbook (.xls); in Excel choose File, Save As, CSV UTF-8, and import that file"},
		{"%pdf", "", "the export is a PDF; export it as CSV or JSON where it is from"},
		{"", `"relative_time_description"`, places}, {"", `"authorAttribution"`, places}, {"", `"author_name"`, places},
		{"", `"FeatureCollection"`, "these are the reviews that you wrote on Google Maps, not those of your business; export Google Business Profile instead (takeout.google.com)"},
		{"", `"doc_id"`, "the export is only a link to Google Sheets; open it there, choose File, Download, CSV, and import that file"},
		{"<", "<table", "the export is a table in a web page, whatever its name; open it in a spreadsheet program, save it there as CSV UTF-8, and import that file"},
		{"<", "Takeout", "the export is only the table of contents of a Takeout; import the file reviews.json, which is in a folder Google Business Profile beside it"},
		{"--", "SQL", "the export is a dump of a database; open the table with the reviews in the program that made it (such as phpMyAdmin), export it as CSV with the names of the columns, and import that file"},
		{"from:", "", mail}, {"from ", "\nSubject:", mail}, {"return-path:", "", mail}, {"received:", "", mail}, {"delivered-to:", "", mail}, {"mime-version:", "", mail},
		{"<?xml", "", "the export is XML, which is not imported; export the reviews as CSV or JSON where they are from"},
		{"<!doctype", "", page}, {"<html", "", page}, {"- id:", "", ours}, {"id:", "", ours}, {"# yaml", "", ours},
	} {
		if strings.HasPrefix(start, f.begins) && bytes.Contains(head, []byte(f.has)) {
			return f.remedy
		}
	}
	switch {
	case chatForm.MatchString(start):
		return "the export is a chat; write down its reviews with `reviewcast new review`"
	case !json && (strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[")):
		return "the export is JSON; if it is from Google, import it with `reviewcast import google FILE`, otherwise with `reviewcast import jsonl FILE --source NAME`"
	case json && start != "" && start[0] != '{' && start[0] != '[' && start[0] != 0 && start[0] < 0xfe:
		return "the export is not JSON; import a table with `reviewcast import csv FILE --source NAME`"
	}
	return ""
}

// chatForm matches the beginning of a chat as WhatsApp exports it.
var chatForm = regexp.MustCompile(`^(?:\x{200e})?\[?[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4},? [0-9]{1,2}:[0-9]{2}[^,;\n]*[\]-]`)

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
