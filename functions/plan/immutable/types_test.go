package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// TestTypesAndNodesUnchanged shows that a component keeps its type and its number of nodes for as long as it runs.
func TestTypesAndNodesUnchanged(t *testing.T) {
	type fields = map[string]any
	labels := func(component, sub string) fields {
		all := fields{}
		if component != "" {
			all["nvidia.com/dynamo-component-type"] = component
		}
		if sub != "" {
			all["nvidia.com/dynamo-sub-component-type"] = sub
		}
		return fields{"metadata": fields{"labels": all}}
	}
	deployment := func(component, sub string) map[string]fields {
		return map[string]fields{"deployment-worker": {"kind": "Deployment", "apiVersion": "apps/v1", "spec": fields{"template": labels(component, sub)}}}
	}
	set := func(nodes int, component string) fields {
		return fields{
			"kind": "LeaderWorkerSet", "apiVersion": "leaderworkerset.x-k8s.io/v1",
			"spec": fields{"leaderWorkerTemplate": fields{"size": nodes, "workerTemplate": labels(component, "")}},
		}
	}
	cases := map[string]struct {
		reason string
		live   map[string]fields
		spec   string
		want   []string
	}{
		"SameType":      {reason: "A graph that did not change is fine.", live: deployment("worker", ""), spec: `{"services":{"Worker":{"componentType":"worker"}}}`},
		"FirstType":     {reason: "A service without a type may get one.", live: deployment("", ""), spec: `{"services":{"Worker":{"componentType":"worker"}}}`},
		"OwnType":       {reason: "A type of the user's own has no meaning.", live: deployment("main", ""), spec: `{"services":{"Worker":{"componentType":"frontend"}}}`},
		"OtherSpelling": {reason: "The other form of a graph writes the phase of a worker in another way.", live: deployment("worker", "decode"), spec: `{"components":[{"name":"Worker","type":"decode"}]}`},
		"Promoted":      {reason: "The labels of a worker for one phase depend on the release in its image.", live: deployment("decode", "decode"), spec: `{"services":{"Worker":{"componentType":"worker","subComponentType":"decode"}}}`},
		"OtherPhase":    {reason: "Services may change their subComponentType.", live: deployment("worker", "decode"), spec: `{"services":{"Worker":{"componentType":"worker","subComponentType":"prefill"}}}`},
		"OtherPhaseOfComponent": {
			reason: "The phase is the type of a component.", live: deployment("decode", "decode"), spec: `{"components":[{"name":"Worker","type":"worker"}]}`,
			want: []string{"spec.components[Worker].type"},
		},
		"OtherType": {
			reason: "The pods of another type are others.", live: deployment("worker", ""), spec: `{"services":{"Worker":{"componentType":"frontend"}}}`,
			want: []string{"spec.services[Worker].componentType"},
		},
		"NoType": {
			reason: "A type cannot be removed.", live: deployment("worker", ""), spec: `{"components":[{"name":"Worker"}]}`,
			want: []string{"spec.components[Worker].type"},
		},
		"SameNodes": {
			reason: "A graph that did not change is fine.", live: map[string]fields{"leaderworkerset-worker-0": set(2, "worker")},
			spec: `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2}}}}`,
		},
		"OtherNodes": {
			reason: "The number of nodes is that with which a replica was created.", live: map[string]fields{"leaderworkerset-worker-0": set(2, "worker"), "leaderworkerset-worker-1": set(2, "worker")},
			spec: `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":3}}}}`,
			want: []string{"spec.services[Worker].multinode.nodeCount"},
		},
		"Rollout": {
			reason: "What somebody else has changed in one of the replicas is changed back.", live: map[string]fields{"leaderworkerset-worker-0": set(2, "frontend"), "leaderworkerset-worker-1": set(3, "worker")},
			spec: `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":3}}}}`,
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.GraphOf(tc.spec))
			for key, object := range tc.live {
				plantest.WithObserved(key, object)(req)
			}
			f := plantest.Facts(t, req)
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}
