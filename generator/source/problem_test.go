package source

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"reviewcast/generator/diagnostic"
)

var update = flag.Bool("update", false, "write what comes out as what is wanted")

// today fixes the calendar of the tests.
const today = "2026-11-21"

// writeFolder writes a content folder; business.yaml is the sample's if it isn't
// given.
func writeFolder(tb testing.TB, files map[string]string) (dir string) {
	tb.Helper()
	dir = tb.TempDir()
	if _, ok := files[BusinessFile]; !ok {
		writeOld(tb, dir, BusinessFile, []byte(sampleBusiness))
	}
	for name, data := range files {
		writeOld(tb, dir, name, []byte(data))
	}
	return dir
}

// problemLines loads a folder and gives its problems as lines: severity, code,
// problem.
func problemLines(tb testing.TB, dir string) []string {
	tb.Helper()
	c, _, problems, err := NewLoader(dir, Config{Today: today}).Load(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	if (c == nil) != diagnostic.HasErrors(problems) {
		tb.Errorf("content is nil: %v, there are errors: %v", c == nil, diagnostic.HasErrors(problems))
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("%s %s %s", p.Severity, p.Code, p))
	}
	return lines
}

// TestProblems loads each archive of testdata/problems as a folder. Its last file,
// problems, is what is to be reported.
func TestProblems(t *testing.T) {
	archives, err := filepath.Glob("testdata/problems/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives: ", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			files := make(map[string]string)
			want, at := "", -1
			for i, f := range a.Files {
				if f.Name == "problems" {
					want, at = string(f.Data), i
				} else {
					files[f.Name] = string(f.Data)
				}
			}
			got := strings.Join(problemLines(t, writeFolder(t, files)), "\n") + "\n"
			if *update {
				f := txtar.File{Name: "problems", Data: []byte(got)}
				if at < 0 {
					a.Files = append(a.Files, f)
				} else {
					a.Files[at] = f
				}
				if err := os.WriteFile(archive, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

const goodYAML = "id: a1\nauthor: Maria K.\nrating: 5\ndate: 2026-03-01\n"

// TestProblemsOfBytes has the cases that an archive of plain text can't hold.
func TestProblemsOfBytes(t *testing.T) {
	utf16 := func(s string) string {
		b := []byte{0xFF, 0xFE}
		for _, c := range s {
			b = append(b, byte(c), byte(c>>8))
		}
		return string(b)
	}
	jsonLine := `{"id":"a1","author":"Maria K.","rating":5,"date":"2026-03-01","text":"%s"}` + "\n"
	tests := []struct {
		name, file, data string
		want             []string
	}{
		{"latin-1 in YAML", "r.yaml", goodYAML + "text: caf\xe9 d\xe9j\xe0\nnonsense: 1\n", []string{
			"error not-utf8 reviews/r.yaml:5:10: a character, probably é, is saved in an old encoding: byte 0xE9 is not UTF-8; in all there are 3 such bytes; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
			`error unknown-field reviews/r.yaml:6:1: the review has an unknown field "nonsense"; delete it if it is none of these fields: id, author, rating, date, title, text, language, source, source_url, author_avatar_url, owner_reply, verification, technicians, services, service_areas`,
		}},
		{"latin-1 in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, "caf\xe9"), []string{
			"error not-utf8 reviews/r.jsonl:1:74: a character, probably é, is saved in an old encoding: byte 0xE9 is not UTF-8; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"latin-1 in CSV", "r.csv", "id,author,rating,date\na1,Ren\xe9,5,2026-03-01\n", []string{
			"error not-utf8 reviews/r.csv:2:7: a character, probably é, is saved in an old encoding: byte 0xE9 is not UTF-8; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"Mac Roman in YAML", "r.yaml", goodYAML + "text: \"caf\x8e, tr\x8fs bien, it\xd5s\"\n", []string{
			"error not-utf8 reviews/r.yaml:5:11: byte 0x8E is not UTF-8; in all there are 3 such bytes; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"Windows-1252 in YAML", "r.yaml", goodYAML + "text: \"caf\xe9, tr\xe8s bien, it\x92s\"\n", []string{
			"error not-utf8 reviews/r.yaml:5:11: a character, probably é, is saved in an old encoding: byte 0xE9 is not UTF-8; in all there are 3 such bytes; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"a workbook named CSV", "r.csv", "PK\x03\x04\x14\x00\x06\x00", []string{
			"error not-text reviews/r.csv: the file is an Excel workbook, a Word document or another ZIP archive, not text; save a workbook as CSV in UTF-8, a document as plain text in UTF-8",
		}},
		{"a workbook named JSONL", "r.jsonl", "PK\x03\x04\x14\x00\x06\x00", []string{
			"error not-text reviews/r.jsonl: the file is an Excel workbook, a Word document or another ZIP archive, not text; save a workbook as CSV in UTF-8, a document as plain text in UTF-8",
		}},
		{"an old workbook", "r.csv", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\x00", []string{
			"error not-text reviews/r.csv: the file is an old Excel or Word file, not text; save a workbook as CSV in UTF-8, a document as plain text in UTF-8",
		}},
		{"a PDF", "r.yaml", "%PDF-1.7\n", []string{
			"error not-text reviews/r.yaml: the file is a PDF, not text; write the reviews into a text file",
		}},
		{"UTF-16 in YAML", "r.yaml", utf16(goodYAML), []string{
			"error not-utf8 reviews/r.yaml:1:1: the file is saved as UTF-16, which Windows calls Unicode; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"UTF-16 in JSONL", "r.jsonl", utf16(fmt.Sprintf(jsonLine, "x")), []string{
			"error not-utf8 reviews/r.jsonl:1:1: the file is saved as UTF-16, which Windows calls Unicode; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"UTF-16 in CSV", "r.csv", utf16("id,author,rating,date\n"), []string{
			"error not-utf8 reviews/r.csv:1:1: the file is saved as UTF-16, which Windows calls Unicode; save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8",
		}},
		{"control character in YAML", "r.yaml", goodYAML + "text: |\n  one\n  two é\x07\x7f\n", []string{
			"error bad-character reviews/r.yaml:7:8: control character U+0007 is not allowed; delete it; only tabs and line breaks are allowed",
			"error bad-character reviews/r.yaml:7:9: control character U+007F is not allowed; delete it; only tabs and line breaks are allowed",
		}},
		{"next line and noncharacter in YAML", "r.yaml", goodYAML + "text: a\u0085b\uFFFEc\u2028d\n", []string{
			"error bad-character reviews/r.yaml:5:8: control character U+0085 is not allowed; delete it; only tabs and line breaks are allowed",
			"error bad-character reviews/r.yaml:5:10: noncharacter U+FFFE is not allowed; delete it; only tabs and line breaks are allowed",
			"error bad-character reviews/r.yaml:5:12: the separator U+2028 is a line end in YAML; use a line break, or write \\u2028 in a text in double quotes",
		}},
		{"escaped control character in YAML", "r.yaml", goodYAML + "text: \"a\\x07\"\n", []string{
			"error bad-character reviews/r.yaml:5:7: text contains the control character U+0007; delete it; only tabs and line breaks are allowed",
		}},
		{"control character in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, "é\x07"), []string{
			"error bad-character reviews/r.jsonl:1:72: control character U+0007 is not allowed; delete it; only tabs and line breaks are allowed",
		}},
		{"escaped control characters in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, `\ud83d\ude00\té\u0001`), []string{
			"error bad-character reviews/r.jsonl:1:70: text contains the control character U+0001; delete it; only tabs and line breaks are allowed",
		}},
		{"raw next line in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, "ab\u0085"), []string{
			"error bad-character reviews/r.jsonl:1:70: text contains the control character U+0085; delete it; only tabs and line breaks are allowed",
		}},
		{"lone surrogate in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, `\ud83d!`), []string{
			`error json-syntax reviews/r.jsonl:1:71: this is not JSON: \ud83d!"}; write \\ for a backslash`,
		}},
		{"raw tab in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, "a\tb"), []string{
			`error json-syntax reviews/r.jsonl:1:72: tab character in a text; write \t for a tab and \n for a line break`,
		}},
		{"lone carriage return in YAML", "r.yaml", goodYAML + "text: a\rb\n", []string{
			"error bad-character reviews/r.yaml:5:8: carriage return (U+000D) without a line feed; end lines with a line feed",
		}},
		{"lone carriage return in CSV", "r.csv", "id,author,rating,date,text\na1,M,5,2026-03-01,a\rb\n", []string{
			"error bad-character reviews/r.csv:2:20: carriage return (U+000D) without a line feed; end lines with a line feed",
		}},
		{"carriage return by escape in JSONL", "r.jsonl", fmt.Sprintf(jsonLine, `a\r\nb`), []string{
			"error bad-character reviews/r.jsonl:1:70: text contains the control character U+000D; end lines with a line feed",
		}},
		{"carriage return by escape in YAML", "r.yaml", goodYAML + `text: "a\rb"` + "\n", []string{
			"error bad-character reviews/r.yaml:5:7: text contains the control character U+000D; end lines with a line feed",
		}},
		{"NUL", "r.csv", "id,author\x00", []string{
			"error not-text reviews/r.csv:1:10: NUL byte: this is not a text file; save it as plain text in UTF-8",
		}},
		{"CR LF files are fine", "r.yaml", strings.ReplaceAll(goodYAML+"text: |\n  a\n  b\n", "\n", "\r\n"), nil},
		{"CR LF lines are fine", "r.jsonl", strings.ReplaceAll(fmt.Sprintf(jsonLine, "a"), "\n", "\r\n"), nil},
		{"CR LF rows are fine", "r.csv", "\uFEFFid,author,rating,date\r\na1,M,5,2026-03-01\r\n", nil},
		{"byte order mark in JSONL", "r.jsonl", "\uFEFF" + fmt.Sprintf(jsonLine, "a"), nil},
		{"byte order mark in YAML", "r.yaml", "\uFEFF" + goodYAML, nil},
		{"byte order mark keeps columns", "r.yaml", "\uFEFF[1]\n", []string{
			"error wrong-type reviews/r.yaml:1:2: the review is 1; it must have fields; the fields are id, author, rating, date, title, text, language, source, source_url, author_avatar_url, owner_reply, verification, technicians, services, service_areas",
		}},
		{"byte order mark in a JSONL line", "r.jsonl", "\uFEFF" + `{"id":"a1","author":"M","rating":9,"date":"2026-03-01"}` + "\n", []string{
			"error bad-rating reviews/r.jsonl:1:34: rating is 9; ratings go from 1 to 5; if it is 9 of 10, write 4 or 5: it is 4.5 of 5 stars, and ratings are whole numbers",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := problemLines(t, writeFolder(t, map[string]string{"reviews/" + test.file: test.data}))
			if !slices.Equal(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestEveryCode holds the package comment's list of codes against the code and
// the tests.
func TestEveryCode(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(doc), "which stay as they are:\n")
	before, _, _ := strings.Cut(after, "package")
	listed := strings.Fields(strings.ReplaceAll(before, "//", ""))
	if len(listed) < 40 || !slices.IsSorted(listed) {
		t.Errorf("%d codes, sorted: %v", len(listed), slices.IsSorted(listed))
	}
	var tested bytes.Buffer
	archives, _ := filepath.Glob("testdata/problems/*.txtar")
	tests, _ := filepath.Glob("*_test.go")
	for _, name := range append(archives, tests...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tested.Write(data)
	}
	for _, code := range listed {
		if !bytes.Contains(tested.Bytes(), []byte(code)) {
			t.Errorf("no test has %s", code)
		}
	}
}
