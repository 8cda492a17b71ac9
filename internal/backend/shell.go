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

// scriptIn returns the index of the script of `sh -c script` in argv. -1 if there is none.
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

// scriptAfter returns the index of the script among the tokens after the name of a shell. It is the first operand, if an option before it
// is -c (alone, or combined as in -lc). Options -o and -O have values.
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

// joinQuoted joins tokens to one shell command. It returns false if a token has characters that quotes do not protect, or that would be
// hard to read. Such tokens become positional parameters instead. $ is one of them, because the kubelet expands $(VAR) within quotes as
// well, and a value with a quote would end the string. Single quotes are others, because the text itself may be in single quotes.
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

// isPlain reports whether a token has the same meaning in every shell without quotes.
func isPlain(token string) bool { return plainToken.MatchString(token) }

//nolint:gocritic // The ranges are all printable ASCII but $, ' and `, cut at those.
var quotableToken = regexp.MustCompile("^[\\x20-#%&(-_a-~]*[ \"\\\\{}\\[\\]!][\\x20-#%&(-_a-~]*$")

// isQuotable reports whether a token of printable ASCII characters has the same meaning in double quotes.
func isQuotable(token string) bool { return quotableToken.MatchString(token) }
