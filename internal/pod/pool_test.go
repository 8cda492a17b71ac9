package pod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// TestPoolLabel shows which pods carry the label of the InferencePool. A pod gets it only where no other label would do,
// since a new label restarts it.
func TestPoolLabel(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components string
		want       map[string]bool
	}{
		"NoPicker": {
			reason:     "Without a picker there is no pool.",
			components: `{"P":{"componentType":"prefill"},"D":{"componentType":"decode"}}`,
			want:       map[string]bool{},
		},
		"OneType": {
			reason:     "One type of workers has its label in common.",
			components: `{"E":{"componentType":"epp"},"P":{"componentType":"worker"},"D":{"componentType":"worker"}}`,
			want:       map[string]bool{},
		},
		"Types": {
			reason:     "Prefill and decode workers have no label in common, and a frontend is not in the pool.",
			components: `{"E":{"componentType":"epp"},"F":{"componentType":"frontend"},"P":{"componentType":"prefill"},"D":{"componentType":"decode"}}`,
			want:       map[string]bool{"P/main": true, "D/main": true},
		},
		"Nodes": {
			reason:     "Workers of one node and leaders of several have no label in common; the other nodes take no requests.",
			components: `{"E":{"componentType":"epp"},"P":{"componentType":"worker"},"D":{"componentType":"worker","multinode":{"nodeCount":2}}}`,
			want:       map[string]bool{"P/main": true, "D/leader": true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponents(t, tc.components), graphplan.Component{Discovery: graphplan.Kubernetes})
			got := map[string]bool{}
			for _, name := range b.Graph.ComponentNames() {
				for role, of := range rolesOf(b, name) {
					if b.Build(name, of, backend.LWSHosts{}).Labels[metadata.LabelInferencePool] == "true" {
						got[name+"/"+role] = true
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nlabelled: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// rolesOf the pods of a component, by name.
func rolesOf(b *Builder, component string) map[string]backend.Role {
	s := b.Graph.Component(component)
	if s.IsMultinode() {
		return map[string]backend.Role{"leader": backend.RoleLeader, "worker": backend.RoleWorker}
	}
	return map[string]backend.Role{"main": backend.RoleMain}
}

// TestPoolSelectors checks that an InferencePool selects the pods that serve requests, and no others, whatever release is in their images: a
// user may return to an older image while the pool stays as it is.
func TestPoolSelectors(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components string
		byClass    bool
		// label says that the pods need a separate label.
		label bool
		// everyNode says that each node of S registers.
		everyNode bool
	}{
		"Type":  {reason: "Workers of one type have this type in common.", components: `{"S":{"componentType":"worker"},"E":{"componentType":"epp"}}`},
		"Types": {reason: "Workers of several types have a separate label.", components: `{"S":{"componentType":"decode"},"P":{"componentType":"prefill"},"E":{"componentType":"epp"}}`, label: true},
		"Class": {
			reason:     "Workers of several types have their class in common.",
			components: `{"S":{"componentType":"decode"},"P":{"componentType":"prefill"},"E":{"componentType":"epp"}}`, byClass: true,
		},
		"ClassOfLeaders": {
			reason:     "Only leaders have the role of a leader.",
			components: `{"S":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"],"args":["-tp","16"]}}},"E":{"componentType":"epp"}}`, byClass: true,
		},
		"ClassOfData": {
			reason:     "Each node of a data-parallel engine is a worker.",
			components: `{"S":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"],"args":["-dp","16"]}}},"P":{"componentType":"prefill"},"E":{"componentType":"epp"}}`, byClass: true, everyNode: true,
		},
		"ClassOfBoth": {
			reason:     "Leaders and pods of one node have a separate label.",
			components: `{"S":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"],"args":["-tp","16"]}}},"P":{"componentType":"prefill"},"E":{"componentType":"epp"}}`, byClass: true, label: true,
		},
	}
	for name, tc := range cases {
		for _, release := range []runtime.Version{"1.1.0", "1.5.0"} {
			t.Run(name+"/"+string(release), func(t *testing.T) {
				b := released(t, tc.components, release)
				b.Plan.PoolByClass = tc.byClass
				want := map[string]bool{"E/main": false, "P/main": true, "S/main": true, "S/leader": true, "S/worker": tc.everyNode}
				pods := map[string]labels.Set{}
				for _, component := range b.Graph.ComponentNames() {
					for role, of := range rolesOf(b, component) {
						pods[component+"/"+role] = b.Build(component, of, backend.LWSHosts{}).Labels
					}
				}
				fits := func(selector map[string]string) bool {
					for name, set := range pods {
						if labels.SelectorFromSet(selector).Matches(set) != want[name] {
							return false
						}
					}
					return true
				}
				selectors := PoolSelectors(b.Graph, b.Plan, "E")
				i := slices.IndexFunc(selectors, fits)
				if i < 0 || tc.label != (selectors[i][metadata.LabelInferencePool] == "true") {
					t.Errorf("%s\nwant a separate label: %t, and one of %v to select those that register of %v", tc.reason, tc.label, selectors, pods)
				}
			})
		}
	}
}
