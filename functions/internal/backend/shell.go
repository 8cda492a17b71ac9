package backend

import (
	"path"
	"regexp"
	"strings"
)

var pythonName = regexp.MustCompile(`^python[0-9.]*$`)

func isPython(token string) bool { return pythonName.MatchString(path.Base(token)) }

func isShell(token string) bool {
	switch path.Base(token) {
	case "sh", "bash", "dash", "ash", "zsh", "ksh":
		return true
	default:
		return false
	}
}

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

//nolint:gocritic // The ranges are all printable ASCII but $, ' and `, cut at those.
var quotableToken = regexp.MustCompile("^[\\x20-#%&(-_a-~]*[ \"\\\\{}\\[\\]!][\\x20-#%&(-_a-~]*$")

// isQuotable reports whether a token of printable ASCII means itself between double quotes.
func isQuotable(token string) bool { return quotableToken.MatchString(token) }
