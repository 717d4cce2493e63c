package source

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestForms compares the names of regular expressions in the code with those of words.txt: one that is misspelt would
// panic at the first text that it is asked about.
func TestForms(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`forms\[("\w+")`).FindAllSubmatch(code, -1) {
			name := string(bytes.Trim(m[1], `"`))
			if used[name] = true; forms[name] == nil {
				t.Errorf("%s: words.txt has no form %s", file, name)
			}
		}
	}
	for name := range forms {
		if !used[name] {
			t.Errorf("words.txt has the form %s, which nothing uses", name)
		}
	}
}
