package backend

import "strings"

// insideReferences reports for each byte of a text, and for its end, whether text that is inserted before it would be part of a reference
// when the kubelet expands $(VAR). The kubelet takes everything up to the first closing parenthesis as the name, so it does not see a
// reference that is inserted, for example, into a $(command) of the user.
// https://github.com/kubernetes/kubernetes/blob/master/third_party/forked/golang/expansion/expand.go
func insideReferences(text string) []bool {
	inside := make([]bool, len(text)+1)
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		i++ // The kubelet reads a dollar sign together with the next character: $$ stands for $.
		if text[i] != '(' {
			continue
		}
		length := strings.IndexByte(text[i+1:], ')')
		if length < 0 {
			break // Neither this reference nor any after it is closed.
		}
		for end := i + 1 + length; i < end; i++ {
			inside[i+1] = true
		}
	}
	return inside
}
