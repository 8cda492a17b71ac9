package reference

import (
	"fmt"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
)

// Shells for which there is completion.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Completion is a script for a shell.
func Completion(shell, program string, commands []Command) (string, error) {
	switch shell {
	case "bash":
		return bash(program, commands), nil
	case "zsh":
		// zsh runs functions for bash.
		return fmt.Sprintf("#compdef %s\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n\n%s", program, bash(program, commands)), nil
	case "fish":
		return fish(program, commands), nil
	default:
		return "", errors.Errorf("there is no completion for %s; want one of %s", shell, strings.Join(Shells(), ", "))
	}
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

// bash completes commands, flags and the values of flags, otherwise files.
func bash(program string, commands []Command) string {
	var words, values strings.Builder
	for i := range commands {
		c := &commands[i]
		offered := append([]string{}, c.Commands...)
		for j := range c.Flags {
			f := &c.Flags[j]
			name := f.Name
			if f.Value != "" {
				name += "="
			}
			offered = append(offered, name)
			if len(f.Values) > 0 {
				files := ""
				if f.Open {
					files = "-f "
				}
				fmt.Fprintf(&values, "    %q) COMPREPLY=($(compgen %s-W %q -- \"$value\")); return ;;\n",
					strings.TrimSpace(c.Path+" "+f.Name), files, strings.Join(f.Values, " "))
			}
		}
		fmt.Fprintf(&words, "    %q) words=%q ;;\n", c.Path, strings.Join(offered, " "))
	}
	name := function(program)
	return fmt.Sprintf(`# Completion of %[1]s for bash.
%[2]s() {
  local current=${COMP_WORDS[COMP_CWORD]} command= word words i value
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case "${command:+$command }$word" in
%[3]s    esac
  done
  # Bash splits --flag=value into three words.
  if [[ $current == = ]]; then
    word=${COMP_WORDS[COMP_CWORD - 1]} value=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    word=${COMP_WORDS[COMP_CWORD - 2]} value=$current
  else
    word=${COMP_WORDS[COMP_CWORD - 1]} value=$current
  fi
  case "${command:+$command }$word" in
%[4]s  esac
  case "$command" in
%[5]s  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $current != -* ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
  if [[ ${COMPREPLY[0]-} == *= ]]; then
    compopt -o nospace 2>/dev/null || true
  fi
}
complete -o filenames -F %[2]s %[1]s
`, program, name, paths(commands), values.String(), words.String())
}

// paths of commands, which the words of a line are compared with.
func paths(commands []Command) string {
	var out strings.Builder
	for i := range commands {
		if path := commands[i].Path; path != "" {
			fmt.Fprintf(&out, "      %q) command=%q ;;\n", path, path)
		}
	}
	return out.String()
}

// fish has a line for each command and flag.
func fish(program string, commands []Command) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Completion of %s for fish.\n", program)
	for i := range commands {
		c := &commands[i]
		seen := "__fish_use_subcommand"
		if c.Path != "" {
			seen = "__fish_seen_subcommand_from " + strings.ReplaceAll(c.Path, " ", "; and __fish_seen_subcommand_from ")
		}
		for _, subcommand := range c.Commands {
			fmt.Fprintf(&out, "complete -c %s -n %s -a %s -d %s\n", program, quoted(seen), subcommand, quoted(helpOf(commands, strings.TrimSpace(c.Path+" "+subcommand))))
		}
		for j := range c.Flags {
			f := &c.Flags[j]
			fmt.Fprintf(&out, "complete -c %s -n %s -l %s", program, quoted(seen), strings.TrimPrefix(f.Name, "--"))
			if f.Short != "" {
				fmt.Fprintf(&out, " -s %s", strings.TrimPrefix(f.Short, "-"))
			}
			if f.Value != "" {
				out.WriteString(" -r")
			}
			if len(f.Values) > 0 && !f.Open {
				out.WriteString(" -f")
			}
			if len(f.Values) > 0 {
				fmt.Fprintf(&out, " -a %s", quoted(strings.Join(f.Values, " ")))
			}
			fmt.Fprintf(&out, " -d %s\n", quoted(f.Help))
		}
	}
	return out.String()
}

func helpOf(commands []Command, path string) string {
	for i := range commands {
		if commands[i].Path == path {
			return commands[i].Help
		}
	}
	return ""
}

// quoted text for a shell, which is not expanded.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
