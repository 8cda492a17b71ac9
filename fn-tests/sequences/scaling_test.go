package sequences

import (
	"bytes"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestScaling(t *testing.T) {
	t.Parallel()
	binary := harness.New(t)
	adapters := harness.WithInput(t, harness.Composition, map[string]any{"scalingAdapter": map[string]any{"mode": "Enabled"}})
	claimAdapters := harness.WithInput(t, harness.ClaimsComposition, map[string]any{"scalingAdapter": map[string]any{"mode": "Enabled"}})
	cases := map[string]struct {
		graph func(*testing.T) *unstructured.Unstructured
		life  scalingLife
	}{
		"replicas-on-grove":       {graph: disaggregated, life: scalingLife{cluster: onGrove, steps: replicasOnGrove()}},
		"autoscaling-on-grove":    {graph: disaggregated, life: scalingLife{cluster: onGrove, steps: autoscalingOnGrove()}},
		"refusals-on-grove":       {graph: disaggregated, life: scalingLife{cluster: onGrove, steps: refusalsOnGrove()}},
		"replicas-off-grove":      {graph: disaggregated, life: scalingLife{cluster: onLWS, steps: replicasOffGrove()}},
		"autoscaling-off-grove":   {graph: disaggregated, life: scalingLife{cluster: onLWS, steps: autoscalingOffGrove()}},
		"scaling-adapter":         {graph: disaggregated, life: scalingLife{composition: adapters, cluster: onGrove, steps: scalingAdapter(harness.Composition)}},
		"scaling-adapter-claimed": {graph: claimed, life: scalingLife{composition: claimAdapters, cluster: onGrove, steps: scalingAdapter(harness.ClaimsComposition)}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := live(t, binary, tc.graph(t), tc.life)
			if !testing.Short() {
				if again := live(t, binary, tc.graph(t), tc.life); !bytes.Equal(again, got) {
					t.Errorf("the same life differs:\n%s\n%s", got, again)
				}
			}
			harness.Golden(t, filepath.Join("testdata", "scaling", name+".golden"), got)
		})
	}
}

// disaggregated is a graph of a frontend and a worker that spans nodes.
func disaggregated(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	return harness.Read(t, filepath.Join(harness.Root(), "fn-tests", "sequences", "testdata", "scaling", "graph.yaml"))[0]
}

// claimed is a graph that came through a claim.
func claimed(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	return harness.Read(t, "examples/v1alpha1/claims/agg-vllm-xr.yaml")[0]
}

// to changes components to a number of replicas.
func to(replicas map[string]int64) map[string]map[string]any {
	changes := map[string]map[string]any{}
	for component, number := range replicas {
		changes[component] = map[string]any{"replicas": number}
	}
	return changes
}

// autoscaled between two bounds.
func autoscaled(least, most int64) map[string]any {
	return map[string]any{"autoscaling": map[string]any{
		"enabled": true, "minReplicas": least, "maxReplicas": most,
		"metrics": []any{map[string]any{"type": "Pods", "pods": map[string]any{
			"metric": map[string]any{"name": "queued_requests"},
			"target": map[string]any{"type": "AverageValue", "averageValue": "10"},
		}}},
	}}
}

func replicasOnGrove() []scalingStep {
	type numbers = map[string]int64
	return []scalingStep{
		{title: "A graph is created."},
		{title: "Grove has made the children: all is at rest.", children: numbers{"Frontend": 1, "Worker": 2}},
		{title: "Both services are scaled out.", graph: to(numbers{"Frontend": 3, "Worker": 4})},
		{title: "The frontend is there, the worker on its way.", children: numbers{"Frontend": 3, "Worker": 3}},
		{title: "The worker gets another number before it has the first.", graph: to(numbers{"Worker": 6})},
		{title: "The children cannot be seen: nothing changes.", lost: true},
		{title: "The worker is there.", children: numbers{"Worker": 6}},
		{title: "The worker is scaled in.", graph: to(numbers{"Worker": 1})},
		{title: "And back to where it was, with one replica gone already: the helper remembers.", graph: to(numbers{"Worker": 6}), children: numbers{"Worker": 5}},
		{title: "It is back.", children: numbers{"Worker": 6}},
		{title: "An outside autoscaler scales the frontend, kubectl scale the worker: both are left alone.", children: numbers{"Frontend": 9, "Worker": 2}},
		{title: "The graph changes the worker: from then on that counts. The frontend stays.", graph: to(numbers{"Worker": 3})},
		{title: "The worker is there; the outside autoscaler goes on.", children: numbers{"Frontend": 8, "Worker": 3}},
		{title: "The number of the worker is taken out: that is 1.", graph: map[string]map[string]any{"Worker": {"replicas": nil}}},
		{title: "Grove has created the child again, with the number of the set: the helper scales it again.", children: numbers{"Worker": 3}},
		{title: "The worker is there.", children: numbers{"Worker": 1}},
	}
}

func autoscalingOnGrove() []scalingStep {
	type numbers = map[string]int64
	off := map[string]map[string]any{"Worker": {"autoscaling": nil}}
	return []scalingStep{
		{title: "A graph is created with an autoscaler of the frontend, which starts within its bounds.", graph: map[string]map[string]any{"Frontend": autoscaled(2, 9)}},
		{title: "The children are there.", children: numbers{"Frontend": 2, "Worker": 2}},
		{title: "A scaling of the worker begins.", graph: to(numbers{"Worker": 4})},
		{title: "Its autoscaler is turned on and takes over.", graph: map[string]map[string]any{"Worker": autoscaled(1, 8)}, children: numbers{"Worker": 3}},
		{title: "Both autoscalers work. Another number in the graph changes nothing.", graph: to(numbers{"Worker": 5}), children: numbers{"Frontend": 7, "Worker": 8}},
		{title: "The children cannot be seen: nothing changes.", lost: true},
		{title: "The autoscaler of the worker is turned off: the number of the graph applies again.", graph: off},
		{title: "The worker is on its way.", children: numbers{"Worker": 6}},
		{title: "The worker is there.", children: numbers{"Worker": 5}},
		{title: "That of the frontend is turned off while the children cannot be seen: the helper remembers.", graph: map[string]map[string]any{"Frontend": {"autoscaling": nil}}, lost: true},
		{title: "The frontend is there.", children: numbers{"Frontend": 1}},
	}
}

func refusalsOnGrove() []scalingStep {
	gang := map[string]map[string]any{"Worker": {"minAvailable": int64(2), "replicas": int64(3)}}
	return []scalingStep{
		{title: "A graph is created whose worker needs two replicas.", graph: gang},
		{title: "One replica is fewer than that.", graph: to(map[string]int64{"Worker": 1})},
		{title: "None are fewer still.", graph: to(map[string]int64{"Worker": 0})},
		{title: "Nor may an autoscaler go there.", graph: map[string]map[string]any{"Worker": {"replicas": int64(3), "autoscaling": autoscaled(1, 4)["autoscaling"]}}},
		{title: "Two are enough.", graph: map[string]map[string]any{"Worker": {"replicas": int64(2), "autoscaling": nil}}, children: map[string]int64{"Worker": 3}},
	}
}

func replicasOffGrove() []scalingStep {
	type numbers = map[string]int64
	return []scalingStep{
		{title: "A graph is created."},
		{title: "It is scaled out: the Deployment gets a number, the worker another LeaderWorkerSet.", graph: to(numbers{"Frontend": 2, "Worker": 3})},
		{title: "Somebody scales the Deployment: the graph's number is put back.", scaled: numbers{"deployment-frontend": 7}},
		{title: "Both are scaled to zero.", graph: to(numbers{"Frontend": 0, "Worker": 0})},
		{title: "And back.", graph: to(numbers{"Frontend": 1, "Worker": 1})},
	}
}

func autoscalingOffGrove() []scalingStep {
	type numbers = map[string]int64
	return []scalingStep{
		{title: "A graph is created."},
		{title: "Autoscalers are turned on. The Deployment keeps its number; a service that spans nodes cannot have one.", graph: map[string]map[string]any{"Frontend": autoscaled(1, 9), "Worker": autoscaled(1, 4)}},
		{title: "The autoscaler has scaled: the number is its own.", scaled: numbers{"deployment-frontend": 6}},
		{title: "Another number in the graph changes nothing.", graph: to(numbers{"Frontend": 3}), scaled: numbers{"deployment-frontend": 5}},
		{title: "Zero pauses it.", graph: to(numbers{"Frontend": 0})},
		{title: "Another number starts it again.", graph: to(numbers{"Frontend": 3})},
		{title: "It is turned off: the number of the graph applies again.", graph: map[string]map[string]any{"Frontend": {"autoscaling": nil}}, scaled: numbers{"deployment-frontend": 8}},
	}
}

// scalingAdapter is a life with a composition that knows of adapters, and one that cannot tell.
func scalingAdapter(unknowing string) []scalingStep {
	enabled := map[string]map[string]any{"Worker": {"scalingAdapter": map[string]any{"enabled": true}}}
	return []scalingStep{
		{title: "Where nothing can be found out there is a warning, and no adapter.", graph: enabled, composition: unknowing},
		{title: "Where the kind is installed there is an adapter, which begins with the number of the graph."},
		{title: "It is scaled: the number is its own.", scaled: map[string]int64{"scalingadapter-worker": 5}},
		{title: "Its controller brings the graph to its number.", graph: to(map[string]int64{"Worker": 5}), scaled: map[string]int64{"scalingadapter-worker": 5}, children: map[string]int64{"Frontend": 1, "Worker": 2}},
		{title: "An adapter that is there stays where nothing can be found out.", composition: unknowing, scaled: map[string]int64{"scalingadapter-worker": 5}},
		{title: "It is turned off: the number of the graph stays.", graph: map[string]map[string]any{"Worker": {"scalingAdapter": nil}}, children: map[string]int64{"Worker": 5}},
	}
}
