package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Manifests in YAML with a merged key over which another one is set.
const (
	mergedGraph = `apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: merged, namespace: tests}
spec:
  services:
    Frontend: &defaults
      componentType: frontend
      extraPodSpec: {mainContainer: {image: registry.example.org/vllm:1.5.0}}
    Worker:
      <<: *defaults
      componentType: worker
      extraPodSpec: {mainContainer: {image: registry.example.org/vllm:1.5.0, command: [python3, -m, dynamo.vllm]}}
`
	mergedObject = `apiVersion: v1
kind: ConfigMap
metadata: &defaults
  name: a
  namespace: inference
  annotations: {crossplane.io/composition-resource-name: other}
data:
  <<: &values {b: "1"}
  b: "2"
`
	mergedInput = `apiVersion: plan.dynamo.nvidia.com/v1alpha1
kind: Input
grove: &mode {mode: Auto}
lws:
  <<: *mode
  mode: Enabled
`
)

// TestYAML holds that a merged key, which kubectl reads, is read in every file of every command, and that a key whose value would be lost is
// refused in all of them.
func TestYAML(t *testing.T) {
	composition, functions := filepath.FromSlash("../../compositions/dynamographdeployment.yaml"), filepath.FromSlash("../../examples/functions.yaml")
	merged := func(path string) string {
		// The metadata of an object of this project are merged, and set again.
		return strings.Replace(string(read(t, path)), "metadata:\n", "metadata:\n  <<: {name: merged}\n", 1)
	}
	render := func(more ...string) []string {
		return append([]string{"render", "../../examples/agg-vllm.yaml", composition, functions}, more...)
	}
	cases := map[string]struct {
		reason string
		file   string
		args   []string
	}{
		"Validate":          {reason: "Graphs are validated.", file: mergedGraph, args: []string{"validate", "FILE"}},
		"ValidateStdin":     {reason: "Graphs can come from a pipe.", file: mergedGraph, args: []string{"validate", "-"}},
		"ValidateCluster":   {reason: "The objects of a cluster are read.", file: mergedObject, args: []string{"validate", "--cluster=FILE", "../../examples/agg-vllm.yaml"}},
		"ValidateInput":     {reason: "The policy of a platform is read.", file: mergedInput, args: []string{"validate", "--input=FILE", "../../examples/agg-vllm.yaml"}},
		"ValidateCompose":   {reason: "A Composition is read.", file: merged("compositions/dynamographdeployment.yaml"), args: []string{"validate", "--composition=FILE", "../../examples/agg-vllm.yaml"}},
		"Explain":           {reason: "Graphs are explained.", file: mergedGraph, args: []string{"explain", "FILE"}},
		"DiffOld":           {reason: "Graphs are compared with later ones.", file: mergedGraph, args: []string{"diff", "FILE", "../../examples/agg-vllm.yaml"}},
		"DiffNew":           {reason: "Graphs are compared with earlier ones.", file: mergedGraph, args: []string{"diff", "../../examples/agg-vllm.yaml", "FILE"}},
		"Convert":           {reason: "Graphs are converted.", file: mergedGraph, args: []string{"convert", "FILE"}},
		"ConvertStdin":      {reason: "Graphs are converted in a pipe.", file: mergedGraph, args: []string{"convert", "-"}},
		"Render":            {reason: "A graph is rendered.", file: mergedGraph, args: []string{"render", "FILE", composition, functions}},
		"RenderComposition": {reason: "A graph is rendered with a Composition.", file: merged("compositions/dynamographdeployment.yaml"), args: []string{"render", "../../examples/agg-vllm.yaml", "FILE", functions}},
		"RenderFunctions":   {reason: "A graph is rendered with functions.", file: merged("examples/functions.yaml"), args: []string{"render", "../../examples/agg-vllm.yaml", composition, "FILE"}},
		"RenderRequired":    {reason: "Objects that a graph requires are read.", file: mergedObject, args: render("-e", "FILE")},
		"RenderObserved":    {reason: "Objects that exist are read.", file: mergedObject, args: render("-o", "FILE")},
		"RenderContext":     {reason: "The context of a pipeline is read.", file: "a:\n  <<: {c: 1}\n  c: 2\n", args: render("--context-files=key=FILE")},
		"AdoptCheck":        {reason: "The objects of a cluster are read.", file: mergedGraph, args: []string{"adopt", "check", "-f", "FILE"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			run := func(content string) end {
				path := filepath.Join(t.TempDir(), "file.yaml")
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				args := make([]string, 0, len(tc.args))
				for _, arg := range tc.args {
					args = append(args, strings.ReplaceAll(arg, "FILE", path))
				}
				return ended(t, content, args...)
			}
			if got := run(tc.file); got.code != 0 || strings.Contains(got.out+got.err, "error: ") {
				t.Errorf("%s\na merged key is accepted: want exit status 0, got %d:\n%s%s", tc.reason, got.code, got.out, got.err)
			}
			indent := indentOf(tc.file)
			twice := strings.Replace(tc.file, "<<: ", "twice: 1\n"+indent+"twice: 2\n"+indent+"<<: ", 1)
			if got := run(twice); got.code == 0 || !strings.Contains(got.out+got.err, `key "twice" is already set in line`) {
				t.Errorf("%s\na value that is lost is refused: want an error, got %d:\n%s%s", tc.reason, got.code, got.out, got.err)
			}
		})
	}
}

// indentOf the line with the merged key.
func indentOf(file string) string {
	line, _, _ := strings.Cut(file, "<<: ")
	line = line[strings.LastIndex(line, "\n")+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}
