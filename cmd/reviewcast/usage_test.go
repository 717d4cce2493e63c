package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestExitCodes: 0 all is well, 1 something is wrong with the content or with the
// work, 2 a mistake in the command line. What goes wrong is told on stderr, with a
// remedy, and stdout stays empty.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	run := func(args string) (stdout, stderr string, code int) { return runIn(t, dir, strings.Fields(args)...) }
	if _, stderr, code := run("init content"); code != 0 || stderr != "" {
		t.Fatal(stderr)
	}
	writeFile(t, filepath.Join(dir, "bad", "business.yaml"), "id: acme\n")
	writeFile(t, filepath.Join(dir, "broken.json"), `{"reviews": [{"na`)
	writeFile(t, filepath.Join(dir, "words.csv"), "stars,words\n5,Good.\n")
	writeFile(t, filepath.Join(dir, "draft.yaml"), "mine")
	for _, test := range []struct {
		args string
		code int
		says string // on stderr; "" for nothing at all
	}{
		{"check", 0, ""},
		{"check --quiet", 0, ""},
		{"check --format json", 0, ""},
		{"build --base-url https://r.example", 0, ""},
		{"diff public", 0, ""},
		{"diff public --quiet", 0, ""},
		{"insights suggest", 0, ""},
		{"insights explain 2025-02-drain-maria", 0, ""},
		{"schema", 0, ""},
		{"completion zsh", 0, ""},
		{"help check", 0, ""},
		{"--version", 0, ""},
		{"", 0, ""},

		{"build --content bad --base-url https://r.example", exitProblem, "no page was changed"},
		{"diff public --content bad", exitProblem, "add name"},
		{"diff http://127.0.0.1:9", exitProblem, "connection refused"},
		{"insights explain 2025-02-drain-mary", exitProblem, `did you mean "2025-02-drain-maria"?`},
		{"insights suggest -o draft.yaml", exitProblem, "name another file with -o"},
		{"import google broken.json", exitProblem, "the file ends in the middle of a review"},
		{"new review --author A --rating 11", exitProblem, "nothing was written"},
		{"new review --content bad --author A --rating 5", exitProblem, "fix them first"},
		{"init content", exitProblem, "a content folder already"},

		{"frob", exitUsage, "--help"},
		{"chek", exitUsage, `did you mean "check"`},
		{"check --fomat json", exitUsage, `did you mean "--format"`},
		{"check --format xml", exitUsage, "text"},
		{"build -q -v", exitUsage, "can't be used together"},
		{"check --today soon", exitUsage, "YYYY-MM-DD"},
		{"check --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"check --content nowhere --format json", exitUsage, "`reviewcast init nowhere`"},
		{"build --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"dev --content nowhere --listen localhost:0", exitUsage, "`reviewcast init nowhere`"},
		{"diff public --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"insights explain x --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"new review --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"import google broken.json --content nowhere", exitUsage, "`reviewcast init nowhere`"},
		{"import google nothing.json", exitUsage, "no such file"},
		{"import csv words.csv --source x", exitUsage, "--map"},
		{"insights suggest -o content/reviews/draft.yaml", exitUsage, "name a file outside"},
		{"new review", exitUsage, "--author"},
		{"diff", exitUsage, "--help"},
		{"insights explain x --today soon", exitUsage, "YYYY-MM-DD"},
		{"schema --dir nowhere/.schemas", exitUsage, "no folder nowhere"},
		{"completion tcsh", exitUsage, "fish"},
	} {
		stdout, stderr, code := run(test.args)
		if code != test.code || (stderr == "") != (test.says == "") || !strings.Contains(stderr, test.says) {
			t.Errorf("%s: exit %d and %q, want %d and %q", test.args, code, stderr, test.code, test.says)
		}
		if code != 0 && stdout != "" {
			t.Errorf("%s: stdout has %q", test.args, stdout)
		}
	}
	// A program that reads the JSON reads nothing else, whatever is wrong.
	stdout, stderr, code := run("check --content bad --format json --strict")
	var problems struct{ Problems []map[string]any }
	if err := json.Unmarshal([]byte(stdout), &problems); err != nil || stderr != "" || code != exitProblem || len(problems.Problems) == 0 {
		t.Errorf("exit %d, %v\n%s\n%s", code, err, stdout, stderr)
	}
}

// TestPrintedImports: a command to paste names a real source, and has the encoding that was given.
func TestPrintedImports(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, _ := runIn(t, dir, "init", "content"); stderr != "" {
		t.Fatal(stderr)
	}
	for name, want := range map[string]string{"export.csv": "--source direct", "reviews-2025.csv": "--source direct", "clients.csv": "--source direct", "cards.csv": "--source cards", "yelp.csv": "--source yelp"} {
		writeFile(t, filepath.Join(dir, name), "stars;words\n5;Good.\n")
		if _, stderr, _ := runIn(t, dir, "import", name); !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", name, stderr)
		}
	}
	_, stderr, _ := runIn(t, dir, "import", "trustpilot", "cards.csv", "--encoding", "windows-1250")
	if want := "reviewcast import csv cards.csv --source cards --encoding windows-1250"; !strings.Contains(stderr, want) {
		t.Error(stderr)
	}
	_, stderr, _ = runIn(t, dir, "import", "csv", "cards.csv", "--verification", "yes")
	if !strings.Contains(stderr, "source is missing") || !strings.Contains(stderr, `verification "yes" is unknown`) {
		t.Error(stderr)
	}
}
