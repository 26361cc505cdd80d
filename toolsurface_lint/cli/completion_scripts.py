"""The completion scripts of the shells. Each hands the words up to the cursor to the program and passes on its answer."""

from __future__ import annotations

_BASH = r"""# Completion of toolsurface-lint for bash 3.2 and later.
_toolsurface_lint() {
  local program="${1/#\~/$HOME}" words=() count=0 joined=0 word line keep='' replies=() index
  # Readline breaks words at "=": the program gets them whole.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if ((count)) && { [[ $word == "=" ]] || ((joined)); }; then
      words[count - 1]+=$word
      [[ $word == "=" ]] && joined=1 || joined=0
    else
      words[count++]=$word
      joined=0
    fi
  done
  # A cursor right behind "=" is in an empty word of its own, which has been joined too.
  ((count)) || words[0]=
  local current=${words[${#words[@]} - 1]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $keep ]]; then keep=$line; else replies+=("$line"); fi
  done < <("$program" __complete bash "${words[@]}" 2>/dev/null)
  case $keep in
    *files | '') return ;; # Nothing in COMPREPLY: readline offers files, as `complete -o default` says.
    *folders)
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current")
      compopt -o filenames 2>/dev/null
      return ;;
  esac
  compopt +o default 2>/dev/null
  local head=${current:0:${keep%% *}}
  # Readline replaces only what stands behind its last break.
  [[ $COMP_WORDBREAKS == *=* ]] && head=${head##*=}
  for line in ${replies[@]+"${replies[@]}"}; do COMPREPLY+=("$head$line"); done
}
complete -o default -F _toolsurface_lint toolsurface-lint
"""

_ZSH = r"""#compdef toolsurface-lint
# Completion of toolsurface-lint for zsh.
_toolsurface-lint() {
  local -a lines
  lines=("${(@f)$(${${(Q)words[1]}/#\~\//$HOME/} __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  local keep=$lines[1]
  shift lines
  (( ${keep%% *} )) && compset -p ${keep%% *}
  case $keep in
    (*files | '') _files ;;
    (*folders) _files -/ ;;
    (*) (( $#lines )) && _describe -V value lines ;;
  esac
}

if [[ $funcstack[1] == _toolsurface-lint ]]; then
  _toolsurface-lint "$@"
else
  compdef _toolsurface-lint toolsurface-lint
fi
"""

_FISH = r"""# Completion of toolsurface-lint for fish.
function __toolsurface_lint_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l lines ($words[1] __complete fish $words[2..-1] "$current" 2>/dev/null)
    set -l keep (string split ' ' -- $lines[1])
    set -l head (string sub -l $keep[1] -- "$current")
    set -l rest (string sub -s (math $keep[1] + 1) -- "$current")
    switch "$keep[2]"
        case files
            for path in (__fish_complete_path "$rest")
                echo -- $head$path
            end
        case folders
            for path in (__fish_complete_directories "$rest")
                echo -- $head$path
            end
        case '*'
            for line in $lines[2..-1]
                echo -- $head$line
            end
    end
end
complete -c toolsurface-lint -f -a '(__toolsurface_lint_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
