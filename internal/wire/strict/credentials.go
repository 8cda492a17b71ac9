package strict

import (
	"regexp"
	"strings"
)

const (
	// masked stands for credentials.
	masked = "***"

	// secretName is in the names of credentials. Keys of labels and of topologies are none.
	secretName = `(?:token|secret|signature|password|credential|(?:api|access|private)[_-]?key)`
)

var (
	// credentials before the host of an address, or of an image: user:password@host, or token@host after a scheme.
	credentials = regexp.MustCompile(`(://)[^\s"'/@]+@|[^\s"'/@:]+:[^\s"'/@]+@`)
	// digest that follows an at sign in the name of an image.
	digest = regexp.MustCompile(`^[a-z0-9]+([.+_-][a-z0-9]+)*:[0-9a-fA-F]`)
	// signature in the query of an address, which is as good as a password, and a text that is nothing but the name of a credential and its value.
	signature = regexp.MustCompile(`(?i)((?:^|[?&])[a-z0-9_.-]*(?:token|secret|signature|password|credential|sig|key)[a-z0-9_.-]*=)[^\s"'&]+`)
	// assignment within a message: a word that is the name of a credential and its value.
	assignment = regexp.MustCompile(`(?i)([\s"'(\[][a-z0-9_.-]*` + secretName + `[a-z0-9_.-]*=)[^\s"'&]+`)
	// bearer of a token, in a header.
	bearer = regexp.MustCompile(`(\bBearer )[^\s"']+`)
	// secretMember of a JSON object, also of one in quotes.
	secretMember = regexp.MustCompile(`(?i)(\\?"[a-z0-9_.-]*` + secretName + `[a-z0-9_.-]*\\?"\s*:\s*\\?")[^"\\]+`)
)

// WithoutCredentials masks what addresses contain before their host and in their query, where users write passwords and tokens: names of images,
// of models and of hosts are parts of messages and of the status, which more people read than the spec.
func WithoutCredentials(text string) string {
	if strings.Contains(text, `":`) || strings.Contains(text, "Bearer ") {
		text = secretMember.ReplaceAllString(bearer.ReplaceAllString(text, "${1}"+masked), "${1}"+masked)
	}
	if !strings.ContainsAny(text, "@=") {
		return text
	}
	var out strings.Builder
	for {
		found := credentials.FindStringSubmatchIndex(text)
		if found == nil {
			break
		}
		before, after := text[:found[0]], text[found[1]:]
		out.WriteString(before)
		switch {
		case found[2] >= 0:
			out.WriteString("://" + masked + "@")
		case digest.MatchString(after):
			out.WriteString(text[found[0]:found[1]])
		default:
			out.WriteString(masked + "@")
		}
		text = after
	}
	out.WriteString(text)
	return assignment.ReplaceAllString(signature.ReplaceAllString(out.String(), "${1}"+masked), "${1}"+masked)
}

// HasCredentials reports whether WithoutCredentials masks a part of a text.
func HasCredentials(text string) bool { return WithoutCredentials(text) != text }
