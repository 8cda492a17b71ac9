package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// everything is a file with a graph that has something of everything that explain shows, and the flags for a platform on which it runs.
const everything = "testdata/explain/graph.yaml"

func onEverything() []string {
	return []string{everything, "--cluster=all", "--input=testdata/explain/input.yaml"}
}

func explainGraph(t testing.TB, args ...string) end {
	t.Helper()
	return ended(t, "", append([]string{"explain"}, args...)...)
}

func TestExplainFormats(t *testing.T) {
	cases := map[string]struct {
		args []string
		code int
	}{
		"grove.text":      {args: onEverything()},
		"grove.json":      {args: append(onEverything(), "-o", "json")},
		"grove.mermaid":   {args: append(onEverything(), "-o", "mermaid")},
		"grove.dot":       {args: append(onEverything(), "-o", "dot")},
		"grove.svg":       {args: append(onEverything(), "-o", "svg")},
		"refused.text":    {args: []string{everything, "--cluster=none"}, code: exitRefused},
		"deployment.text": {args: []string{"../../examples/agg-vllm.yaml", "--cluster=none"}},
		"sets.text":       {args: []string{"../../examples/sglang-multinode.yaml", "--cluster=lws-volcano"}},
		"placed.text":     {args: []string{"../../fn-tests/support/corpus/manifests/lws-volcano/topology.yaml", "--cluster=lws-volcano", "--input=testdata/explain/profiles.yaml"}},
		"zero.text":       {args: []string{"../../fn-tests/support/corpus/manifests/lws-volcano/scaled-to-zero.yaml", "--cluster=lws-volcano"}},
		"weights.text":    {args: []string{"../../fn-tests/support/corpus/manifests/grove-kai/components-weightservers.yaml"}},
		"field.text":      {args: []string{"--field=replicas", "--api-version=v1alpha1"}},
		"commands.text":   {args: []string{"../../examples/sglang-multinode.yaml", "--commands"}},
		"scripts.text":    {args: []string{"../../examples/custom-engine.yaml", "--cluster=lws-dra", "--commands"}},
		"sets.dot":        {args: []string{"../../examples/sglang-multinode.yaml", "--cluster=lws-volcano", "-o", "dot"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := explainGraph(t, tc.args...)
			if got.code != tc.code || got.err != "" {
				t.Errorf("want exit status %d, got %d: %s", tc.code, got.code, got.err)
			}
			harness.Golden(t, filepath.Join("testdata", "explain", name), []byte(got.out))
		})
	}
}

// TestExplainCode checks that the code of a rule is explained as by validate.
func TestExplainCode(t *testing.T) {
	want := ended(t, "", "validate", "--explain=DGD313")
	if diff := cmp.Diff(want.out, explainGraph(t, "dgd313").out); want.code != 0 || diff != "" {
		t.Errorf("explain dgd313: -validate, +explain:\n%s", diff)
	}
}

// TestExplainFindings holds that a graph is explained with all that is wrong with it, as validate finds it.
func TestExplainFindings(t *testing.T) {
	const graph = "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: chat}\nspec:\n  components:\n" +
		"    - {name: Frontend, type: frontend, podTemplate: {spec: {containers: [{name: main, image: \"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.1\"}]}}}\n"
	cases := map[string]struct {
		reason string
		graph  string
		args   []string
		want   string
	}{
		"Schema":      {reason: "The API server refuses the graph, so nothing is composed.", graph: graph + "  crossplane: {compositionUpdatePolicy: Sometimes}\n", want: "refused, nothing is composed\n└─ 1 error\n   └─ DGD105 "},
		"Empty":       {reason: "Server-side apply refuses the graph.", graph: graph + "  labels:\n", want: "└─ 1 warning\n   └─ DGD107 "},
		"Placeholder": {reason: "An image that nobody has replaced does not run.", graph: strings.ReplaceAll(graph, "1.5.1", "my-tag"), want: "DGD247 "},
		"Waiting": {
			reason: "A graph that waits is not wrong.", graph: string(read(t, "examples/checkpoint-vllm.yaml")),
			args: []string{"--input=../../examples/checkpoint-vllm/input.yaml"}, want: "waits, nothing is composed yet\n└─ 1 warning\n   └─ DGD219 ",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, validated := ended(t, tc.graph, append([]string{"explain", "-"}, tc.args...)...), ended(t, tc.graph, append([]string{"validate", "-"}, tc.args...)...)
			if !strings.Contains(got.out, tc.want) || got.code != validated.code {
				t.Errorf("%s\nwant %q and exit status %d, got %d:\n%s", tc.reason, tc.want, validated.code, got.code, got.out)
			}
		})
	}
}

func TestExplainErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		err    string
	}{
		"NoPath":   {reason: "A path is needed.", code: exitUsage, err: "expected paths of graphs"},
		"Field":    {reason: "As with kubectl explain, a field that does not exist is an error.", args: []string{"--field=spec.component"}, code: exitRefused, err: "did you mean spec.components?"},
		"Argument": {reason: "The path of a field may be an argument.", args: []string{"spec.components.replica"}, code: exitRefused, err: "dgd: error: spec.components[].replica is not a field; did you mean spec.components[].replicas?\n"},
		"File":     {reason: "Anything else is the path of a file.", args: []string{"deploy"}, code: exitUsage, err: "stat deploy"},
		"Code":     {reason: "The code of a rule that does not exist is no file.", args: []string{"DGD999"}, code: exitUsage, err: "DGD999 is not the code of a rule"},
		"Two":      {reason: "A picture is of one graph.", args: []string{"../../examples/agg-vllm.yaml", "../../examples/gb200.yaml", "-o", "svg"}, code: exitUsage, err: "a picture is of one graph, and there are 2"},
		"Refused":  {reason: "There is nothing to draw.", args: []string{everything, "--cluster=none", "-o", "dot"}, code: exitRefused, err: "graph chat is refused, so there is nothing to draw"},
		"Format":   {reason: "Formats that do not exist are an error of usage.", args: []string{everything, "-o", "png"}, code: exitUsage, err: `must be one of "text","json","mermaid","dot","svg"`},
		"Cluster":  {reason: "A cluster that does not exist is one too.", args: []string{everything, "--cluster=gke"}, code: exitUsage, err: `cannot read cluster "gke"`},
		"Graphs": {
			reason: "A file with a mistake in its YAML is not half explained.", args: []string{"testdata/validate/graphs.yaml"}, code: exitRefused,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := explainGraph(t, tc.args...); got.code != tc.code || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d and %q, got %d and %q", tc.reason, tc.code, tc.err, got.code, got.err)
			}
		})
	}
}

// TestExplainField explains a field as kubectl explain does.
func TestExplainField(t *testing.T) {
	got := explainGraph(t, "spec.services.replicas")
	harness.Golden(t, filepath.Join("testdata", "explain", "field.text"), []byte(got.out))
	if kubectl := explainGraph(t, "dgd.spec.services.replicas"); kubectl != got || got.code != 0 {
		t.Errorf("want the same with the name of the kind, got %+v and %+v", got, kubectl)
	}
}

// TestExamplePictures checks that the picture of each example is up to date, and that the page shows it.
func TestExamplePictures(t *testing.T) {
	page := string(read(t, "docs/pictures.md"))
	drawn := map[string]bool{}
	for _, e := range harness.Examples(t) {
		if strings.Contains(e.XR, "claims") {
			continue
		}
		path := "pictures/" + e.Name + ".svg"
		drawn[path] = true
		t.Run(e.Name, func(t *testing.T) {
			got := explainGraph(t, e.XR, "--output=svg")
			if got.code != 0 {
				t.Fatalf("got exit status %d: %s", got.code, got.err)
			}
			if diff := cmp.Diff(string(read(t, "docs/"+path)), got.out); diff != "" {
				t.Errorf("%s: -want, +got (make generate writes it):\n%s", path, diff)
			}
			if !strings.Contains(page, "]("+path+")") || !strings.Contains(page, "(../examples/"+e.Name+".yaml)") {
				t.Errorf("docs/pictures.md does not have %s (make generate writes it)", e.Name)
			}
		})
	}
	pictures, err := filepath.Glob("../../docs/pictures/*")
	if err != nil || len(pictures) != len(drawn) {
		t.Errorf("want a picture of each of %d examples and no others, got %v, %v", len(drawn), pictures, err)
	}
}
