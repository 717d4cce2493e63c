package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// maxHelpColumns limits the lines of a help text: longer ones are hard to read.
const maxHelpColumns = 100

var helpOptions = kong.HelpOptions{Compact: true, WrapUpperBound: maxHelpColumns, ValueFormatter: helpOf}

//go:embed help.txt
var helpFile string

// details gives a command and those below it their texts in help.txt.
func details(n *kong.Node) {
	_, text, _ := strings.Cut(helpFile, "== "+strings.TrimPrefix(n.FullPath(), "reviewcast ")+"\n")
	text, _, _ = strings.Cut(text, "\n== ")
	n.Detail = strings.TrimSpace(text)
	for _, child := range n.Children {
		details(child)
	}
}

// operators is the group of flags that only --help-all shows.
const operators = "operators"

// printHelp prints the help of a command without the flags for operators.
func printHelp(options kong.HelpOptions, c *kong.Context) error {
	hidden := 0
	if n := c.Selected(); n != nil {
		for _, f := range n.Flags {
			if f.Group != nil && f.Group.Key == operators && !f.Hidden {
				f.Hidden = true
				hidden++
			}
		}
	}
	if err := kong.DefaultHelpPrinter(options, c); err != nil {
		return err
	}
	if hidden > 0 {
		_, err := fmt.Fprintf(c.Stdout, "\n--help-all shows %d more flags, for operators.\n", hidden)
		return err
	}
	return nil
}

// helpAllFlag prints the help with all flags.
type helpAllFlag bool

// BeforeReset prints when the parser finds the flag, as kong's own --help does.
func (helpAllFlag) BeforeReset(c *kong.Context) error {
	if err := kong.DefaultHelpPrinter(helpOptions, c); err != nil {
		return err
	}
	c.Exit(0)
	return nil
}

func helpOf(v *kong.Value) string {
	if !v.HasDefault || v.Default == "" || v.IsBool() {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (default: " + v.Default + ")."
}

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// The scripts ask the hidden command complete, and fall back to file names.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.fish
	fishScript string
)

// Run prints the script.
func (c *completionCmd) Run(std streams) error {
	_, err := fmt.Fprint(std.out, map[string]string{"bash": bashScript, "zsh": "autoload -U +X bashcompinit && bashcompinit\n" + bashScript, "fish": fishScript}[c.Shell])
	return err
}

// completeCmd prints what the last of some words can be, a line each, with a description after a tab.
type completeCmd struct {
	Words []string `arg:"" optional:""`
}

// Run prints the candidates; none of a content folder with errors.
func (c *completeCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	words := diagnostic.Pick(len(c.Words) > 0, c.Words, []string{""})
	node, args, content := k.Model.Node, 0, "content"
	var flag *kong.Flag // that the next word is the value of
	for _, word := range words[:len(words)-1] {
		child := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case flag != nil:
			if flag.Name == "content" {
				content = word
			}
			flag = nil
		case strings.HasPrefix(word, "-"):
			named := func(f *kong.Flag) bool { return word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) }
			if i := slices.IndexFunc(node.Flags, named); i >= 0 && !node.Flags[i].IsBool() {
				flag = node.Flags[i]
			}
		case child >= 0:
			node = node.Children[child]
		default:
			args++
		}
	}
	last := words[len(words)-1]
	var b strings.Builder
	offer := func(word, meaning string) {
		if strings.HasPrefix(word, last) {
			fmt.Fprintf(&b, "%s\t%s\n", word, strings.Join(strings.Fields(terminal.Visible(meaning)), " "))
		}
	}
	if flag != nil {
		offerValues(ctx, flag.Value, last, content, offer)
		node = &kong.Node{}
	} else if args < len(node.Positional) {
		offerValues(ctx, node.Positional[args], last, content, offer)
	}
	for _, n := range node.Children {
		if !n.Hidden {
			offer(n.Name, n.Help)
		}
	}
	for _, f := range node.Flags {
		if !f.Hidden && (strings.HasPrefix(last, "-") || last == "" && args >= len(node.Positional)) {
			offer("--"+f.Name, f.Help)
		}
	}
	_, err := io.WriteString(std.out, b.String())
	return err
}

// offerValues offers what a value can be: one of its choices, or an id of the content
// folder, in a list with commas the last item.
func offerValues(ctx context.Context, v *kong.Value, word, folder string, offer func(word, meaning string)) {
	if v.Enum != "" {
		for choice := range strings.SplitSeq(v.Enum, ",") {
			offer(choice, v.Help)
		}
	}
	kind := v.Tag.Get("ids")
	if kind == "" {
		return
	}
	content, _, _, err := source.NewLoader(folder, source.Config{}).Load(ctx, nil)
	if err != nil || content == nil {
		return
	}
	before := word[:strings.LastIndexByte(word, ',')+1]
	for _, c := range compose.Choices(content, kind) {
		offer(before+c.ID, c.Name)
	}
}
