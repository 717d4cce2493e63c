package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what comes out as what is wanted")

// elsewhere are the problems that an archive of texts cannot show; generator/source
// tests them.
var elsewhere = []string{"not-a-folder", "not-text", "not-utf8", "output-inside", "symlink-broken", "symlink-folder", "symlink-outside", "too-big", "too-deep",
	"too-long", "too-many-problems", "too-many-reviews", "unreadable"}

// TestCheck runs `reviewcast check` on every archive of problems, those of the loader's
// tests and those here, and compares its output with a golden file. Every code of the
// loader has a case.
func TestCheck(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("../../generator/source/testdata/problems/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives: ", err)
	}
	exe := binary(t)
	seen := map[string]bool{}
	code := regexp.MustCompile(`\[([a-z0-9-]+)\]\n`)
	for _, archive := range append(archives, "testdata/check/missing.txtar", "testdata/check/warnings.txtar", "testdata/check/beside.txtar", "testdata/check/comment.txtar", "testdata/check/leftovers.txtar", "testdata/check/manual.txtar") {
		name := strings.TrimSuffix(filepath.Base(archive), ".txtar")
		t.Run(name, func(t *testing.T) {
			a, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if !strings.Contains(string(a.Comment), "without business.yaml") {
				writeFile(t, filepath.Join(dir, "content", "business.yaml"), "id: acme\nname: Acme\n")
			}
			for _, f := range a.Files {
				if f.Name != "problems" {
					writeFile(t, filepath.Join(dir, "content", filepath.FromSlash(f.Name)), string(f.Data))
				}
			}
			cmd := exec.Command(exe, "check", "--today", "2026-11-21")
			cmd.Dir = dir
			got, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if bytes.Contains(got, []byte(": error: ")) != errors.As(err, &exit) || exit != nil && exit.ExitCode() != exitProblem {
				t.Errorf("ended with %v", err)
			}
			for _, m := range code.FindAllSubmatch(got, -1) {
				seen[string(m[1])] = true
			}
			golden := filepath.Join("testdata", "check", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("it prints\n%s\nnot\n%s", got, want)
			}
		})
	}
	for _, file := range []string{"source/doc.go", "lint/lint.go"} {
		data, err := os.ReadFile(filepath.Join("../../generator", file))
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(string(data), "The codes, which stay as they are:")
		list, _, _ = strings.Cut(list, "package source")
		if file == "lint/lint.go" {
			list = "email-in-text phone-in-text address-in-text card-in-text full-surname markup near-duplicate unlisted-technician cut-by-comment curly-quotes legal-text mojibake"
		}
		for _, c := range regexp.MustCompile(`[a-z0-9]+(-[a-z0-9]+)*`).FindAllString(list, -1) {
			if !seen[c] && !slices.Contains(elsewhere, c) {
				t.Errorf("no case shows %s", c)
			}
		}
	}
}

// TestCheckFormats: the same problems for programs and for pull requests.
func TestCheckFormats(t *testing.T) {
	t.Parallel()
	exe, dir := binary(t), t.TempDir()
	writeFile(t, filepath.Join(dir, "content", "business.yaml"), "id: acme\nname: Acme\n")
	writeFile(t, filepath.Join(dir, "content", "reviews", "a,b.yaml"), "- {id: r, author: Maria Kowalska, rating: 5, date: 2026-01-01, verification: {method: job}, text: '100%: WRITE TO ME@MAIL.EXAMPLE NOW'}\n")
	run := func(args ...string) (string, int) {
		cmd := exec.Command(exe, append([]string{"check", "--today", "2026-11-21"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if len(exit.Stderr) > 0 && exit.ExitCode() != exitUsage {
				t.Errorf("%v: stderr has %s", args, exit.Stderr)
			}
			return string(out), exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return string(out), 0
	}
	out, exit := run("--format", "json")
	var got struct {
		Problems []map[string]any `json:"problems"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || exit != 0 || len(got.Problems) != 2 {
		t.Fatalf("exit %d, %v:\n%s", exit, err, out)
	}
	for _, p := range got.Problems {
		if len(p) != 7 || p["severity"] != "warning" || p["file"] != "reviews/a,b.yaml" || p["line"] != 1.0 || p["suggestion"] == "" {
			t.Errorf("problem %v", p)
		}
	}
	out, exit = run("--format", "github", "--strict")
	want := "::error file=content/reviews/a%2Cb.yaml,line=1,col=19,title=full-surname::author \"Maria Kowalska\" has a full surname, but the policy in site.yaml is initials%0A"
	if !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 2 || exit != exitProblem {
		t.Errorf("exit %d:\n%s", exit, out)
	}
	if out, exit := run("--quiet"); exit != 0 || out != "" {
		t.Errorf("quiet: exit %d, %s", exit, out)
	}
	if out, exit := run("--quiet", "--strict"); exit != exitProblem || strings.Count(out, ": error: ") != 2 || strings.Contains(out, "2 errors") {
		t.Errorf("quiet and strict: exit %d, %s", exit, out)
	}
	if _, exit := run("--format", "xml"); exit != exitUsage {
		t.Errorf("a wrong flag ends with %d", exit)
	}
	writeFile(t, filepath.Join(dir, "content", "reviews", "a,b.yaml"), "[]\n")
	if out, exit := run("--format", "json"); exit != 0 || strings.Join(strings.Fields(out), "") != `{"problems":[]}` {
		t.Errorf("exit %d, %s", exit, out)
	}
}
