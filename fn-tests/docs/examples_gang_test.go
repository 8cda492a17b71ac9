package docs

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
)

// TestKubernetesGang checks that each replica of the example is a gang of Kubernetes, packed by the label that the policy beside it gives the
// level.
func TestKubernetesGang(t *testing.T) {
	const name = "kubernetes-gang"
	binary := harness.New(t)
	policy := as(t, only(t, beside(name, "input.yaml"), "Input"), &inputv1alpha1.Input{})
	levels := policy.Topology.Profiles[0].Levels
	rack := levels[len(levels)-1].Key
	out := binary.RenderAccepted(t, harness.Render{XR: "examples/" + name + ".yaml", Composition: policyOf(t, name), Cluster: harness.LWSKubernetes})
	composed := byKey(out)
	for i := range 2 {
		set, group := composed[fmt.Sprintf("leaderworkerset-worker-%d", i)], composed[fmt.Sprintf("schedulinggroup-worker-%d", i)]
		if set == nil || group == nil {
			t.Fatalf("replica %d lacks its LeaderWorkerSet or its PodGroup", i)
		}
		template := as(t, set, &lwsv1.LeaderWorkerSet{}).Spec.LeaderWorkerTemplate
		want := schedulingv1beta1.Spec{
			SchedulingPolicy:      schedulingv1beta1.SchedulingPolicy{Gang: &schedulingv1beta1.Gang{MinCount: *template.Size}},
			SchedulingConstraints: &schedulingv1beta1.SchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: rack}}},
			DisruptionMode:        &schedulingv1beta1.DisruptionMode{All: &struct{}{}},
		}
		if diff := cmp.Diff(want, as(t, group, &schedulingv1beta1.PodGroup{}).Spec); diff != "" {
			t.Errorf("PodGroup %s: -want, +got:\n%s", group.GetName(), diff)
		}
		for _, pods := range []*string{template.LeaderTemplate.Spec.SchedulingGroup.PodGroupName, template.WorkerTemplate.Spec.SchedulingGroup.PodGroupName} {
			if *pods != group.GetName() {
				t.Errorf("pods of %s name PodGroup %s", set.GetName(), *pods)
			}
		}
	}
}

// TestShard checks what docs/schedulers.md says of a shard of KAI: the label of a graph reaches the PodCliqueSet and all of its cliques, and the
// label of a component its own cliques.
func TestShard(t *testing.T) {
	const label = "kai.scheduler/node-pool"
	for name, tc := range map[string]struct {
		path []string
		want map[string]string
	}{
		"Graph":     {path: []string{"spec", "labels"}, want: map[string]string{"": "h100", "decode": "h100", "frontend": "h100", "prefill": "h100"}},
		"Component": {path: []string{"podTemplate", "metadata", "labels"}, want: map[string]string{"": "", "decode": "h100", "frontend": "", "prefill": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			graph := harness.Read(t, "examples/disagg-vllm.yaml")[0]
			components, _, _ := unstructured.NestedSlice(graph.Object, "spec", "components")
			labeled := graph.Object
			if name == "Component" {
				for _, component := range components {
					if c, ok := component.(map[string]any); ok && c["name"] == "Decode" {
						labeled = c
					}
				}
			}
			if err := unstructured.SetNestedStringMap(labeled, map[string]string{label: "h100"}, tc.path...); err != nil {
				t.Fatal(err)
			}
			if err := unstructured.SetNestedSlice(graph.Object, components, "spec", "components"); err != nil {
				t.Fatal(err)
			}
			out := harness.New(t).RenderAccepted(t, harness.Render{XR: harness.Write(t, graph), Cluster: harness.GroveKAI})
			set := as(t, byKey(out)["podcliqueset"], &grovev1alpha1.PodCliqueSet{})
			got := map[string]string{"": set.Labels[label]}
			for _, clique := range set.Spec.Template.Cliques {
				got[clique.Name] = clique.Labels[label]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("label %s of the PodCliqueSet and its cliques: -want, +got:\n%s", label, diff)
			}
		})
	}
}
