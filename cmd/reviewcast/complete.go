package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/cmd/reviewcast/compose"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/source"
)

// completeCmd answers the completion scripts: it prints what the last of some words
// of a command line can be, a line each, with a description after a tab.
type completeCmd struct {
	Words []string `arg:"" optional:""`
}

// Run prints the candidates. A content folder with errors offers none: a command line
// that is being typed is no place to report them.
func (c *completeCmd) Run(ctx context.Context, std streams, k *kong.Context) error {
	var b strings.Builder
	line := commandLine(k.Model.Node, c.Words)
	for _, candidate := range line.candidates(ctx) {
		fmt.Fprintf(&b, "%s\t%s\n", candidate.ID, strings.Join(strings.Fields(terminal.Visible(candidate.Name)), " "))
	}
	_, err := fmt.Fprint(std.out, b.String())
	return err
}

// line is a command line up to the cursor.
type line struct {
	node    *kong.Node // the command
	args    int        // positional arguments before the last word
	flag    *kong.Flag // that the last word is the value of; nil for none
	prefix  string     // what is before the value in the last word, such as --flag=
	last    string     // the value
	content string     // of --content
}

// commandLine reads the words after the program's name. bash makes three words of
// --flag=value, the other shells one; candidates replace the last word.
func commandLine(root *kong.Node, words []string) line {
	l := line{node: root, content: "content"}
	for i, word := range words {
		last := i == len(words)-1
		name, value, hasValue := strings.Cut(word, "=")
		switch {
		case word == "=" && l.flag != nil: // and the value follows
			l.last = ""
			continue
		case l.flag != nil: // the value of the flag before
			l.last = word
		case strings.HasPrefix(word, "-") && (!last || hasValue):
			l.flag, l.prefix, l.last = l.findFlag(name), name+"=", value
			if !hasValue && (l.flag == nil || !l.flag.IsBool()) {
				l.prefix, l.last = "", ""
				continue // the next word is the value
			}
		case last:
			l.last = word
		default:
			if at := slices.IndexFunc(l.node.Children, func(n *kong.Node) bool { return n.Name == word }); at >= 0 {
				l.node = l.node.Children[at]
			} else {
				l.args++
			}
		}
		if !last {
			if l.flag != nil && l.flag.Name == "content" {
				l.content = l.last
			}
			l.flag, l.prefix, l.last = nil, "", ""
		}
	}
	return l
}

func (l *line) findFlag(name string) *kong.Flag {
	for _, f := range l.node.Flags {
		if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// candidates returns what the last word can be.
func (l *line) candidates(ctx context.Context) []terminal.Choice {
	var found []terminal.Choice
	offer := func(value, help string) {
		if strings.HasPrefix(value, l.last) {
			found = append(found, terminal.Choice{ID: l.prefix + value, Name: help})
		}
	}
	value := func(v *kong.Value) {
		if v.Enum != "" {
			for choice := range strings.SplitSeq(v.Enum, ",") {
				offer(choice, v.Help)
			}
		} else if kind := v.Tag.Get("ids"); kind != "" {
			found = append(found, l.ids(ctx, kind)...)
		}
	}
	if l.flag != nil {
		value(l.flag.Value)
		return found
	}
	for _, n := range l.node.Children {
		if !n.Hidden {
			offer(n.Name, n.Help)
		}
	}
	more := l.args < len(l.node.Positional)
	if more {
		value(l.node.Positional[l.args])
	}
	if strings.HasPrefix(l.last, "-") || l.last == "" && !more {
		for _, f := range l.node.Flags {
			if !f.Hidden {
				offer("--"+f.Name, f.Help)
			}
		}
	}
	return found
}

// ids returns the ids of the content folder that the last word can be. In a list with
// commas it is the last item.
func (l *line) ids(ctx context.Context, kind string) (found []terminal.Choice) {
	content, _, _, err := source.NewLoader(l.content, source.Config{}).Load(ctx, nil)
	if err != nil || content == nil {
		return nil
	}
	comma := strings.LastIndexByte(l.last, ',') + 1
	for _, c := range compose.Choices(content, kind) {
		if strings.HasPrefix(c.ID, l.last[comma:]) {
			found = append(found, terminal.Choice{ID: l.prefix + l.last[:comma] + c.ID, Name: c.Name})
		}
	}
	return found
}
