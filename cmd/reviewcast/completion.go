package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Help is what --help says beside the flags.
func (c *completionCmd) Help() string {
	return `Prints a script that completes commands, flags and their values, the ids of
technicians, services, areas and reviews in your folder included. In ~/.zshrc it must
come after compinit.

Examples:
  echo 'source <(reviewcast completion bash)' >> ~/.bashrc
  echo 'source <(reviewcast completion zsh)' >> ~/.zshrc
  reviewcast completion fish > ~/.config/fish/completions/reviewcast.fish`
}

// Run prints the script, made from the same declarations as the help.
func (c *completionCmd) Run(std streams, k *kong.Context) error {
	var script string
	switch c.Shell {
	case "fish":
		script = fishCompletion(k.Model.Node)
	case "zsh":
		script = "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(k.Model.Node)
	default:
		script = bashCompletion(k.Model.Node)
	}
	_, err := fmt.Fprint(std.out, script)
	return err
}

// eachCommand visits the program and every command below it, with the words that
// lead there.
func eachCommand(n *kong.Node, words []string, visit func(n *kong.Node, words []string)) {
	visit(n, words)
	for _, c := range n.Children {
		if !c.Hidden {
			eachCommand(c, append(slices.Clip(words), c.Name), visit)
		}
	}
}

// flagsOf are a command's own flags, and --help; those of the program as a whole
// stand with the program.
func flagsOf(n *kong.Node) []*kong.Flag {
	var out []*kong.Flag
	for _, f := range n.Flags {
		if !f.Hidden {
			out = append(out, f)
		}
	}
	return out
}

// choices are the values that a flag can have; nil for any.
func choices(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}

// bashCompletion is one function: it finds the command in the words before the
// cursor, then offers what that command has. Where nothing is offered, files are.
func bashCompletion(root *kong.Node) string {
	var commands, values, offers strings.Builder
	eachCommand(root, nil, func(n *kong.Node, words []string) {
		path := strings.Join(words, " ")
		var offer []string
		for _, c := range n.Children {
			if !c.Hidden {
				offer = append(offer, c.Name)
				fmt.Fprintf(&commands, "      %q) under=%q ;;\n", strings.TrimSpace(path+" "+c.Name), strings.TrimSpace(path+" "+c.Name))
			}
		}
		for _, f := range flagsOf(n) {
			offer = append(offer, "--"+f.Name)
			if list := listed(path, f.Name); list != "" {
				fmt.Fprintf(&values, "    %q) _reviewcast_names %s; return ;;\n", path+" --"+f.Name, list)
			} else if c := choices(f.Value); c != nil {
				fmt.Fprintf(&values, "    %q) COMPREPLY=($(compgen -P \"$given\" -W %q -- \"$cur\")); return ;;\n", path+" --"+f.Name, strings.Join(c, " "))
			}
		}
		for _, p := range n.Positional {
			offer = append(offer, choices(p)...)
		}
		offer = append(offer, "--help")
		slices.Sort(offer)
		fmt.Fprintf(&offers, "    %q) COMPREPLY=($(compgen -W %q -- \"$cur\"))", path, strings.Join(slices.Compact(offer), " "))
		for _, p := range n.Positional {
			if list := listed(path, p.Name); list != "" {
				fmt.Fprintf(&offers, "; [[ $cur == -* ]] || _reviewcast_names %s", list)
			}
		}
		offers.WriteString(" ;;\n")
	})
	return `# Completion of reviewcast for bash. Made by: reviewcast completion bash

# Ids of the content folder; in a list with commas, of its last item.
_reviewcast_names() {
  if [[ $cur == *,* ]]; then
    given=$given${cur%,*}, cur=${cur##*,}
  fi
  COMPREPLY=($(compgen -P "$given" -W "$(reviewcast names $1 "${content[@]}" 2>/dev/null | cut -f 1)" -- "$cur"))
}

_reviewcast() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} given="" under="" i
  local -a content # and no local path, which is PATH to zsh
  # --flag=value is three words to bash and one to zsh.
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $cur == --*=* ]]; then
    prev=${cur%%=*} given=${cur%%=*}= cur=${cur#*=}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i-1]} ${COMP_WORDS[i]}" in
      "--content "*) content=(--content "${COMP_WORDS[i]}") ;;
      "= "*) [[ ${COMP_WORDS[i-2]} != --content ]] || content=(--content "${COMP_WORDS[i]}") ;;
      *" --content="*) content=("${COMP_WORDS[i]}") ;;
    esac
    case "${under:+$under }${COMP_WORDS[i]}" in
` + commands.String() + `    esac
  done
  case "$under $prev" in
` + values.String() + `  esac
  case "$under" in
` + offers.String() + `  esac
}
complete -o default -F _reviewcast reviewcast
`
}

func fishCompletion(root *kong.Node) string {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}
	var b strings.Builder
	b.WriteString(`# Completion of reviewcast for fish. Made by: reviewcast completion fish

# Ids of the content folder, with their names; in a list with commas, of its last
# item.
function __reviewcast_names
  set -l words (commandline -opc)
  set -l content
  for i in (seq (count $words))
    if test $words[$i] = --content
      set content --content $words[(math $i + 1)]
    else if string match -q -- '--content=*' $words[$i]
      set content $words[$i]
    end
  end
  set -l given (string match -r -- '^.*,' (commandline -ct | string replace -r -- '^--[a-z-]+=' ''))
  reviewcast names $argv[1] $content 2>/dev/null | string replace -r -- '^' "$given"
end

`)
	eachCommand(root, nil, func(n *kong.Node, words []string) {
		var when []string
		for _, w := range words {
			when = append(when, "__fish_seen_subcommand_from "+w)
		}
		if len(n.Children) > 0 {
			var names []string
			for _, c := range n.Children {
				names = append(names, c.Name)
			}
			when = append(when, "not __fish_seen_subcommand_from "+strings.Join(names, " "))
		}
		condition := quote(strings.Join(when, "; and "))
		if len(n.Positional) == 0 {
			fmt.Fprintf(&b, "complete -c reviewcast -f -n %s\n", condition)
		}
		for _, p := range n.Positional {
			if list := listed(strings.Join(words, " "), p.Name); list != "" {
				fmt.Fprintf(&b, "complete -c reviewcast -f -n %s -a '(__reviewcast_names %s)'\n", condition, list)
			} else if c := choices(p); c != nil {
				fmt.Fprintf(&b, "complete -c reviewcast -f -n %s -a %s -d %s\n", condition, quote(strings.Join(c, " ")), quote(p.Help))
			}
		}
		for _, c := range n.Children {
			if !c.Hidden {
				fmt.Fprintf(&b, "complete -c reviewcast -f -n %s -a %s -d %s\n", condition, c.Name, quote(c.Help))
			}
		}
		for _, f := range flagsOf(n) {
			fmt.Fprintf(&b, "complete -c reviewcast -n %s -l %s", condition, f.Name)
			if f.Short != 0 {
				fmt.Fprintf(&b, " -s %c", f.Short)
			}
			if list := listed(strings.Join(words, " "), f.Name); list != "" {
				fmt.Fprintf(&b, " -x -a '(__reviewcast_names %s)'", list)
			} else if c := choices(f.Value); c != nil {
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(c, " ")))
			} else if !f.IsBool() {
				b.WriteString(" -r")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(f.Help))
		}
	})
	return b.String()
}

// reference is docs/cli.md: the program's help as one page.
func reference(root *kong.Node) string {
	var b strings.Builder
	b.WriteString("# The command line\n\nMade from the declarations in `cmd/reviewcast` by its tests (`go test ./cmd/reviewcast -run TestReference -update`); edit those.\n\n" +
		"Exit codes: 0 all is well, 1 something is wrong with the content or with the work, 2 a mistake in the command line.\n" +
		"What a command answers goes to stdout, complaints and progress to stderr; with `--format json` stdout is JSON and nothing else.\n\n" +
		"Colours are for terminals only; `NO_COLOR` turns them off, and so does `TERM=dumb`; `CLICOLOR_FORCE=1` turns them on elsewhere. Lines, tables and help fit the terminal, or the width that `COLUMNS` says; in a pipe or a file no line is broken and nothing is cut but excerpts of long lines. `--help` explains each command.\n")
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

// flagForm writes a flag with its value's placeholder.
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

// indentAsCode fences the parts of a text that are indented.
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
