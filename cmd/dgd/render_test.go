package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestRenderAlone shows that a graph alone becomes what it becomes with the files that the command has embedded.
func TestRenderAlone(t *testing.T) {
	const graph = "../../examples/disagg-vllm.yaml"
	cases := map[string]struct {
		reason string
		alone  []string
		files  []string
	}{
		"Default": {
			reason: "Without a name, the cluster has Grove and KAI.", alone: []string{graph},
			files: []string{graph, "../../compositions/dynamographdeployment.yaml", "../../examples/functions.yaml", "-e", "../../examples/cluster/grove-kai.yaml"},
		},
		"Cluster": {
			reason: "The cluster has a name.", alone: []string{graph, "--cluster=none"},
			files: []string{graph, "../../compositions/dynamographdeployment.yaml", "../../examples/functions.yaml", "-e", "../../examples/cluster/none.yaml"},
		},
		"Observed": {
			reason: "Other flags mean the same.", alone: []string{graph, "-x", "-r"},
			files: []string{graph, "../../compositions/dynamographdeployment.yaml", "../../examples/functions.yaml", "-e", "../../examples/cluster/grove-kai.yaml", "-x", "-r"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := append(slices.Clone(tc.alone), "--include-revisions")
			with, alone, files := rendered(t, all...), rendered(t, tc.alone...), rendered(t, tc.files...)
			if diff := cmp.Diff(files, with); diff != "" {
				t.Errorf("%s\nrender %v: -want, +got:\n%s", tc.reason, all, diff)
			}
			if diff := cmp.Diff(withoutRevisions(t, files), withoutRevisions(t, alone)); diff != "" || strings.Contains(alone, "\nkind: ControllerRevision\n") {
				t.Errorf("%s\nrender %v: want no ControllerRevisions: -want, +got:\n%s", tc.reason, tc.alone, diff)
			}
		})
	}
}

func rendered(t *testing.T, args ...string) string {
	t.Helper()
	got := ended(t, "", append([]string{"render"}, args...)...)
	if got.code != 0 {
		t.Fatalf("render %v: exit status %d: %s", args, got.code, got.err)
	}
	return got.out
}

func withoutRevisions(t *testing.T, stream string) []string {
	t.Helper()
	objects, err := harness.Parse([]byte(stream))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, o := range objects {
		if o.GetKind() != "ControllerRevision" {
			kept = append(kept, string(harness.Format(t, o)))
		}
	}
	return kept
}

func TestRenderArguments(t *testing.T) {
	const graph, composition = "../../examples/disagg-vllm.yaml", "../../compositions/dynamographdeployment.yaml"
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		err    string
	}{
		"NoFunctions": {reason: "A Composition needs its functions.", args: []string{graph, composition}, code: exitUsage, err: "expected a file with the functions of the Composition"},
		"Both":        {reason: "What a Composition says cannot be said twice.", args: []string{graph, composition, "../../examples/functions.yaml", "--cluster=none"}, code: exitUsage, err: "--cluster cannot be combined with a Composition"},
		"NoVersion":   {reason: "A version that does not exist is refused, as validate does.", args: []string{"testdata/render/unknown.yaml"}, code: exitRefused, err: `apiVersion: Unsupported value: "nvidia.com/v1"`},
		"NoField":     {reason: "A field that does not exist is refused, also outside of the spec.", args: []string{"testdata/render/unknown.yaml"}, code: exitRefused, err: `metadata.lables: unknown field; did you mean "labels"?`},
		"All":         {reason: "All mistakes are reported at once.", args: []string{"testdata/render/unknown.yaml"}, code: exitRefused, err: `spec.components[Frontend].replica`},
		"NoCluster":   {reason: "A cluster that does not exist is an error of usage.", args: []string{graph, "--cluster=gke"}, code: exitUsage, err: `cannot read cluster "gke"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ended(t, "", append([]string{"render"}, tc.args...)...); got.code != tc.code || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d and %q, got %d and %q", tc.reason, tc.code, tc.err, got.code, got.err)
			}
		})
	}
}

// TestExportedStatus shows a graph that was exported from one cluster on another. The API server drops its status when it is applied, so each command
// shows the same as without it. Only together with what is observed does it count.
func TestExportedStatus(t *testing.T) {
	const graph = "../../examples/disagg-vllm.yaml"
	clusters := []string{"grove-kai", "lws-volcano", "none"}
	for _, from := range clusters {
		all, err := harness.Parse([]byte(rendered(t, graph, "-x", "--cluster="+from)))
		if err != nil {
			t.Fatal(err)
		}
		exported := harness.Read(t, "examples/disagg-vllm.yaml")[0]
		plain := harness.Write(t, exported)
		exported.Object["status"] = all[0].Object["status"]
		file := harness.Write(t, exported)
		for _, to := range clusters {
			for _, command := range []string{"validate", "explain", "render"} {
				want, got := ended(t, "", command, plain, "--cluster="+to), ended(t, "", command, file, "--cluster="+to)
				if diff := cmp.Diff(strings.ReplaceAll(want.out, plain, ""), strings.ReplaceAll(got.out, file, "")); diff != "" || got.code != want.code {
					t.Errorf("%s of a graph from %s on %s: -without its status, +with it, exit status %d:\n%s", command, from, to, got.code, diff)
				}
			}
		}
		observed := harness.Write(t, all[1:]...)
		if with := rendered(t, file, "-x", "--cluster="+from, "-o", observed); with == rendered(t, plain, "-x", "--cluster="+from, "-o", observed) {
			t.Errorf("a graph on %s with what is observed: want that its status counts, got the same without it", from)
		}
	}
}
