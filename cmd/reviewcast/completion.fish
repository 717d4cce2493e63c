# Completion of reviewcast for fish. Made by: reviewcast completion fish
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
