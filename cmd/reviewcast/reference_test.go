package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestReference compares docs/cli.md with the declarations.
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

// eachCommand visits the program and every command below it, with the words of the
// command line.
func eachCommand(n *kong.Node, words []string, visit func(n *kong.Node, words []string)) {
	visit(n, words)
	for _, c := range n.Children {
		if !c.Hidden {
			eachCommand(c, append(slices.Clip(words), c.Name), visit)
		}
	}
}

// flagsOf returns the visible flags of a command.
func flagsOf(n *kong.Node) []*kong.Flag {
	var out []*kong.Flag
	for _, f := range n.Flags {
		if !f.Hidden {
			out = append(out, f)
		}
	}
	return out
}

// reference returns docs/cli.md.
func reference(root *kong.Node) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nGenerated from the declarations in `cmd/reviewcast` (`go test ./cmd/reviewcast -run TestReference -update`).\n\n" +
		"Exit codes: 0 success, 1 errors in the content or a command that failed, 2 a mistake in the command line.\n" +
		"Results are written to stdout, problems and errors to stderr; with `--format json` stdout is JSON and nothing else.\n\n" +
		"Colors are used on terminals only. `NO_COLOR` and `TERM=dumb` turn them off; `CLICOLOR_FORCE=1` turns them on for pipes and files. Lines, tables and help fit the width of the terminal, or `COLUMNS`; in a pipe or a file, lines are not broken, and only excerpts of long lines are cut. `--help` explains each command.\n")
	eachCommand(root, nil, func(n *kong.Node, words []string) {
		if len(words) == 0 {
			return
		}
		path := "reviewcast " + strings.Join(words, " ")
		fmt.Fprintf(&b, "\n%s %s\n\n%s\n", strings.Repeat("#", len(words)+1), path, n.Help)
		if len(n.Children) > 0 {
			return
		}
		usage := path
		for _, p := range n.Positional {
			usage += " " + p.Summary()
		}
		fmt.Fprintf(&b, "\n```\n%s [flags]\n```\n", usage)
		if n.Detail != "" {
			text, examples, _ := strings.Cut(n.Detail, "Example")
			if text = strings.TrimSpace(text); text != "" {
				fmt.Fprintf(&b, "\n%s\n", indentAsCode(text))
			}
			if _, examples, ok := strings.Cut(examples, ":\n"); ok {
				fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.TrimRight(undent(examples), "\n"))
			}
		}
		if len(n.Positional)+len(flagsOf(n)) > 0 {
			b.WriteString("\n| | |\n|---|---|\n")
		}
		cell := strings.NewReplacer("|", `\|`, "\n", " ")
		for _, p := range n.Positional {
			fmt.Fprintf(&b, "| `%s` | %s |\n", p.Summary(), cell.Replace(p.Help))
		}
		for _, f := range flagsOf(n) {
			if f.Name == "help" {
				continue
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", cell.Replace(flagForm(f)), cell.Replace(helpOf(f.Value)))
		}
	})
	return b.String()
}

// flagForm returns a flag with the placeholder of its value.
func flagForm(f *kong.Flag) string {
	form := "--" + f.Name
	if f.Short != 0 {
		form = "-" + string(f.Short) + ", " + form
	}
	if !f.IsBool() {
		form += "=" + f.FormatPlaceHolder()
	}
	return form
}

// indentAsCode puts the indented parts of a text into code fences.
func indentAsCode(s string) string {
	var out []string
	fenced := false
	for line := range strings.SplitSeq(s, "\n") {
		if code := strings.HasPrefix(line, "  "); code != fenced && line != "" {
			out = append(out, "```")
			fenced = code
		}
		out = append(out, strings.TrimPrefix(line, "  "))
	}
	if fenced {
		out = append(out, "```")
	}
	return strings.Join(out, "\n")
}

func undent(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}
