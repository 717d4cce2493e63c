# Completion of reviewcast for bash. Made by: reviewcast completion bash
_reviewcast() {
  local IFS=$'\n'
  COMPREPLY=($(reviewcast complete "${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _reviewcast reviewcast
