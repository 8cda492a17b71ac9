package backend

import "strings"

// insideReference reports whether the kubelet, when it expands $(VAR) in text, is at this offset still looking for the
// parenthesis that ends a reference. It takes everything up to the first closing parenthesis for the name, so a
// reference that is put there, say into the user's own $(command), is not seen.
// https://github.com/kubernetes/kubernetes/blob/master/third_party/forked/golang/expansion/expand.go
func insideReference(text string, offset int) bool {
	for i := 0; i < offset && i+1 < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		if text[i+1] != '(' {
			i++
			continue
		}
		end := strings.IndexByte(text[i+2:], ')')
		if end < 0 {
			// A reference that never ends is left as it is, and what follows is read again.
			i++
			continue
		}
		end += i + 2
		if offset > i+1 && offset <= end {
			return true
		}
		i = end
	}
	return false
}
