package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
)

// TestDiffImpact runs several graphs in a cluster, and asks what another policy does to them.
func TestDiffImpact(t *testing.T) {
	if testing.Short() {
		t.Skip("the command previews each graph in one goroutine, which has no races, and is slow with the race detector")
	}
	c := newCluster(t)
	c.put(t, harness.Read(t, harness.Composition)[0])
	for _, path := range []string{"examples/agg-vllm.yaml", "examples/trtllm-multinode.yaml", "examples/disagg-vllm.yaml"} {
		c.run(t, path, harness.GroveKAI)
	}
	const unchanged = "inference/agg-vllm: nothing changes\ninference/disagg-vllm: nothing changes\ninference/trtllm-multinode: nothing changes\n"
	cases := map[string]struct {
		reason string
		input  string
		args   []string
		live   func(t *testing.T)
		code   int
		// want is a line of the report, and out the whole report.
		want, out, err string
	}{
		"Same": {reason: "The policy of the cluster changes nothing.", out: unchanged, err: "3 graphs compared: 3 without a change\n"},
		"Composition": {
			reason: "Neither does the Composition of this release.", args: []string{"--composition=../../compositions/dynamographdeployment-fused.yaml"}, out: unchanged,
		},
		"NextEdit": {
			reason: "Pods stay as they are until their user edits them.", input: "infrastructure: {natsAddress: \"nats://other:4222\"}\n",
			want: "inference/agg-vllm: other pods at the next edit of Frontend, Worker\n", err: "3 graphs compared: 3 without a change\n",
		},
		"Warned": {
			reason: "A guard rail that is tightened warns the graphs that break it, and no other.", input: "guardRails: {maxNodes: 2}\n",
			want: "inference/agg-vllm: nothing changes\ninference/disagg-vllm: warning: spec.components: the graph may need 3 nodes",
		},
		"Refused": {
			reason: "A policy that cannot be read refuses all graphs, and the status says so.", input: "mnnvl: {mode: Sometimes}\n", code: exitWarnings,
			want: "inference/agg-vllm: is refused; input.mnnvl.mode: ", err: "3 graphs compared: 3 refused\n",
		},
		"None": {reason: "An empty namespace has no graphs.", args: []string{"--namespace=none"}, live: func(t *testing.T) {
			t.Helper()
			newCluster(t)
		}, code: exitUsage, err: "there is no DynamoGraphDeployment in the cluster"},
		"Other": {reason: "What is embedded has no graphs.", args: []string{"--cluster=none"}, code: exitUsage, err: "--cluster=none is for OLD and NEW in files"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.live != nil {
				tc.live(t)
			}
			file := filepath.Join(t.TempDir(), "input.yaml")
			if err := os.WriteFile(file, []byte("apiVersion: plan.dynamo.nvidia.com/v1alpha1\nkind: Input\n"+tc.input), 0o600); err != nil {
				t.Fatal(err)
			}
			args := tc.args
			if len(args) == 0 || !strings.HasPrefix(args[0], "--composition") {
				args = append([]string{"--input=" + file}, args...)
			}
			got := compared(t, "", args...)
			if got.code != tc.code || !strings.Contains("\n"+got.out, "\n"+tc.want) || tc.out != "" && got.out != tc.out || !strings.Contains(got.err, tc.err) {
				t.Errorf("%s\nwant exit status %d, %q%q and %q, got %d, %q and %q", tc.reason, tc.code, tc.want, tc.out, tc.err, got.code, got.out, got.err)
			}
			if tc.code != exitUsage && strings.Count(got.out, "\n") != 3 {
				t.Errorf("want a line for each graph, got %q", got.out)
			}
		})
	}
	t.Run("Objects", func(t *testing.T) {
		// What a release changes is seen in the objects of the cluster.
		component := &unstructured.Unstructured{}
		file := filepath.Join(c.folder, "0", "Service.v1. agg-vllm-frontend inference")
		data := harness.File(t, file)
		if err := json.Unmarshal(data, &component.Object); err != nil {
			t.Fatal(err)
		}
		if err := unstructured.SetNestedField(component.Object, map[string]any{"a": "b"}, "spec", "selector"); err != nil {
			t.Fatal(err)
		}
		c.put(t, component)
		got := compared(t, "", "--composition=../../compositions/dynamographdeployment-fused.yaml", "--output=json")
		report := compare.Report{}
		if err := json.Unmarshal([]byte(got.out), &report); err != nil {
			t.Fatal(err)
		}
		if first := report.Graphs[0]; first.Name != "inference/agg-vllm" || first.Effect != compare.Changed {
			t.Errorf("want that the Service changes, got %s", got.out)
		}
		if got := compared(t, "", "--composition=../../compositions/dynamographdeployment-fused.yaml"); !strings.Contains(got.out, "inference/agg-vllm: changes, no pod restarts; Service agg-vllm-frontend changes") {
			t.Errorf("want a line with the Service, got %q", got.out)
		}
	})
}
