package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	manual        = "../../content/README.md"
	starterManual = "../../generator/starter/files/README.md"
)

// TestManual holds the messages that the manual quotes against those that are printed:
// the golden files of check, and what check says of files that no archive can hold.
func TestManual(t *testing.T) {
	golden, err := os.ReadFile("testdata/check/manual.golden")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args string) string {
		cmd := exec.Command(binary(t), strings.Fields(args)...)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // exits with 1
		return string(out)
	}
	content := filepath.Join(dir, "content")
	writeFile(t, filepath.Join(content, "business.yaml"), "id: acme\nname: Acme\n")
	writeFile(t, filepath.Join(content, "reviews", "a.yaml"), oneReview("a", "Kind."))
	writeFile(t, filepath.Join(content, "reviews", "b.yaml"), oneReview("b", "Quick."))
	run("build --base-url http://localhost --today 2026-11-21")
	if err := os.Remove(filepath.Join(content, "reviews", "b.yaml")); err != nil {
		t.Fatal(err)
	}
	printed := string(golden) + run("check")
	writeFile(t, filepath.Join(content, "reviews", "b.yaml"), "# caf\xe9\n")
	printed += run("check")

	for _, file := range []string{manual, "../../docs/editors.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, messages, _ := strings.Cut(string(data), "## When something is refused")
		quotes := regexp.MustCompile("(?m)^\\| `(.+?)` \\| .* \\| .* \\|$").FindAllStringSubmatch(messages, -1)
		quotes = append(quotes, regexp.MustCompile(`(?m)^    ((?:content/.*: error: .*\n)(?:       .*\n)*)`).FindAllStringSubmatch(string(data), -1)...)
		if len(quotes) == 0 || file == manual && len(quotes) < 20 {
			t.Errorf("%s quotes %d messages", file, len(quotes))
		}
		for _, q := range quotes {
			for line := range strings.Lines(q[1]) {
				if line = strings.TrimPrefix(strings.TrimRight(line, "\n"), "    "); !strings.Contains(printed, line) {
					t.Errorf("%s: nothing prints %q", filepath.Base(file), line)
				}
			}
		}
	}
}

// TestStarterManual: what `init` writes has the whole manual.
func TestStarterManual(t *testing.T) {
	const first = "## The files\n"
	data, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(data), first)
	data, err = os.ReadFile(starterManual)
	if err != nil {
		t.Fatal(err)
	}
	intro, got, _ := strings.Cut(string(data), first)
	if *update && got != want {
		if err := os.WriteFile(starterManual, []byte(intro+first+want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want || want == "" {
		t.Error("the README of the starter differs from the manual; run it with -update")
	}
}
