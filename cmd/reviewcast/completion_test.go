package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestReference keeps docs/cli.md made from the declarations.
func TestReference(t *testing.T) {
	parser, err := newParser(t.Context(), streams{})
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/cli.md"
	got := reference(parser.Model.Node)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s is not current (%v); run go test ./cmd/reviewcast -run TestReference -update", file, err)
	}
}

// TestHelp: every command has a help with an example that the parser takes.
func TestHelp(t *testing.T) {
	for _, args := range []string{"init", "dev", "check", "build", "diff", "edge", "import csv", "import google", "import trustpilot", "import yelp", "import jsonl", "new review", "schema", "completion"} {
		var out bytes.Buffer
		if err := run(context.Background(), append(strings.Fields(args), "--help"), &out, &out); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if !strings.Contains(out.String(), "Example") {
			t.Errorf("%s: no example in\n%s", args, &out)
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: colours where nobody sees them", args)
		}
	}
}

// TestBashCompletion asks bash itself.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	var script bytes.Buffer
	if err := run(t.Context(), []string{"completion", "bash"}, &script, &script); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"reviewcast ch":                  "check",
		"reviewcast check --fo":          "--format",
		"reviewcast check --format j":    "json",
		"reviewcast import goo":          "google",
		"reviewcast import google --loc": "--location",
		"reviewcast completion f":        "fish",
	} {
		list := strings.Fields(words)
		cmd := exec.Command(bash, "--norc", "-c", script.String()+"\nCOMP_WORDS=("+words+"); COMP_CWORD="+string(rune('0'+len(list)-1))+"; _reviewcast; echo ${COMPREPLY[@]}")
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %s", words, got, err, want)
		}
	}
}
