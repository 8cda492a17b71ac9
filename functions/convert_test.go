//go:build !serving

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConvert(t *testing.T) {
	const graph = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    worker: {componentType: worker, subComponentType: decode} # decodes
`
	const warned = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
spec:
  services:
    worker:
      componentType: custom
`
	const back = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    worker:
      componentType: worker
      subComponentType: decode
`
	const converted = `apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  components:
    - {name: worker, type: decode} # decodes
`
	const refused = "functions: warning: -:6:7: spec.services[worker].componentType: v1beta1 only accepts frontend, worker, prefill, decode, planner and epp.\n"
	cases := map[string]struct {
		reason string
		args   []string
		stdin  string
		code   int
		out    string
		err    string
	}{
		"to v1beta1": {
			reason: "Without a flag, graphs are converted to v1beta1.",
			args:   []string{"-"}, stdin: graph, out: converted,
		},
		"Editor": {
			reason: "The comment for editors names the schema of the other version.",
			args:   []string{"-"}, stdin: "# Graph.\n# yaml-language-server: $schema=../schemas/dynamographdeployment-v1alpha1.json\n" + graph,
			out: "# Graph.\n# yaml-language-server: $schema=../schemas/dynamographdeployment-v1beta1.json\n" + converted,
		},
		"to v1alpha1": {
			reason: "A graph of v1beta1 can be converted to v1alpha1.",
			args:   []string{"--to", "v1alpha1", "-"}, stdin: strings.Replace(converted, " {name: worker, type: decode} # decodes", " name: worker\n      type: decode", 1), out: back,
		},
		"several files": {
			reason: "Files follow each other in one stream, and those without graphs are printed as they are.",
			args:   []string{"other.yaml", "-", "other.yaml"}, stdin: graph, out: "kind:   Other\n---\n" + converted + "---\nkind:   Other\n",
		},
		"unfinished line": {
			reason: "A file that ends in the middle of a line is not joined with the next one.",
			args:   []string{"-", "other.yaml"}, stdin: "a: 1\n---", out: "a: 1\n---\n---\nkind:   Other\n",
		},
		"warnings": {
			reason: "Warnings do not fail the command.",
			args:   []string{"-"}, stdin: warned, err: refused,
			out: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nspec:\n  components:\n    - name: worker\n      type: custom\n",
		},
		"strict": {
			reason: "With the flag, warnings end the command with a status of their own, after all was printed.",
			args:   []string{"--strict", "-"}, stdin: warned, err: refused, code: 3,
			out: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nspec:\n  components:\n    - name: worker\n      type: custom\n",
		},
		"strict without warnings": {
			reason: "With the flag, a command without warnings ends as ever.",
			args:   []string{"--strict", "-"}, stdin: graph, out: converted,
		},
		"missing file": {
			reason: "Nothing is printed if one of the files cannot be read, so that half of them is not applied.",
			args:   []string{"-", "missing.yaml"}, stdin: graph, code: exitUsage,
			err: `functions: error: cannot read "missing.yaml": open missing.yaml: no such file or directory` + "\n",
		},
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile(filepath.Clean("other.yaml"), []byte("kind:   Other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ended(t, tc.stdin, append([]string{"convert"}, tc.args...)...)
			if diff := cmp.Diff(end{out: tc.out, err: tc.err, code: tc.code}, got, cmp.AllowUnexported(end{})); diff != "" {
				t.Errorf("%s\nconvert: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
