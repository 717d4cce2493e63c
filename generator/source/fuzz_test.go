package source

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// seeds gives the fuzzer every review file of the test data.
func seeds(f *testing.F, ext string) {
	f.Helper()
	archives, _ := filepath.Glob("testdata/problems/*.txtar")
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(data), "\n-- ") {
			name, body, _ := strings.Cut(part, " --\n")
			if strings.HasSuffix(name, ext) {
				f.Add([]byte(body))
			}
		}
	}
	files, _ := filepath.Glob("testdata/folder/reviews/*" + ext)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"", "\uFEFF", "\xff\xfei\x00", "\r", "\r\n", "a\x00", "\xe9", "\u2028", "\u0085"} {
		f.Add([]byte(s))
	}
}

// parse reads a file of reviews, of which old is the last state, if any.
func parse(t testing.TB, path string, data []byte, old ...*file) *file {
	t.Helper()
	j := &job{path: path}
	if len(old) > 0 {
		j.old = old[0]
	}
	j.parse(t.Context(), data, stamp{})
	return j.now
}

func FuzzYAML(f *testing.F) {
	seeds(f, ".yaml")
	f.Add([]byte(sampleYAML(1)))
	f.Add([]byte("- &a [*a]\n- |2+\n   x\n- ? {a: b}\n  : >-\n  c\n- !!str x\n"))
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, parse(t, "reviews/f.yaml", data), data) })
}

func FuzzJSONL(f *testing.F) {
	seeds(f, ".jsonl")
	f.Add([]byte(sampleJSON(1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := parse(t, "reviews/f.jsonl", data)
		checkFile(t, whole, data)
		// With the records of its second half it says the same.
		i := bytes.IndexByte(data, '\n') + 1
		again := parse(t, "reviews/f.jsonl", data, parse(t, "reviews/f.jsonl", data[i:]))
		if !slices.Equal(again.problems, whole.problems) || len(again.records) != len(whole.records) || again.complete != whole.complete {
			t.Errorf("%v\nwith old records: %v", whole.problems, again.problems)
		}
	})
}

func FuzzCSV(f *testing.F) {
	seeds(f, ".csv")
	f.Add([]byte("\uFEFFid,author,rating,date,verification.method,technicians\n\"a\",\"b \"\"c\"\"\",5,2026-01-01,job,a;b\n"))
	f.Fuzz(func(t *testing.T, data []byte) { checkFile(t, parse(t, "reviews/f.csv", data), data) })
}

var bom = []byte("\uFEFF")

// checkFile checks what a parser says against the contract: a review without a
// problem is publishable, and a problem is in the file.
func checkFile(t *testing.T, p *file, data []byte) {
	t.Helper()
	// Line ends as the parsers see them; bytes that aren't UTF-8 count one each.
	lines := bytes.Split(bytes.TrimPrefix(data, bom), []byte{'\n'})
	for _, q := range p.problems {
		if q.File != p.path || q.Code == "" || q.Message == "" || q.Line < 0 || q.Col < 0 || q.Line > len(lines)+1 {
			t.Errorf("bad problem: %#v", q)
		}
		if q.Line > 0 && q.Line <= len(lines) && q.Col > utf8.RuneCount(lines[q.Line-1])+2 {
			t.Errorf("column %d of a line of %d: %s", q.Col, utf8.RuneCount(lines[q.Line-1]), q)
		}
		if !utf8.ValidString(q.String()) {
			t.Errorf("a problem that isn't UTF-8: %q", q)
		}
		if at, _ := reviewcast.BadRune(q.String()); at >= 0 || strings.Contains(q.String(), "\n") {
			t.Errorf("a problem that can't be printed: %q", q)
		}
	}
	if diagnostic.HasErrors(p.problems) {
		return
	}
	for _, w := range p.records {
		texts := []string{w.Author, w.Source, w.Language, w.Reference}
		for _, s := range []*string{w.Title, w.Text, w.SourceURL, w.AuthorAvatarURL} {
			if s != nil {
				texts = append(texts, *s)
				if blank(*s) {
					t.Errorf("blank text %q", *s)
				}
			}
		}
		if r := w.OwnerReply; r != nil {
			texts = append(texts, r.Text)
			if blank(r.Text) || !r.Date.Valid() {
				t.Errorf("reply %+v", *r)
			}
		}
		for _, ids := range [][]string{w.Job.Technicians, w.Job.Services, w.Job.ServiceAreas} {
			texts = append(texts, ids...)
			if ids == nil || !slices.IsSorted(ids) {
				t.Errorf("ids %q", ids)
			}
		}
		for _, s := range texts {
			if at, r := reviewcast.BadRune(s); at >= 0 || utf8.RuneCountInString(s) > reviewcast.MaxTextLength {
				t.Errorf("%q has %U", s, r)
			}
		}
		if !reviewcast.ValidID(w.ID) || w.Rating < 1 || w.Rating > 5 || !w.Date.Valid() || blank(w.Author) || blank(w.Source) || w.start.Line < 1 || w.start.Col < 1 {
			t.Errorf("accepted: %+v", w)
		}
		if w.Language != "" {
			if _, err := language.Parse(w.Language); err != nil {
				t.Errorf("language %q: %v", w.Language, err)
			}
		}
		if w.Verified != slices.Contains(reviewcast.VerificationMethods, w.Verification.Method) || w.Verified && !w.Verification.VerifiedOn.Valid() {
			t.Errorf("verification %+v", w.Verification)
		}
	}
}
