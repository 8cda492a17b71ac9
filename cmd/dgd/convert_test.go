package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
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
metadata: {name: g}
spec:
  services:
    worker:
      componentType: worker
      dynamoNamespace: shared
`
	const older = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    Frontend:
      componentType: main
    Processor:
      componentType: processor
    Worker:
      componentType: worker
      replicaz: 2
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
	const kept = "dgd: warning: -:8:7: spec.services[worker].dynamoNamespace: There is no such field in v1beta1. Its value is kept in annotation nvidia.com/dgd-spec.\n"
	const convertedWarned = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n" +
		`metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{"version":1,"spec":{"services":{"worker":{"dynamoNamespace":"shared"}}}}'}}` +
		"\nspec:\n  components:\n    - name: worker\n      type: worker\n"
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
			args:   []string{"-"}, stdin: "# Graph.\n# yaml-language-server: $schema=../../schemas/dynamographdeployment-v1alpha1.json\n" + graph,
			out: "# Graph.\n# yaml-language-server: $schema=../../schemas/dynamographdeployment-v1beta1.json\n" + converted,
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
			args:   []string{"-"}, stdin: warned, err: kept, out: convertedWarned,
		},
		"strict": {
			reason: "With the flag, warnings end the command with a status of their own, after all was printed.",
			args:   []string{"--strict", "-"}, stdin: warned, err: kept, code: 3, out: convertedWarned,
		},
		"refused": {
			reason: "Nothing is printed if a graph is not valid afterwards. All that is wrong is said at once, and what to write.",
			args:   []string{"-"}, stdin: older, code: 1,
			err: "dgd: error: -:7:7: spec.services[Frontend].componentType: v1beta1 does not accept \"main\", only frontend, worker, prefill, decode, planner and epp. " +
				"Write frontend if the service runs dynamo.frontend, otherwise remove the field.\n" +
				"dgd: error: -:9:7: spec.services[Processor].componentType: v1beta1 does not accept \"processor\", only frontend, worker, prefill, decode, planner and epp. " +
				"Remove the field: a service without a type gets the same defaults as one of this type. Write worker if the service runs an engine.\n" +
				"dgd: error: -:12:7: spec.services[Worker].replicaz: Invalid value: 2: unknown field; did you mean \"replicas\"? [DGD101]\n",
		},
		"not refused in v1alpha1": {
			reason: "A graph that stays in its version keeps the types of that version.",
			args:   []string{"--to=v1alpha1", "-"}, stdin: strings.Replace(older, "      replicaz: 2\n", "", 1), out: strings.Replace(older, "      replicaz: 2\n", "", 1),
		},
		"platform": {
			reason: "What depends on the cluster is no reason, because no cluster is read.",
			args:   []string{"-"}, stdin: strings.Replace(graph, "metadata: {name: g}", "metadata: {name: g, annotations: {nvidia.com/kai-scheduler-queue: mine}}", 1),
			out: strings.Replace(converted, "metadata: {name: g}", "metadata: {name: g, annotations: {nvidia.com/kai-scheduler-queue: mine}}", 1),
		},
		"strict without warnings": {
			reason: "With the flag, a command without warnings ends as ever.",
			args:   []string{"--strict", "-"}, stdin: graph, out: converted,
		},
		"missing file": {
			reason: "Nothing is printed if one of the files cannot be read, so that half of them is not applied.",
			args:   []string{"-", "missing.yaml"}, stdin: graph, code: exitUsage,
			err: "dgd: error: cannot read manifests: stat missing.yaml: no such file or directory\n",
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

// TestConvertIsValidated converts manifests of v1alpha1, some of which are not valid: each result is accepted by validate, or there is none.
func TestConvertIsValidated(t *testing.T) {
	paths, err := filepath.Glob("../../fn-tests/support/corpus/manifests/deployment/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		return !bytes.Contains(read(t, strings.TrimPrefix(path, "../../")), []byte("nvidia.com/v1alpha1"))
	})
	// Each conversion compiles the rules of the API.
	tried := paths[:0:0]
	for i, path := range paths {
		if harness.Sampled(i, 3) {
			tried = append(tried, path)
		}
	}
	converted := 0
	var written strings.Builder
	for _, path := range tried {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got := ended(t, "", "convert", path)
			switch got.code {
			case 0:
				converted++
				fmt.Fprintf(&written, "---\n# %s\n%s", path, got.out)
			case exitRefused:
				if got.out != "" || !strings.Contains(got.err, ": error: ") {
					t.Errorf("want an error and no output, got:\n%s%s", got.out, got.err)
				}
			default:
				t.Fatalf("got exit status %d: %s", got.code, got.err)
			}
		})
	}
	// One run reads the schemas once.
	lines := strings.Split(written.String(), "\n")
	for line := range strings.Lines(ended(t, written.String(), "validate", "--cluster=all", "-").out) {
		code := rule.Code(strings.Trim(line[strings.LastIndex(line, "[")+1:], "]\n"))
		if strings.Contains(line, ": error: ") && !code.DependsOnPlatform() {
			t.Errorf("validate refuses the result: %s%s", line, pathAbove(lines, line))
		}
	}
	if converted < len(tried)/3 || len(paths) < 10 {
		t.Errorf("want most manifests to be converted, got %d of %d", converted, len(tried))
	}
}

// pathAbove is the comment with a path above the line that a finding is about.
func pathAbove(lines []string, finding string) string {
	var number int
	if _, err := fmt.Sscanf(finding, "-:%d:", &number); err != nil {
		return ""
	}
	for i := min(number, len(lines)) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "# ") {
			return lines[i]
		}
	}
	return ""
}
