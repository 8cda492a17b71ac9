package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
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
      ingress: {enabled: true, host: llama}
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
	const kept = "dgd: warning: -:8:7: spec.services[worker].ingress: There is no such field in v1beta1. Its value is kept in annotation nvidia.com/dgd-spec.\n"
	const convertedWarned = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n" +
		`metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{"version":1,"spec":{"services":{"worker":{"ingress":{"enabled":true,"host":"llama"}}}}}'}}` +
		"\nspec:\n  components:\n    - name: worker\n      type: worker\n"
	const plainBefore = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  services:
    worker:
      componentType: worker
      envs: [{name: A, value: b}]
      extraPodSpec: {mainContainer: {image: "a:1"}}
      ingress: {enabled: true, host: llama}
`
	const plainAfter = `apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{"version":1,"spec":{"services":{"worker":{"ingress":{"enabled":true,"host":"llama"}}}}}'}}
spec:
  components:
    - name: worker
      type: worker
      podTemplate:
        spec: {containers: [{name: main, image: "a:1", env: [{name: A, value: b}]}]}
`
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
			err: "dgd: warning: -:9:7: spec.services[Processor].componentType: v1beta1 does not accept \"processor\". A component without a type has the same defaults, so the " +
				"field is left out. Write worker if it runs an engine. If the graph is running, applying the result replaces the pods of this service. To keep them, leave the graph in v1alpha1.\n" +
				"dgd: error: -:7:7: spec.services[Frontend].componentType: v1beta1 does not accept \"main\", only frontend, worker, prefill, decode, planner and epp. " +
				"Write frontend if the service runs dynamo.frontend, otherwise remove the field.\n" +
				"dgd: error: -:12:7: spec.services[Worker].replicaz: Invalid value: 2: unknown field; did you mean \"replicas\"? [DGD101]\n",
		},
		"not refused in v1alpha1": {
			reason: "A graph that stays in its version keeps the types of that version.",
			args:   []string{"--to=v1alpha1", "-"}, stdin: strings.Replace(older, "      replicaz: 2\n", "", 1), out: strings.Replace(older, "      replicaz: 2\n", "", 1),
		},
		"no effect": {
			reason: "What has no effect is left out, and said.",
			args:   []string{"-"}, stdin: strings.Replace(back, "subComponentType: decode", "dynamoNamespace: shared", 1),
			err: "dgd: warning: -:8:7: spec.services[worker].dynamoNamespace: The field has no effect, and is left out.\n",
			out: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  components:\n    - name: worker\n      type: worker\n",
		},
		"null": {
			reason: "A field that is null says nothing, and server-side apply refuses a list that is.",
			args:   []string{"-"}, stdin: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  components:\n    - name: w # works\n      type: worker\n" +
				"      podTemplate:\n        spec:\n          tolerations:\n          containers: [{name: main, image: a}]\n",
			out: "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  components:\n    - name: w # works\n      type: worker\n" +
				"      podTemplate:\n        spec:\n          containers: [{name: main, image: a}]\n",
		},
		"plain": {
			reason: "The annotation only keeps what takes effect.",
			args:   []string{"--plain", "-"}, stdin: plainBefore, err: strings.Replace(kept, "-:8:7", "-:10:7", 1), out: plainAfter,
		},
		"valid in form": {
			reason: "A manifest without an image is still a manifest.",
			args:   []string{"-"}, stdin: strings.Replace(graph, "name: g", "name: Not_a_name", 1), out: strings.Replace(converted, "name: g", "name: Not_a_name", 1),
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
				if strings.HasPrefix(filepath.Base(path), "refused-") {
					return // What is wrong in it still is.
				}
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

// TestConvertTypes holds which types follow from commands.
func TestConvertTypes(t *testing.T) {
	component := func(componentType, command string) string {
		return fmt.Sprintf("apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  services:\n    a:\n      componentType: %s\n"+
			"      extraPodSpec: {mainContainer: {command: [/bin/sh, -c], args: [%q]}}\n", componentType, command)
	}
	cases := map[string]struct {
		reason  string
		written string
		command string
		want    string
	}{
		"Frontend":  {reason: "The frontend of Dynamo is a frontend.", written: "main", command: "python3 -m dynamo.frontend --http-port=8000", want: "frontend"},
		"Utility":   {reason: "What a script runs before it does not count.", written: "main", command: "python3 -m dynamo.sglang.utils.clear_namespace && python3 -m dynamo.frontend", want: "frontend"},
		"Worker":    {reason: "A module of an engine is a worker.", written: "main", command: "python3 -m dynamo.sglang.decode_worker --x", want: "worker"},
		"Mocker":    {reason: "What simulates an engine is one, too.", written: "backend", command: "exec python3 -m dynamo.mocker", want: "worker"},
		"Planner":   {reason: "A planner has a type of its own.", written: "default", command: "python3 -m dynamo.planner.planner_sla", want: "planner"},
		"Both":      {reason: "A container with two programs may be either.", written: "main", command: "python3 -m dynamo.frontend & python3 -m dynamo.vllm", want: "refused"},
		"Unknown":   {reason: "A program of the user may be anything.", written: "main", command: "./serve", want: "refused"},
		"Former":    {reason: "A type without defaults says nothing.", written: "router", command: "./serve", want: ""},
		"Misspelt":  {reason: "A type that never was one is a mistake, which a person corrects.", written: "fronted", command: "./serve", want: "refused"},
		"Commented": {reason: "A comment of a script runs nothing.", written: "main", command: "# python3 -m dynamo.vllm\npython3 -m dynamo.frontend", want: "frontend"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ended(t, component(tc.written, tc.command), "convert", "-")
			line := "      type: " + tc.want + "\n"
			switch {
			case tc.want == "refused":
				if got.code != exitRefused || got.out != "" {
					t.Errorf("%s\nwant an error, got %d and\n%s", tc.reason, got.code, got.out)
				}
			case tc.want == "" && strings.Contains(got.out, " type:"), tc.want != "" && !strings.Contains(got.out, line), got.code != 0:
				t.Errorf("%s\nwant %q, got %d, %s and\n%s", tc.reason, line, got.code, got.err, got.out)
			case !strings.Contains(got.err, "spec.services[a].componentType: v1beta1 does not accept"):
				t.Errorf("%s\nwant a line that says so, got %q", tc.reason, got.err)
			}
		})
	}
}

// TestConvertFiles writes files, and goes on after one that cannot be converted.
func TestConvertFiles(t *testing.T) {
	const (
		graph     = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  services:\n    a: {componentType: worker}\n"
		converted = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec:\n  components:\n    - {name: a, type: worker}\n"
		broken    = "apiVersion: [\n"
		other     = "kind:   Kustomization\n"
	)
	before := map[string]string{"deploy/a.yaml": graph, "deploy/b.yaml": broken, "deploy/prod/c.yaml": graph, "deploy/d.yaml": other}
	merged := func(changes map[string]string) map[string]string {
		all := maps.Clone(before)
		maps.Copy(all, changes)
		return all
	}
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		err    string
		want   map[string]string
	}{
		"Folder": {
			reason: "All files that can be converted are, each at its place.", args: []string{"deploy", "-R", "--output-dir=out"}, code: exitRefused,
			err:  `cannot convert document 1 of "deploy/b.yaml"`,
			want: merged(map[string]string{"out/a.yaml": converted, "out/prod/c.yaml": converted, "out/d.yaml": other}),
		},
		"InPlace": {
			reason: "Files are replaced.", args: []string{"deploy", "-R", "--in-place"}, code: exitRefused, err: "b.yaml",
			want: merged(map[string]string{"deploy/a.yaml": converted, "deploy/prod/c.yaml": converted}),
		},
		"Stream": {
			reason: "A pipe gets all or nothing.", args: []string{"deploy"}, code: exitRefused, err: "b.yaml", want: before,
		},
		"Both": {
			reason: "There is one place to write to.", args: []string{"deploy", "--in-place", "--output-dir=out"}, code: exitUsage, err: "--output-dir and --in-place", want: before,
		},
		"Twice": {
			reason: "Two files are not written to one.", args: []string{"deploy/a.yaml", "deploy/a.yaml", "--output-dir=out"}, code: exitUsage, err: "would both be written to out/a.yaml", want: before,
		},
		"Stdin": {
			reason: "Standard input is no file.", args: []string{"-", "--in-place"}, code: exitUsage, err: "standard input has no file name", want: before,
		},
		"Empty": {
			reason: "A pipe whose first command failed is not silent.", args: []string{"-"}, code: exitUsage, err: "standard input is empty", want: before,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for path, content := range before {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			got := ended(t, "", append([]string{"convert"}, tc.args...)...)
			if got.code != tc.code || got.out != "" || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d and %q, got %d, %q and %q", tc.reason, tc.code, tc.err, got.code, got.out, got.err)
			}
			if diff := cmp.Diff(tc.want, filesBelow(t)); diff != "" {
				t.Errorf("%s\nfiles: -want, +got:\n%s", tc.reason, diff)
			}
			if info, err := os.Stat("deploy/a.yaml"); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("want the file to keep its permissions, got %v and %v", info.Mode(), err)
			}
		})
	}
}

// filesBelow the working directory, with their content.
func filesBelow(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	if err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			data, _ := os.ReadFile(path) //nolint:gosec // The folder is that of the test.
			all[path] = string(data)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
