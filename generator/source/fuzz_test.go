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
	"reviewcast/generator/syntax"
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

func FuzzYAML(f *testing.F) {
	seeds(f, ".yaml")
	f.Add([]byte(sampleYAML(1)))
	f.Add([]byte("- &a [*a]\n- |2+\n   x\n- ? {a: b}\n  : >-\n  c\n- !!str x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPart("reviews/f.yaml")
		p.parseYAML(data)
		checkPart(t, p, data)
	})
}

func FuzzJSONL(f *testing.F) {
	seeds(f, ".jsonl")
	f.Add([]byte(sampleJSON(1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPart("reviews/f.jsonl")
		if err := p.parseJSONL(t.Context(), bytes.TrimPrefix(data, syntax.BOM), 1); err != nil {
			t.Fatal(err)
		}
		checkPart(t, p, bytes.TrimPrefix(data, syntax.BOM))
		// Each line stands for itself: cut anywhere between two, the file says the
		// same.
		i := bytes.IndexByte(data, '\n') + 1
		if i == 0 || bytes.HasPrefix(data, syntax.BOM) || syntax.Wide(data) != "" || syntax.Wide(data[i:]) != "" {
			return
		}
		head, tail := newPart(p.File), newPart(p.File)
		if err := head.parseJSONL(t.Context(), data[:i], 1); err != nil {
			t.Fatal(err)
		}
		if err := tail.parseJSONL(t.Context(), data[i:], 2); err != nil {
			t.Fatal(err)
		}
		head.Join(&tail.List)
		if !slices.Equal(head.All(), p.All()) || len(head.drafts)+len(tail.drafts) != len(p.drafts) {
			t.Errorf("cut: %v\nwhole: %v", head.All(), p.All())
		}
	})
}

func FuzzCSV(f *testing.F) {
	seeds(f, ".csv")
	f.Add([]byte("\uFEFFid,author,rating,date,verification.method,technicians\n\"a\",\"b \"\"c\"\"\",5,2026-01-01,job,a;b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPart("reviews/f.csv")
		p.parseCSV(data)
		checkPart(t, p, data)
	})
}

// checkPart holds what a parser says against the contract: a review without a
// problem is publishable, and a problem stands in the file.
func checkPart(t *testing.T, p *part, data []byte) {
	t.Helper()
	// Line ends as the parsers see them; bytes that aren't UTF-8 count one each.
	lines := bytes.Split(bytes.TrimPrefix(data, syntax.BOM), []byte{'\n'})
	for _, q := range p.All() {
		if q.File != p.File || q.Code == "" || q.Message == "" || q.Line < 0 || q.Col < 0 || q.Line > len(lines)+1 {
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
	if diagnostic.HasErrors(p.All()) {
		return
	}
	for i := range p.drafts {
		w := &p.drafts[i]
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
		if !reviewcast.ValidID(w.ID) || w.Rating < 1 || w.Rating > 5 || !w.Date.Valid() || blank(w.Author) || blank(w.Source) || w.At.Line < 1 || w.At.Col < 1 {
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
