package reference

import (
	"fmt"
	"strings"
)

// Complete is the word after which a program gets the words to complete, and prints their Candidates.
const Complete = "__complete"

// Completion is a script for a shell, bash, zsh or fish, which asks the program for candidates.
func Completion(shell, program string) string {
	script := map[string]string{
		"bash": bash,
		// zsh runs functions for bash.
		"zsh":  "#compdef %[1]s\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n\n" + bash,
		"fish": fish,
	}[shell]
	return fmt.Sprintf(script, program, function(program), Complete, directiveNoSpace, directiveNoFiles)
}

// function is the name of a function in a script.
func function(program string) string {
	return "_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, program)
}

const bash = `# Completion of %[1]s for bash.
%[2]s() {
  local current=${COMP_WORDS[COMP_CWORD]} asked=() word last i directive=0 IFS=$'\n'
  # Bash splits --flag=value into three words, and replaces the last of them.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]} last=$((${#asked[@]} - 1))
    if ((last >= 0)) && [[ $word == = || ${COMP_WORDS[i - 1]} == = ]]; then
      asked[last]+=$word
    else
      asked+=("$word")
    fi
  done
  last=${asked[${#asked[@]} - 1]}
  if [[ $current == = ]]; then
    current=
  fi
  COMPREPLY=()
  for word in $(%[1]s %[3]s "${asked[@]}" 2>/dev/null | cut -f 1); do
    case $word in
    :*) directive=${word#:} ;;
    *) COMPREPLY+=("${word#"${last%%%%"$current"}"}") ;;
    esac
  done
  if ((!(directive & %[5]d))); then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
  if ((directive & %[4]d)) && [[ ${COMPREPLY[0]-} == *= ]]; then
    compopt -o nospace 2>/dev/null || true
  fi
}
complete -o filenames -F %[2]s %[1]s
`

const fish = `# Completion of %[1]s for fish.
function %[2]s
  %[1]s %[3]s (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c %[1]s -a '(%[2]s)'
`
