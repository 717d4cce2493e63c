package importer

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestBrokenRows(t *testing.T) {
	const head = "stars,day,words\n"
	const good = "5,2026-01-01,Good.\n"
	for _, tt := range []struct {
		name, rows string
		want       string // of the first skipped row, or
		err        string
		added      int
	}{
		{"too few", "5,2026-01-01\n" + good, "row 2 (line 2): the row has 2 cells, the header 3; write the cell that is missing, or only a further \",\" if it is empty; or put straight quotes (\") around cells that contain \",\" or line ends", "", 1},
		{"too many", good + "5,2026-01-01,Late, dear\n", "row 3 (line 3): the row has 4 cells, the header 3; put straight quotes (\") around cells that contain \",\" or line ends", "", 1},
		{"bare quote", "5,2026-01-01,The \"best\"\n" + good, "row 2 (line 2): wrong quotes at column 18; put the cell in quotes, and write \"\" for each quote inside it", "", 1},
		{"quote in quotes", "5,2026-01-01,\"The \"best\" one\"\n" + good, "row 2 (line 2): wrong quotes at column 19; put the cell in quotes, and write \"\" for each quote inside it", "", 1},
		{"broken over lines", "5,2026-01-01,\"The\n\"best\" one\"\n" + good, "row 2 (line 2): a quote that begins in line 2 is closed in line 3 only, so that these lines count as one row; close it where its cell ends, and double each quote inside a cell", "", 1},
		{"broken in the last line", good + "5,2026-01-01,\"The \"best\"", "row 3 (line 3): wrong quotes at column 19; put the cell in quotes, and write \"\" for each quote inside it", "", 1},
		{"cut off in the last line", good + "5,2026-01-01,\"The bes", "row 3 (line 3): wrong quotes at column 22; put the cell in quotes, and write \"\" for each quote inside it", "", 1},
		{"never closed", "5,2026-01-01,\"The best\n" + good + good, "", "read export: line 2: a quote in the row that begins here is never closed; delete it, or write one at the end of its cell, too, and two for each quote inside the cell", 0},
		{"not UTF-8", good + "4,2026-01-01,\"Two\nlines, caf\xe9\"\n", "", "the export is not UTF-8: line 4 has the byte 0xE9; it seems to be windows-1252, where a word is \"café\": import it with --encoding windows-1252, or save it as CSV UTF-8", 0},
		{"CRLF", strings.ReplaceAll("5,2026-01-01,\"a\nb\"\n", "\n", "\r\n") + "x,2026-01-01,\n", `row 3 (line 4): rating "x" is not a number; write how many stars it stands for in its place (Find and Replace of entire cells in that column does all at once), or map another column to rating; a row without stars can't be imported`, "", 1},
		{"blank lines", "\n\n" + good + "\n, ,\nx,2026-01-01,\n", `row 4 (line 7): rating "x" is not a number; write how many stars it stands for in its place (Find and Replace of entire cells in that column does all at once), or map another column to rating; a row without stars can't be imported`, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.cfg.Map = map[string]string{"rating": "stars", "date": "day", "text": "words"}
			report, err := d.try(head + tt.rows)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("got %v, want %s", err, tt.err)
				}
				wantEqual(t, "names", d.names(), []string(nil))
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "added", report.Added, tt.added)
			if len(report.Skipped) != 1 || report.Skipped[0].Error() != tt.want {
				t.Errorf("skipped %v, want %s", report.Skipped, tt.want)
			}
		})
	}
}

func TestEmptyExport(t *testing.T) {
	for export, want := range map[string]string{
		"":             "read export: it is empty; export it again, or wait until it has been downloaded completely",
		"\xEF\xBB\xBF": "read export: it is empty; export it again, or wait until it has been downloaded completely",
		"a,\"b":        `read header: parse error on line 1, column 5: extraneous or missing " in quoted-field`,
	} {
		if _, err := newDesk(t).try(export); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", export, err, want)
		}
	}
}

// One export in every encoding gives the same file.
func TestEncodings(t *testing.T) {
	const export = header + "a1,5,2026-01-03,Zoë Kowalska,€ 5,\"Déjà vu, “fine”.\",,\n"
	encode := func(s string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	u16 := func(e unicode.Endianness, bom unicode.BOMPolicy) string {
		return encode(unicode.UTF16(e, bom).NewEncoder().String(export))
	}
	const want = `{"id":"shop-a1","author":"Zoë K.","rating":5,"date":"2026-01-03","title":"€ 5","text":"Déjà vu, “fine”.","source":"shop","verification":{"method":"platform"}}` + "\n"
	for _, tt := range []struct{ name, encoding, export, err string }{
		{"plain", "", export, ""},
		{"named", "utf-8", export, ""},
		{"mark", "", "\xEF\xBB\xBF" + export, ""},
		{"mark overrules", "windows-1252", "\xEF\xBB\xBF" + export, ""},
		{"UTF-16, little end first", "", u16(unicode.LittleEndian, unicode.UseBOM), ""},
		{"UTF-16, big end first", "", u16(unicode.BigEndian, unicode.UseBOM), ""},
		{"mark overrules the other end", "utf-16be", u16(unicode.LittleEndian, unicode.UseBOM), ""},
		{"UTF-16 by name", "utf-16le", u16(unicode.LittleEndian, unicode.IgnoreBOM), ""},
		{"UTF-16 by name, big", "utf-16be", u16(unicode.BigEndian, unicode.IgnoreBOM), ""},
		{"UTF-16 unnamed", "", u16(unicode.LittleEndian, unicode.IgnoreBOM), ""},
		{"UTF-16 unnamed, big", "", u16(unicode.BigEndian, unicode.IgnoreBOM), ""},
		{"Windows", "windows-1252", encode(charmap.Windows1252.NewEncoder().String(export)), ""},
		{"Mac", "macintosh", encode(charmap.Macintosh.NewEncoder().String(export)), ""},
		{"Mac, old line ends", "macintosh", strings.ReplaceAll(encode(charmap.Macintosh.NewEncoder().String(export)), "\n", "\r"), "the lines of the export end as those of old Macs; save the table as CSV UTF-8, and import that file"},
		{"Excel's semicolons", "", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(export, ",", ";"), "vu;", "vu,"), "“fine”;", "“fine”,"), ""},
		{"tabs", "", strings.ReplaceAll(strings.ReplaceAll(export, ",", "\t"), "vu\t", "vu,"), ""},
		{"Windows unnamed", "", encode(charmap.Windows1252.NewEncoder().String(export)), "the export is not UTF-8: line 2 has the byte 0xEB; it seems to be windows-1252, where a word is \"Zoë\": import it with --encoding windows-1252, or save it as CSV UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.cfg.Encoding = tt.encoding
			_, err := d.try(tt.export)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "file", d.data(), want)
		})
	}
}

// What UTF-16 can't say is not published as a replacement character, but one that
// a customer wrote is.
func TestReplacementCharacter(t *testing.T) {
	d := newDesk(t)
	wantEqual(t, "counts", counts(d.load(header+"a1,5,2026-01-03,,,caf\ufffd,,\n")), [4]int{1, 0, 0, 0})
	half, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(header + "b1,5,2026-01-03,,,caf#,,\nb2,5,2026-01-03,,,good,,\n")
	if err != nil {
		t.Fatal(err)
	}
	report := d.load(strings.Replace(half, "#\x00", "\x00\xd8", 1))
	wantEqual(t, "codes", codes(report), []Code{BadCharacter})
	wantEqual(t, "added", report.Added, 1)
}

func TestDelimiter(t *testing.T) {
	d := newDesk(t)
	d.load("id;stars;day;who;title;words;answer;answered\na1;5;2026-01-03;;;Came at nine, as said.;;\n")
	wantEqual(t, "file", d.data(), `{"id":"shop-a1","author":"Anonymous","rating":5,"date":"2026-01-03","text":"Came at nine, as said.","source":"shop","verification":{"method":"platform"}}`+"\n")
}

// endless gives a byte pattern for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func TestCaps(t *testing.T) {
	m := &meter{ctx: t.Context(), r: endless("x"), done: MaxExport - 5}
	if _, err := io.Copy(io.Discard, m); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the size: %v, want ErrTooLarge", err)
	}
	const filled = 10 // empty rows are the quickest to read, and count
	empty := io.LimitReader(endless(" \n"), int64(len(" \n")*(MaxRows-filled)))
	tbl, err := openTable(text{Reader: io.MultiReader(strings.NewReader("r,d\n"), empty, endless("1,\n"))}, &Config{Map: map[string]string{"rating": "r", "date": "d"}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err = range tbl.rows() {
		if err != nil {
			break
		}
		n++
	}
	if n != filled || !errors.Is(err, ErrTooManyRows) {
		t.Errorf("%d rows, then %v; want %d, ErrTooManyRows", n, err, filled)
	}
}
