package main

import "fmt"

type completionCmd struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Help is what --help says beside the flags.
func (c *completionCmd) Help() string {
	return `Prints a script that completes commands, flags and their values, including the ids of
technicians, services, areas and reviews in the content folder. In ~/.zshrc it must come
after compinit.

Examples:
  echo 'source <(reviewcast completion bash)' >> ~/.bashrc
  echo 'source <(reviewcast completion zsh)' >> ~/.zshrc
  reviewcast completion fish > ~/.config/fish/completions/reviewcast.fish`
}

// The scripts ask the hidden command complete (see complete.go) for candidates and
// fall back to file names when there are none.
const (
	bashScript = `# Completion of reviewcast for bash. Made by: reviewcast completion bash
_reviewcast() {
  local IFS=$'\n'
  COMPREPLY=($(reviewcast complete "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _reviewcast reviewcast
`
	zshScript  = "autoload -U +X bashcompinit && bashcompinit\n" + bashScript
	fishScript = `# Completion of reviewcast for fish. Made by: reviewcast completion fish
function __reviewcast
  set -l words (commandline -opc)
  set -l found (reviewcast complete $words[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c reviewcast -f -a '(__reviewcast)'
`
)

// Run prints the script.
func (c *completionCmd) Run(std streams) error {
	_, err := fmt.Fprint(std.out, map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell])
	return err
}
