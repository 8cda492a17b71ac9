package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
)

// TestFlows checks what components send to each other.
func TestFlows(t *testing.T) {
	component := func(name, of, model string) string {
		args := "[]"
		if model != "" {
			args = "[--model, " + model + "]"
		}
		return fmt.Sprintf("{name: %s, type: %s, podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0', "+
			"command: [python3, -m, dynamo.vllm], args: %s, resources: {limits: {nvidia.com/gpu: '1'}}}]}}}", name, of, args)
	}
	const frontend = "{name: F, type: frontend, podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0'}]}}}"
	cases := map[string]struct {
		reason     string
		components string
		want       []Flow
	}{
		"Aggregated": {
			reason: "A frontend sends requests to workers.", components: frontend + ", " + component("W", "worker", "m"),
			want: []Flow{{What: flowRequests, From: "F", To: []string{"W"}}},
		},
		"Disaggregated": {
			reason: "Prefill workers send the KV cache to decode workers.", components: component("D", "decode", "m") + ", " + component("P", "prefill", "m") + ", " + frontend,
			want: []Flow{{What: flowRequests, From: "F", To: []string{"P", "D"}}, {What: flowCache, From: "P", To: []string{"D"}}},
		},
		"Models": {
			reason:     "The KV cache of one model is of no use for another one.",
			components: component("P1", "prefill", "a") + ", " + component("P2", "prefill", "b") + ", " + component("D1", "decode", "a") + ", " + component("D2", "decode", "b"),
			want:       []Flow{{What: flowCache, From: "P1", To: []string{"D1"}}, {What: flowCache, From: "P2", To: []string{"D2"}}},
		},
		"Unknown": {
			reason:     "A model that is not known may be the same.",
			components: component("P", "prefill", "") + ", " + component("D", "decode", "m"),
			want:       []Flow{{What: flowCache, From: "P", To: []string{"D"}}},
		},
		"Alone": {reason: "Workers without a frontend get requests from elsewhere.", components: component("W", "worker", "m")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.yaml")
			text := "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a, namespace: ns}, spec: {components: [" + tc.components + "]}}"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e := explained(t, previews.On(t, corpus.Platform{Cluster: filepath.Join("examples", "cluster", "none.yaml")}), path)
			if e.Refused {
				t.Fatal(e.Text())
			}
			if diff := cmp.Diff(tc.want, e.Flows); diff != "" {
				t.Errorf("%s\nflows: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFlowNamespaces checks that components of different Dynamo namespaces do not find each other.
func TestFlowNamespaces(t *testing.T) {
	const main = "extraPodSpec: {mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0'}}"
	path := filepath.Join(t.TempDir(), "graph.yaml")
	text := "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a, namespace: ns}, spec: {backendFramework: vllm, services: {" +
		"F: {componentType: frontend, dynamoNamespace: x, " + main + "}, W: {componentType: worker, dynamoNamespace: x, " + main + "}, " +
		"O: {componentType: worker, globalDynamoNamespace: true, " + main + "}}}}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := explained(t, previews.On(t, corpus.Platform{Cluster: filepath.Join("examples", "cluster", "none.yaml")}), path)
	if e.Refused {
		t.Fatal(e.Text())
	}
	if diff := cmp.Diff([]Flow{{What: flowRequests, From: "F", To: []string{"W"}}}, e.Flows); diff != "" {
		t.Errorf("flows: -want, +got:\n%s", diff)
	}
}
