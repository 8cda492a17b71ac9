package manifest

import (
	"bytes"
	"testing"
)

// FuzzRead checks that no input breaks the reader, and that each position is one in the input.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		positioned, graphOf("a") + "---\n" + graphOf("b"), "{", "a: &a [*a]", "apiVersion: v1\nkind: List\nitems: {a: b}\n", "--- {}\n---\n%YAML 1.1\n---\n",
		"apiVersion: v1\nkind: List\nitems: &items\n- *items\n", "? [a]\n: b\n", "\xef\xbb\xbf", "[].", "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n<<: {a: b}\n",
	} {
		f.Add([]byte(seed), "spec.services[Worker].envs[0].value")
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		files, err := Reader{In: bytes.NewReader(data)}.Read([]string{Stdin})
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) + 1
		check := func(p Position) {
			// A parser may count other characters than these as the ends of lines.
			if p.Line < 1 || p.Column < 1 || p.Line > lines+bytes.Count(data, []byte("\xe2\x80"))+bytes.Count(data, []byte("\xc2\x85")) {
				t.Errorf("position %s is not in the input", p)
			}
		}
		for _, problem := range files.Problems {
			check(problem.Position)
		}
		for i := range files.Objects {
			o := &files.Objects[i]
			p, _ := o.At(path)
			check(p)
			p, _ = o.Key(path)
			check(p)
			_ = o.Canonical(path)
			for _, problem := range o.Duplicates() {
				check(problem.Position)
			}
		}
	})
}
