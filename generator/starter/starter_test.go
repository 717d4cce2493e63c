package starter

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v4"
)

var want = []string{
	"README.md",
	"business.yaml",
	"faq.yaml",
	"insights.yaml",
	"reviews/first-reviews.yaml",
	"site.yaml",
	"summary.md",
	"withdrawn.yaml",
}

func asIs(_ string, text []byte) []byte { return text }

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "deeper", "content")
	files, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(files, want) {
		t.Errorf("Write gave %q, want %q", files, want)
	}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("on disk are %q, want %q", got, want)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f)))
		if err != nil {
			t.Fatal(err)
		}
		if embedded, _ := embedded.ReadFile("files/" + f); string(got) != string(embedded) {
			t.Errorf("%s differs from the embedded file", f)
		}
	}
}

func TestWriteIntoFolderWithDotfiles(t *testing.T) {
	dir := t.TempDir()
	touch(t, filepath.Join(dir, ".DS_Store"))
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir); err != nil {
		t.Error(err)
	}
}

// TestWriteBesideManual: an unpacked release has a folder content with nothing but the manual, which stays as it is.
func TestWriteBesideManual(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "content")
	readme := filepath.Join(dir, manual)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(readme, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !Empty(dir) || Empty(parent) {
		t.Errorf("Empty gave %v for the folder with the manual, %v for the one above", Empty(dir), Empty(parent))
	}
	failing := fstest.MapFS{manual: {}, "a.yaml": {}, strings.Repeat("x", 300): {}}
	if _, err := write(dir, failing, asIs); err == nil {
		t.Error("a name that is too long gave no error")
	}
	if got := tree(t, dir); !slices.Equal(got, []string{manual}) {
		t.Errorf("after an error the folder holds %q", got)
	}
	files, err := Write(dir)
	if err != nil || !slices.Equal(files, want[1:]) {
		t.Errorf("Write gave %q, %v, want %q", files, err, want[1:])
	}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
	if text, err := os.ReadFile(readme); string(text) != "mine" {
		t.Errorf("the manual is now %.20q, %v", text, err)
	}
	if _, err := Write(dir); err == nil {
		t.Error("the second time gave no error")
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		name  string
		there []string
		names []string // what the error must name
	}{
		{"one file", []string{"notes.txt"}, []string{"notes.txt", "name a new or empty folder"}},
		{"many files", []string{"a", "b", "c", "d", "e"}, []string{"a, b, c and 2 more"}},
		{"the manual and a file", []string{manual, "z.csv"}, []string{"already holds z.csv;"}},
		{"a dotfile and a file", []string{".env", "z.csv"}, []string{"already holds z.csv;"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range tt.there {
				touch(t, filepath.Join(dir, f))
			}
			_, err := Write(dir)
			if err == nil || !strings.Contains(err.Error(), "the folder is not empty") {
				t.Fatalf("got %v, want that the folder is not empty", err)
			}
			for _, s := range append(tt.names, dir) {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q doesn't say %q", err, s)
				}
			}
			if got := tree(t, dir); !slices.Equal(got, tt.there) {
				t.Errorf("the folder now holds %q, want %q", got, tt.there)
			}
		})
	}
}

func TestWriteTwice(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir); err == nil || !strings.Contains(err.Error(), "the folder is not empty") {
		t.Errorf("the second time gave %v, want that the folder is not empty", err)
	}
	if got := tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder now holds %q, want %q", got, want)
	}
}

func TestWriteOntoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "content")
	touch(t, file)
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Write(dir); err == nil {
			t.Errorf("Write(%s) gave no error", dir)
		}
	}
}

// A name that no file system takes stops the writing after "a.yaml", however
// privileged the user is who runs the test.
func TestWriteLeavesNothingAfterAnError(t *testing.T) {
	content := fstest.MapFS{
		"a.yaml":                        {Data: []byte("a")},
		"b/c.yaml":                      {Data: []byte("c")},
		"d/" + strings.Repeat("x", 300): {Data: []byte("x")},
		"z.yaml":                        {Data: []byte("z")},
	}
	t.Run("new folder", func(t *testing.T) {
		parent := t.TempDir()
		files, err := write(filepath.Join(parent, "new", "content"), content, asIs)
		if err == nil || files != nil {
			t.Fatalf("got %q, %v, want an error", files, err)
		}
		if entries, _ := os.ReadDir(parent); len(entries) != 0 {
			t.Errorf("left behind: %v", entries)
		}
	})
	t.Run("folder that was there", func(t *testing.T) {
		dir := t.TempDir()
		touch(t, filepath.Join(dir, ".keep"))
		if _, err := write(dir, content, func(_ string, text []byte) []byte { return text }); err == nil {
			t.Fatal("no error")
		}
		if got := tree(t, dir); !slices.Equal(got, []string{".keep"}) {
			t.Errorf("the folder now holds %q, want what it held before", got)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("left behind: %v", entries)
		}
	})
}

// The rules that keep the folder building whatever an editor deletes: each file
// is a YAML document of its kind, and none that must stay refers to a review.
func TestFilesAreSound(t *testing.T) {
	var reviews []struct {
		ID           string    `yaml:"id"`
		Verification yaml.Node `yaml:"verification"`
	}
	decode(t, "reviews/first-reviews.yaml", &reviews)
	published := map[string]bool{}
	for _, r := range reviews {
		published[r.ID] = !r.Verification.IsZero()
	}
	if len(published) < 3 {
		t.Fatalf("%d example reviews, want 3 at least", len(published))
	}

	var faq []struct {
		Evidence []string `yaml:"evidence_review_ids"`
	}
	decode(t, "faq.yaml", &faq)
	for _, f := range faq {
		for _, id := range f.Evidence {
			if !published[id] {
				t.Errorf("faq.yaml cites %q, which isn't a published example", id)
			}
		}
	}

	var withdrawn []any
	decode(t, "withdrawn.yaml", &withdrawn)
	if len(withdrawn) != 0 {
		t.Errorf("withdrawn.yaml lists %v, want nothing", withdrawn)
	}
	for _, name := range []string{"business.yaml", "site.yaml", "insights.yaml"} {
		var m map[string]any
		decode(t, name, &m)
		if name == "insights.yaml" && len(m) > 0 {
			t.Errorf("%s has %v: examples that a build can't tell from an editor's words", name, m)
		} else if name != "insights.yaml" && len(m) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func decode(t *testing.T, name string, v any) {
	t.Helper()
	b, err := embedded.ReadFile("files/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, v); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// tree lists the files below dir, sorted.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func touch(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWriteEmpty: nothing made up is left, and each field is there as a comment.
func TestWriteEmpty(t *testing.T) {
	dir := t.TempDir()
	files, err := WriteEmpty(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(want)-1 || slices.Contains(files, "summary.md") {
		t.Errorf("WriteEmpty wrote %q", files)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f)))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(f) != ".yaml" {
			continue
		}
		var fields any
		if err := yaml.Unmarshal(data, &fields); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if m, ok := fields.(map[string]any); f == "business.yaml" && (!ok || len(m) != 2 || m["id"] != "my-business") || f != "business.yaml" && fields != nil {
			t.Errorf("%s holds %v", f, fields)
		}
		full, err := embedded.ReadFile("files/" + f)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(string(data), "\n"), strings.Count(string(full), "\n"); got != want {
			t.Errorf("%s has %d lines, and with examples %d", f, got, want)
		}
	}
}
