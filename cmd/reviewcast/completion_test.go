package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestHelp: every command has a help text with examples that bash and the parser
// accept.
func TestHelp(t *testing.T) {
	parser, err := newParser(t.Context(), streams{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"cards.csv", "lounges.csv", "reviews.csv", "reviews.json", "answers.jsonl"} {
		writeFile(t, name, "")
	}
	eachCommand(parser.Model.Node, nil, func(n *kong.Node, words []string) {
		if len(n.Children) > 0 {
			return
		}
		command := strings.Join(words, " ")
		var out bytes.Buffer
		if err := run(context.Background(), append(slices.Clone(words), "--help"), nil, &out, &out); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: colours where nobody sees them", command)
		}
		_, examples, _ := strings.Cut(n.Detail, "Example")
		_, examples, ok := strings.Cut(examples, ":\n")
		if !ok && words[0] != "hub" {
			t.Errorf("%s: no example in\n%s", command, &out)
		}
		for line := range strings.Lines(strings.ReplaceAll(examples, "\\\n", "")) {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "reviewcast ") {
				if out, err := exec.Command(bash, "-n", "-c", line).CombinedOutput(); err != nil {
					t.Errorf("%s: bash doesn't take %s: %s", command, line, out)
				}
				continue
			}
			line, _, _ = strings.Cut(line, " > ")
			line, _, _ = strings.Cut(line, " | ")
			args, err := exec.Command(bash, "-c", `reviewcast() { printf '%s\n' "$@"; }; `+line).Output()
			if err != nil {
				t.Errorf("%s: bash doesn't take %s: %v", command, line, err)
			} else if _, err := parser.Parse(strings.Split(strings.TrimRight(string(args), "\n"), "\n")); err != nil {
				t.Errorf("%s: %s: %v", command, line, err)
			}
		}
	})
}

// completions are typed words and how every shell completes the last one.
var completions = map[string]string{
	"reviewcast ch":                  "check",
	"reviewcast check --fo":          "--format",
	"reviewcast check --format j":    "json",
	"reviewcast import goo":          "google",
	"reviewcast import google --loc": "--location",
	"reviewcast new r":               "review",
	"reviewcast completion f":        "fish",
	"reviewcast import yelp big":     "big.csv",

	"reviewcast new review --technicians an":               "ana-lima",
	"reviewcast new review --technicians bo,an":            "bo,ana-lima",
	"reviewcast new review --content other --services unb": "unblocking",
	"reviewcast insights explain my-f":                     "my-first",
	"reviewcast insights explain --content other their-f":  "their-first",
}

// completionFor finds a shell and writes its script into a directory with a file
// big.csv and two content folders.
func completionFor(t *testing.T, name string) (shell, dir string) {
	t.Helper()
	shell, err := exec.LookPath(name)
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("there is no %s; .ci/run installs it", name)
	case err != nil:
		t.Skipf("no %s here", name)
	}
	dir = t.TempDir()
	var script bytes.Buffer
	if err := run(t.Context(), []string{"completion", name}, nil, &script, &script); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, ".completion"), script.String())
	writeFile(t, filepath.Join(dir, "big.csv"), "")
	for folder, business := range map[string]string{
		"content": "technicians: [{id: ana-lima, name: Ana Lima}, {id: bo, name: Bo}]", "other": "services: [{id: unblocking, name: Drains}]",
	} {
		writeFile(t, filepath.Join(dir, folder, "business.yaml"), "id: acme\nname: Acme\n"+business+"\n")
	}
	for file, id := range map[string]string{"content/reviews/a.yaml": "my-first", "other/reviews/a.yaml": "their-first"} {
		writeFile(t, filepath.Join(dir, file), "{id: "+id+", author: Jo K., rating: 5, date: 2026-01-01}\n")
	}
	// The scripts run the program that PATH names.
	t.Setenv("PATH", filepath.Dir(binary(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	return shell, dir
}

// TestBashCompletion runs bash. File names, which our function leaves to bash, are not
// seen here.
func TestBashCompletion(t *testing.T) {
	bash, dir := completionFor(t, "bash")
	for words, want := range completions {
		if want == "big.csv" {
			want = ""
		}
		cmd := exec.Command(bash, "--norc", "-c", `source ./.completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reviewcast; echo "${COMPREPLY[@]}"`, "bash")
		cmd.Args, cmd.Dir = append(cmd.Args, strings.Fields(words)...), dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %s", words, got, err, want)
		}
	}
}

// TestFishCompletion runs fish.
func TestFishCompletion(t *testing.T) {
	fish, dir := completionFor(t, "fish")
	for words, want := range completions {
		cmd := exec.Command(fish, "--no-config", "-c", "source ./.completion; complete -C $argv[1]", words)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir)
		out, err := cmd.CombinedOutput()
		got, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
		if err != nil || got != want || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %q, %v; want %s", words, out, err, want)
		}
	}
	cmd := exec.Command(fish, "--no-config", "-c", "source ./.completion; complete -C 'reviewcast check '")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "big.csv") {
		t.Errorf("check takes no file, and is offered %q, %v", out, err)
	}
}

// TestHelpAll: dev --help shows what an editor needs, --help-all all of it.
func TestHelpAll(t *testing.T) {
	help := func(args ...string) string {
		var out bytes.Buffer
		if err := run(t.Context(), args, nil, &out, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	short, all := help("dev", "--help"), help("dev", "--help-all")
	for _, flag := range []string{"--content", "--listen", "--poll", "--help-all"} {
		if !strings.Contains(short, flag) {
			t.Errorf("dev --help has no %s:\n%s", flag, short)
		}
	}
	for _, flag := range []string{"--hub-retry", "--mcp-sessions", "--admin-listen", "--trusted-proxies"} {
		if strings.Contains(short, flag) || !strings.Contains(all, flag) || !strings.Contains(help("edge", "--help"), flag) {
			t.Errorf("%s is for dev --help-all and edge --help:\n%s", flag, short)
		}
	}
	if again := help("dev", "--help-all"); again != all {
		t.Errorf("the help changes:\n%s", again)
	}
	for _, text := range []string{short, all} {
		if !strings.Contains(text, "(default: content)") {
			t.Errorf("a help without defaults:\n%s", text)
		}
	}
}
