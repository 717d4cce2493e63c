package source

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"reviewcast/generator/syntax"
)

// frugally fails a test that takes much memory: a cap that is asked too late stops
// nothing. One that takes hours is ended by go test.
func frugally(tb testing.TB, allocate uint64, f func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > allocate {
		tb.Errorf("allocated %d MiB, more than %d", n>>20, allocate>>20)
	}
}

// TestHostile has files made to cost time or memory. The limits of memory are some ten
// times what is measured on two shared cores under the race detector.
func TestHostile(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	broken := 4_000
	if os.Getenv("LONG") != "" {
		broken = 20_000 // as many as are read one by one
	}
	tests := []struct {
		name, file, data string
		want             string // the first problem
		mib              uint64
	}{
		{"brackets in YAML", "a.yaml", strings.Repeat("[", 100_000), "too-deep reviews/a.yaml:1:65: lists and fields are nested more than 64 deep; no file needs more than four levels", 8},
		{"braces in YAML", "a.yaml", strings.Repeat("{a: ", 100_000), "too-deep reviews/a.yaml:1:257: lists and fields are nested more than 64 deep; no file needs more than four levels", 16},
		{"hyphens in YAML", "a.yaml", strings.Repeat("- ", 100_000), "too-deep reviews/a.yaml:1:129: lists and fields are nested more than 64 deep; no file needs more than four levels", 8},
		{"question marks in YAML", "a.yaml", strings.Repeat("? ", 100_000), "too-deep reviews/a.yaml:1:129: lists and fields are nested more than 64 deep; no file needs more than four levels", 8},
		{"indentation in YAML", "a.yaml", steps(300), "too-deep reviews/a.yaml:65:66: lists and fields are nested more than 64 deep; no file needs more than four levels", 16},
		{"alias bomb", "a.yaml", bomb, "wrong-type reviews/a.yaml:1:1: the reviews are below a field", 8},
		{"alias of itself", "a.yaml", "&a [*a]", "yaml-anchor reviews/a.yaml:1:1: the anchor &a is not supported; write the value itself; if & is part of a text, put the text in quotes", 1},
		{"many values in YAML", "a.yaml", strings.Repeat("-\n", 2_000_000), "too-big reviews/a.yaml: the file has more than 524288 lines, commas and brackets; split it, or use JSONL", 32},
		{"many flow values in YAML", "a.yaml", "[" + strings.Repeat("[],", 1_000_000), "too-big reviews/a.yaml: the file has more than 524288 lines, commas and brackets; split it, or use JSONL", 32},
		{"no blanks behind colons", "a.yaml", strings.Repeat("id:5\n", 100_000) + "a: b\n", "yaml-syntax reviews/a.yaml:100001:2: a text contains a colon and a space, or this line has the wrong indentation", 32},
		{"many broken items", "a.yaml", strings.Repeat("- a: \"x\n", broken), fmt.Sprintf("too-many-problems reviews/a.yaml: %d more problems in this file are not listed", broken), 512},
		{"too many broken items", "a.yaml", strings.Repeat("- a: [\n", 20_001), "yaml-syntax reviews/a.yaml:", 256},
		{"brackets in JSONL", "a.jsonl", strings.Repeat("[", 1_000_000), "too-deep reviews/a.jsonl:1:65: lists and fields are nested more than 64 deep; no file needs more than four levels", 16},
		{"many values in JSONL", "a.jsonl", "[" + strings.Repeat("[],", 1_000_000) + "[]]", "too-big reviews/a.jsonl:1:29998: the line has more than 10000 values; write one review per line", 32},
		{"long line in JSONL", "a.jsonl", strings.Repeat(" ", syntax.MaxLine+1) + "{}\n{}", "too-long reviews/a.jsonl:1:1: the line is longer than 4194304 bytes; write one review per line", 64},
		{"long last line in JSONL", "a.jsonl", "{}\n" + strings.Repeat("x", 12<<20), "missing-field reviews/a.jsonl:1:1: the review has no id; add id", 64},
		{"many lines", "a.jsonl", strings.Repeat("\n", 2<<20+1), "too-many-reviews reviews/a.jsonl:1000001:1: the file has more than 1000000 lines; a folder can hold no more reviews than that", 16},
		{"long line in CSV", "a.csv", "id\n" + strings.Repeat("x", syntax.MaxLine+1), "too-long reviews/a.csv:2: the line is longer than 4194304 bytes; end each row with a line break", 32},
		{"many rows", "a.csv", "id,author,rating,date\n" + strings.Repeat("a\n", 3000), "too-many-problems reviews/a.csv: 2000 more problems in this file are not listed; fix the listed ones and check again", 64},
		{"many columns", "a.csv", "id,author,rating,date" + strings.Repeat(",x", 20_000) + "\n", "unknown-column reviews/a.csv:1:1: this table is not in our form: it has columns such as \"x, x, x, x, x\"", 128},
		{"long word", "a.yaml", strings.Repeat("x", 1<<20) + ": 1\n", "wrong-type reviews/a.yaml:1:1: this is not a review: none of its fields is known", 64},
		{"long id", "a.yaml", strings.Replace(goodYAML, "a1", strings.Repeat("x", 1<<20), 1), "too-long reviews/a.yaml:1:5: id has 1048576 characters; at most 100000 are published", 64},
		{"long text", "a.yaml", goodYAML + "text: " + strings.Repeat("é", 100_001) + "\n", "too-long reviews/a.yaml:5:7: text has 100001 characters; at most 100000 are published", 64},
		{"long technician", "a.yaml", goodYAML + "technicians: [" + strings.Repeat("a b ", 100_000) + "]\n", "too-long reviews/a.yaml:5:15: an item of technicians has 399999 characters; at most 100000 are published", 64},
		{"many control characters", "a.jsonl", strings.Repeat("\x01", 1<<20), "too-many-problems reviews/a.jsonl: 1047576 more problems in this file are not listed", 128},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := writeFolder(t, map[string]string{"reviews/" + test.file: test.data})
			frugally(t, test.mib<<20, func() {
				_, _, problems, err := NewLoader(dir, Config{Today: today}).Load(t.Context(), nil)
				if err != nil || len(problems) == 0 {
					t.Fatal(problems, err)
				}
				if got := problems[0].Code + " " + problems[0].String(); !strings.HasPrefix(got, test.want) {
					t.Errorf("got %s\nwant %s", got, test.want)
				}
				for _, p := range problems {
					if n := len(p.String()); n > 1000 {
						t.Errorf("a problem of %d bytes: %.200s …", n, p)
					}
				}
			})
		})
	}
}

// steps are fields, each in the one before.
func steps(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%s:\n", strings.Repeat(" ", i), "a")
	}
	return b.String()
}

// TestLongText: the longest text that is allowed, in one line.
func TestLongText(t *testing.T) {
	text := strings.Repeat("é", 100_000)
	for name, data := range map[string]string{
		"a.yaml":  goodYAML + "text: " + text + "\n",
		"a.jsonl": strings.Replace(sampleJSON(1), `"text":"`, `"text":"`+text[:len(text)-2000], 1),
		"a.csv":   "id,author,rating,date,text\na,M,5,2026-03-01," + text + "\n",
	} {
		c := mustLoad(t, NewLoader(writeFolder(t, map[string]string{"reviews/" + name: data}), Config{}))
		if n := len(*c.Reviews[0].Text); n < 190_000 {
			t.Error(name, n)
		}
	}
}

// TestLargeFiles: a file over its cap is refused before a byte of it is read.
func TestLargeFiles(t *testing.T) {
	dir := writeFolder(t, nil)
	for name, size := range map[string]int64{"reviews/a.yaml": 100 << 20, "reviews/b.jsonl": syntax.MaxDataFile + 1, "reviews/c.csv": syntax.MaxDataFile + 1, SummaryFile: syntax.MaxYAMLFile + 1} {
		writeOld(t, dir, name, nil)
		if err := os.Truncate(filepath.Join(dir, filepath.FromSlash(name)), size); err != nil {
			t.Skip("no sparse files: ", err)
		}
	}
	// Below its cap, but nothing that can be held in memory.
	writeOld(t, dir, "reviews/d.jsonl", nil)
	if err := os.Truncate(filepath.Join(dir, "reviews", "d.jsonl"), 100<<20); err != nil {
		t.Fatal(err)
	}
	var got []string
	frugally(t, 512<<20, func() { got = problemLines(t, dir) })
	want := []string{
		"error too-big reviews/a.yaml: the file has 104857600 bytes; the limit is 16 MiB; split it, or use JSONL",
		"error too-big reviews/b.jsonl: the file has 1073741825 bytes; the limit is 1024 MiB; split it",
		"error too-big reviews/c.csv: the file has 1073741825 bytes; the limit is 1024 MiB; split it",
		"error too-long reviews/d.jsonl:1:1: the line is longer than 4194304 bytes; write one review per line",
		"error too-big summary.md: the file has 16777217 bytes; the limit is 16 MiB; split it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTooManyReviews(t *testing.T) {
	tree := tree{files: []*file{{path: "reviews/a.jsonl", reviews: MaxReviews}}}
	if p := tree.tooMany(); p != nil {
		t.Error(p)
	}
	tree.files = append(tree.files, &file{path: "reviews/b.jsonl", reviews: 1})
	if p := tree.tooMany(); p == nil || p.Code != "too-many-reviews" ||
		p.String() != "reviews/b.jsonl: with this file the folder has more than 1000000 reviews; publish them under several businesses" {
		t.Error(p)
	}
}

// link makes a symbolic link.
func link(t *testing.T, dir, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Skip("no symbolic links: ", err)
	}
}

func TestLinks(t *testing.T) {
	outside := t.TempDir()
	writeOld(t, outside, "secret.yaml", []byte(goodYAML))
	dir := writeFolder(t, map[string]string{
		"reviews/2026/a.yaml":     goodYAML,
		"reviews/2026/deep/b.csv": "id,author,rating,date\nb1,M,5,2026-03-01\n",
		"archive/c.yaml":          strings.Replace(goodYAML, "a1", "c1", 1),
		"archive/old/d.yaml":      strings.Replace(goodYAML, "a1", "d1", 1),
	})
	link(t, dir, "../archive/old/d.yaml", "reviews/d.yml") // inside: read
	link(t, dir, "2026/a.yaml", "reviews/again.yaml")      // the same file again
	link(t, dir, "../archive", "reviews/archive")
	link(t, dir, ".", "reviews/loop")
	link(t, dir, "../..", "reviews/2026/up")
	link(t, dir, outside, "reviews/outside")
	link(t, dir, filepath.Join(outside, "secret.yaml"), "reviews/secret.yaml")
	link(t, dir, "../../etc/passwd", "reviews/passwd.csv")
	link(t, dir, filepath.Join(outside, "secret.yaml"), SiteFile)
	link(t, dir, "nowhere", "reviews/broken.yaml")
	link(t, dir, "nowhere", FAQFile)
	link(t, dir, "self.yaml", "reviews/self.yaml")
	var got []string
	frugally(t, 64<<20, func() { got = problemLines(t, dir) })
	got = slices.DeleteFunc(got, func(s string) bool {
		return strings.Contains(s, "reviews/self.yaml") && strings.HasPrefix(s, "error unreadable")
	})
	want := []string{
		"warning unknown-file archive: unknown file; it is ignored; if reviews are in it that are to be published, move it into the folder reviews; if not, move it out of the content folder",
		"error symlink-broken faq.yaml: the target of the link does not exist; delete it, or put the file here",
		"error symlink-folder reviews/2026/up: the link points to a folder; only links to files are followed; put the folder itself here, or delete the link",
		`error duplicate-id reviews/again.yaml:1:5: the id "a1" is used by the review at reviews/2026/a.yaml:1:5; both are the same review, perhaps in a copy of the file; delete one of them`,
		"error symlink-folder reviews/archive: the link points to a folder; only links to files are followed; put the folder itself here, or delete the link",
		"error symlink-broken reviews/broken.yaml: the target of the link does not exist; delete it, or put the file here",
		"error symlink-folder reviews/loop: the link points to a folder; only links to files are followed; put the folder itself here, or delete the link",
		"error symlink-outside reviews/outside: the link points outside the content folder; put the file itself here",
		"error symlink-outside reviews/passwd.csv: the link points outside the content folder; put the file itself here",
		"error symlink-outside reviews/secret.yaml: the link points outside the content folder; put the file itself here",
		"error symlink-outside site.yaml: the link points outside the content folder; put the file itself here",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNoFolder(t *testing.T) {
	got := problemLines(t, writeFolder(t, map[string]string{"reviews": "id: a\n"}))
	if want := []string{"error not-a-folder reviews: it is a file; make it a folder for the files with reviews"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}
