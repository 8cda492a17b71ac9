package why

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// invalid is how an error about a field introduces the value that it refuses.
	// https://github.com/kubernetes/apimachinery/blob/v0.36.3/pkg/util/validation/field/errors.go
	invalid = "Invalid value: "

	// webhook is how the API server introduces what an admission webhook answers.
	webhook = "admission webhook "

	// longestValue of a field that is shown. A webhook may refuse the whole spec of an object, and give its reason after it.
	longestValue = 100
)

// ofStatus is what Crossplane joins to the error of each write of a kind with a status: it looks up its access to the kind, and takes the last
// resource of this kind that the API server lists for the kind, which is its status.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/engine/engine.go
var ofStatus = regexp.MustCompile(` ?system:serviceaccount:\S+ is not allowed to \[[^\]]*\] resource [a-z]+/status[./]\S+(?: in namespace \S+)?`)

// applyRefusal is why an object cannot be applied, out of what Crossplane says: the answer of the webhook that refuses it, without what was
// attempted before, and with values of fields only where they are short.
func applyRefusal(message string) string {
	message = withoutLongValues(message)
	if index := strings.LastIndex(message, webhook); index >= 0 {
		message = message[index:]
	}
	return brief(message)
}

// withoutLongValues is a message in which long values of fields are left out.
func withoutLongValues(message string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(message, invalid)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString(invalid)
		end := valueEnd(after)
		if utf8.RuneCountInString(after[:end]) > longestValue {
			out.WriteString("(left out)")
		} else {
			out.WriteString(after[:end])
		}
		message = after[end:]
	}
}

// valueEnd is where the value ends with which a text begins: at the colon after it that is neither in brackets nor in quotes.
func valueEnd(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case c == ':' && depth <= 0:
			return i
		}
	}
	return len(text)
}
