package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
)

// TestScaling checks who decides the number of replicas, as the objects say it that are composed.
func TestScaling(t *testing.T) {
	const (
		autoscaled = "autoscaling: {enabled: true, maxReplicas: 4, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}"
		engine     = "componentType: worker, resources: {limits: {gpu: '1'}}, extraPodSpec: {mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0'}}"
	)
	cases := map[string]struct {
		reason    string
		cluster   string
		component string
		want      Scaling
	}{
		"Clique": {
			reason: "Grove keeps the number of another client.", cluster: "grove-kai", component: "replicas: 2, " + engine,
			want: Scaling{By: byGraph, Field: "spec.services[w].replicas", Keeps: "PodClique a-0-w"},
		},
		"Deployment": {
			reason: "Crossplane applies the replicas of a Deployment.", cluster: "none", component: "replicas: 2, " + engine,
			want: Scaling{By: byGraph, Field: "spec.services[w].replicas", Reverts: "Deployment a-w"},
		},
		"Autoscaler": {
			reason: "An autoscaler has at least one replica.", cluster: "none", component: autoscaled + ", " + engine,
			want: Scaling{By: byAutoscaler, Field: "spec.services[w].autoscaling", Object: "HorizontalPodAutoscaler a-w", Least: 1, Most: 4},
		},
		"AutoscalerOfGang": {
			reason: "On Grove it has at least as many as the gang needs.", cluster: "grove-kai", component: autoscaled + ", replicas: 3, minAvailable: 2, " + engine,
			want: Scaling{By: byAutoscaler, Field: "spec.services[w].autoscaling", Object: "HorizontalPodAutoscaler a-w", Least: 2, Most: 4},
		},
		"NoAutoscaler": {
			reason: "No autoscaler scales LeaderWorkerSets.", cluster: "lws-volcano", component: autoscaled + ", replicas: 2, multinode: {nodeCount: 2}, " + engine,
			want: Scaling{By: byGraph, Field: "spec.services[w].replicas"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.yaml")
			text := "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a, namespace: ns}, spec: {backendFramework: vllm, services: {w: {" + tc.component + "}}}}"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e := explained(t, previews.On(t, corpus.Platform{Cluster: filepath.Join("examples", "cluster", tc.cluster+".yaml")}), path)
			if len(e.Components) != 1 {
				t.Fatalf("want a graph with a component, got %s", e.Text())
			}
			if diff := cmp.Diff(tc.want, e.Components[0].Scaling); diff != "" {
				t.Errorf("%s\nscaling: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTogether checks what components that are scaled together are counted in.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.yaml")
	const engine = "podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0', command: [python3, -m, dynamo.vllm], resources: {limits: {nvidia.com/gpu: '2'}}}]}}"
	text := `{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a, namespace: ns, annotations: {dynamo.nvidia.com/scale-together: "Prefill=1,Decode=2"}},
		spec: {backendFramework: vllm, components: [{name: Prefill, type: prefill, replicas: 2, ` + engine + `}, {name: Decode, type: decode, replicas: 4, multinode: {nodeCount: 2}, ` + engine + `}]}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e := explained(t, previews.On(t, corpus.Platform{
		Cluster: "examples/cluster/grove-kai.yaml", Input: map[string]any{"scalingAdapter": map[string]any{"mode": "Enabled"}},
	}), path)
	want := &Together{Object: "DynamoGraphDeploymentScalingAdapter a", Units: 2, Unit: "Prefill=1,Decode=2", Pods: 5, GPUs: 10}
	if diff := cmp.Diff(want, e.Together); diff != "" {
		t.Errorf("scaled together: -want, +got:\n%s", diff)
	}
	checkExplanation(t, e)
	// The lines of the text are folded.
	text = strings.Join(strings.Fields(strings.ReplaceAll(e.Text(), "│", "")), " ")
	for _, line := range []string{
		"├─ scaled together: 2 units of Prefill=1,Decode=2, each 5 pods, 10 GPUs (DynamoGraphDeploymentScalingAdapter a)",
		"replicas: DynamoGraphDeploymentScalingAdapter a (metadata.annotations[dynamo.nvidia.com/scale-together])",
		"DynamoGraphDeploymentScalingAdapter a: annotation dynamo.nvidia.com/scale-together",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("want a line with %s, got:\n%s", line, e.Text())
		}
	}
}
