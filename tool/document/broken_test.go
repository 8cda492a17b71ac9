package document

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// breakage is a way to break a line of YAML. It returns the same line if it cannot.
type breakage struct {
	name string
	of   func(line string) string
}

func spacesOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

func breakages() []breakage {
	return []breakage{
		{"one space more", func(l string) string { return " " + l }},
		{"three spaces more", func(l string) string { return "   " + l }},
		{"one space less", func(l string) string { return strings.TrimPrefix(l, " ") }},
		{"no colon", func(l string) string {
			if i := strings.Index(l, ": "); i >= 0 {
				return l[:i] + l[i+1:]
			}
			return strings.TrimSuffix(l, ":")
		}},
		{"no space after the colon", func(l string) string { return strings.Replace(l, ": ", ":", 1) }},
		{"tab", func(l string) string { return "\t" + strings.TrimLeft(l, " ") }},
		{"tab after indent", func(l string) string { return spacesOf(l) + "\t" + strings.TrimLeft(l, " ") }},
		{"double quote", func(l string) string { return strings.Replace(l, ": ", `: "`, 1) }},
		{"single quote", func(l string) string { return strings.Replace(l, ": ", `: '`, 1) }},
		{"bracket", func(l string) string { return strings.Replace(l, ": ", ": [", 1) }},
		{"brace", func(l string) string { return strings.Replace(l, ": ", ": {", 1) }},
		{"closing bracket", func(l string) string { return strings.Replace(l, "]", "", 1) }},
		{"closing brace", func(l string) string { return strings.Replace(l, "}", "", 1) }},
		{"second quote", func(l string) string {
			if i := strings.LastIndex(l, `"`); i >= 0 {
				return l[:i] + l[i+1:]
			}
			return l
		}},
		{"text after quote", func(l string) string {
			if strings.HasSuffix(l, `"`) {
				return l + " more"
			}
			return l
		}},
	}
}

// TestBroken breaks each line of manifests in each way, and wants an error in that line if the result is no YAML.
func TestBroken(t *testing.T) {
	for _, path := range []string{"agg-vllm.yaml", "air-gapped.yaml", "custom-engine.yaml", "v1alpha1/topology.yaml"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "examples", path))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
		refused := 0
		for i, line := range lines {
			// A parser takes the indentation of a block of text from its first line, so all others seem to be wrong.
			if isBlank([]byte(line)) || i > 0 && strings.HasSuffix(lines[i-1], "|\n") {
				continue
			}
			for _, b := range breakages() {
				broken := slices.Concat(lines[:i], []string{b.of(strings.TrimSuffix(line, "\n")) + "\n"}, lines[i+1:])
				err := readAll(strings.Join(broken, ""))
				if err == nil {
					continue
				}
				refused++
				if err.Line != i+1 {
					t.Errorf("%s:%d: %s: want an error in the line, got %s\n%s", path, i+1, b.name, err, strings.Join(broken[max(0, i-2):min(len(broken), i+3)], ""))
				}
			}
		}
		if refused < len(lines) {
			t.Errorf("%s: want most broken lines to be refused, got %d", path, refused)
		}
	}
}

// readAll documents of a stream, and return the first error.
func readAll(text string) *Error {
	for _, d := range Split([]byte(text)) {
		var unreadable *Error
		if _, err := d.Read(); errors.As(err, &unreadable) {
			return unreadable
		}
	}
	return nil
}
