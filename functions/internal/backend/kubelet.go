package backend

import "strings"

// insideReferences tells of each byte of a text, and of its end, whether something put in front of it would stand where
// the kubelet, when it expands $(VAR), still looks for the parenthesis that ends a reference. It takes everything up to
// the first closing parenthesis for the name, so a reference that is put there, say into the user's own $(command), is
// not seen.
// https://github.com/kubernetes/kubernetes/blob/master/third_party/forked/golang/expansion/expand.go
func insideReferences(text string) []bool {
	inside := make([]bool, len(text)+1)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		i++ // What follows a dollar sign is read with it: $$ stands for itself.
		if text[i] != '(' {
			continue
		}
		length := strings.IndexByte(text[i+1:], ')')
		if length < 0 {
			break // Nothing ends this reference, nor any after it.
		}
		for end := i + 1 + length; i < end; i++ {
			inside[i+1] = true
		}
	}
	return inside
}
