package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reviewcast/generator/diagnostic"
)

// TestForms compares the names of regular expressions in the code with those of the tables beside it: one that is
// misspelt would panic at the first text that it is asked about.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"theme.txt", "source/words.txt", "lint/words.txt", "importer/forms.txt", "diagnostic/words.txt", "syntax/words.txt", "../cmd/reviewcast/meant.txt"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		forms, used := diagnostic.Forms(string(text), "forms"), map[string]bool{}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(table), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`\bforms\("([\w ]+)"\)`).FindAllSubmatch(code, -1) {
				name := string(m[1])
				if used[name] = true; forms(name) == nil {
					t.Errorf("%s: %s has no form %s", file, table, name)
				}
			}
		}
		for _, row := range diagnostic.Rows(string(text), "forms") {
			if len(row) == 2 && forms(row[0]) != nil && !used[row[0]] && !strings.HasPrefix(table, "importer") { // whose tables name forms
				t.Errorf("%s: nothing uses the form %s", table, row[0])
			}
		}
	}
}
