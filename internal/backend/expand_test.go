package backend

import (
	"strings"
	"testing"
)

// expand replaces $(VAR) by the rules of the kubelet: $$ is a dollar sign, a reference ends at the first closing
// parenthesis, and one to an unknown variable, or without an end, stays as it is.
// https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func expand(text string, env map[string]string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case '$':
			b.WriteByte('$')
		case '(':
			end := strings.IndexByte(text[i+1:], ')')
			if end < 0 {
				b.WriteString("$(")
				continue
			}
			name := text[i+1 : i+1+end]
			if value, ok := env[name]; ok {
				b.WriteString(value)
			} else {
				b.WriteString("$(" + name + ")")
			}
			i += 1 + end
		default:
			b.WriteByte('$')
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func expandAll(tokens []string, env map[string]string) []string {
	all := make([]string, 0, len(tokens))
	for _, t := range tokens {
		all = append(all, expand(t, env))
	}
	return all
}

func TestInsideReferences(t *testing.T) {
	texts := []string{
		"plain", "$(A) x", "$(echo x) y", "$$(echo x)", "x $(echo $(A) y) z", "$((1 + 1)) x", "$(never ends x", "$x$(A)", "$", "", "$$", "$(",
	}
	for _, text := range texts {
		for offset := range len(text) + 1 {
			// The test inserts a reference there and checks whether the kubelet expands it.
			got := expand(text[:offset]+"$(LEADER)"+text[offset:], map[string]string{"LEADER": "found"})
			seen := strings.Contains(got, "found")
			if offset > 0 && text[offset-1] == '$' {
				continue // Within $( or after a lone $: no place where a flag is put.
			}
			if inside := insideReferences(text)[offset]; inside && seen {
				t.Errorf("insideReferences(%q)[%d] = true, but the kubelet expands a reference there", text, offset)
			} else if !inside && !seen && strings.IndexByte(text[offset:], ')') >= 0 {
				t.Errorf("insideReferences(%q)[%d] = false, but the kubelet does not expand a reference there", text, offset)
			}
		}
	}
}
