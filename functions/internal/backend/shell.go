package backend

import (
	"path"
	"regexp"
	"strings"
)

var (
	pythonName = regexp.MustCompile(`^python[0-9.]*$`)
	shellNames = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true, "zsh": true, "ksh": true}
)

func isPython(token string) bool { return pythonName.MatchString(path.Base(token)) }

func isShell(token string) bool { return shellNames[path.Base(token)] }

// scriptIn finds the script of a `sh -c script` within argv, or -1.
func scriptIn(argv []string) int {
	for i, token := range argv {
		if isPython(token) {
			return -1
		}
		if !isShell(token) {
			continue
		}
		if script := scriptAfter(argv, i+1); script > 0 {
			return script
		}
	}
	return -1
}

// scriptAfter finds the script among the tokens that follow a shell's name: the first operand, when one of the options
// before it is -c (alone or as in -lc; -o and -O take a value of their own).
func scriptAfter(argv []string, from int) int {
	command := false
	for i := from; i < len(argv); i++ {
		option := argv[i]
		if len(option) < 2 || (option[0] != '-' && option[0] != '+') {
			if command {
				return i
			}
			return -1
		}
		if strings.HasPrefix(option, "--") {
			continue
		}
		command = command || strings.ContainsRune(option[1:], 'c')
		if strings.ContainsAny(option[1:], "oO") {
			i++
		}
	}
	return -1
}

// joinQuoted writes tokens as one shell command, false when one of them has characters for which quoting alone is not
// enough or not plain to read. Those travel as positional parameters instead: $ because the kubelet would still expand
// $(VAR) inside the quotes, so that a value with a quote in it breaks out, and single quotes because the text may itself
// stand between some.
func joinQuoted(tokens []string) (string, bool) {
	quoted := make([]string, 0, len(tokens))
	for _, token := range tokens {
		switch {
		case isPlain(token):
			quoted = append(quoted, token)
		case isQuotable(token):
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(token)+`"`)
		default:
			return "", false
		}
	}
	return strings.Join(quoted, " "), true
}

var plainToken = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// isPlain reports whether a token means itself to every shell, without quotes.
func isPlain(token string) bool { return plainToken.MatchString(token) }

var quotableToken = regexp.MustCompile("^[ -#%&(-_a-~]*[ \"\\\\{}\\[\\]!][ -#%&(-_a-~]*$")

// isQuotable reports whether a token of printable ASCII means itself between double quotes.
func isQuotable(token string) bool { return quotableToken.MatchString(token) }

// words splits a script into words as a shell would, without quotes, comments and operators. Words that only the shell
// can compute stay as written. A word that holds a command of its own, as in sh -c "command", is split too.
func words(script string) []string { return splitWords(script, 3) }

func splitWords(script string, depth int) []string {
	readings := scan(script)
	var all []string
	var word strings.Builder
	open := false
	end := func() {
		if !open {
			return
		}
		if w := word.String(); depth > 0 && strings.ContainsAny(w, " \t\n") {
			all = append(all, w)
			all = append(all, splitWords(w, depth-1)...)
		} else {
			all = append(all, w)
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(script); i++ {
		ch := script[i]
		switch readings[i] {
		case inComment:
			end()
		case inSingleQuotes:
			open = true
			if ch != '\'' {
				word.WriteByte(ch)
			}
		case inDoubleQuotes:
			open = true
			switch {
			case ch == '\\' && i+1 < len(script):
				i++
				if !strings.ContainsRune("$`\"\\\n", rune(script[i])) {
					word.WriteByte('\\')
				}
				if script[i] != '\n' {
					word.WriteByte(script[i])
				}
			case ch != '"':
				word.WriteByte(ch)
			}
		default:
			switch {
			case ch == '\\' && i+1 < len(script):
				i++
				if script[i] != '\n' {
					open = true
					word.WriteByte(script[i])
				}
			case strings.IndexByte(" \t\n;&|<>", ch) >= 0:
				end()
			default:
				open = true
				word.WriteByte(ch)
			}
		}
	}
	end()
	return all
}
