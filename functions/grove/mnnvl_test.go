package grove

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestMNNVLAnnotations shows where the plan's annotations about multi-node NVLink are written.
func TestMNNVLAnnotations(t *testing.T) {
	const (
		auto  = "grove.io/auto-mnnvl"
		group = "grove.io/mnnvl-group"
	)
	type annotations map[string]string
	type written struct {
		Set, Frontend, ScalingGroup, Leader, Worker annotations
	}
	cases := map[string]struct {
		reason string
		// graph and worker are the annotations of the graph and of component Worker.
		graph, worker annotations
		plan          graphplan.GrovePlan
		want          written
	}{
		"None": {reason: "A plan that says nothing of NVLink domains adds no annotation."},
		"Composed": {
			reason: "Grove makes no domain where the domain is composed.", plan: graphplan.GrovePlan{AutoMNNVL: "disabled"},
			want: written{Set: annotations{auto: "disabled"}},
		},
		"OfTheGraph": {
			reason: "What the graph says of NVLink domains is the plan's to decide; other annotations stay.", graph: annotations{auto: "enabled", "note": "x"}, plan: graphplan.GrovePlan{AutoMNNVL: "disabled"},
			want: written{
				Set: annotations{auto: "disabled", "note": "x"}, Frontend: annotations{auto: "enabled", "note": "x"},
				Leader: annotations{auto: "enabled", "note": "x"}, Worker: annotations{auto: "enabled", "note": "x"},
			},
		},
		"NotOnTheSet": {
			reason: "A live set that never had the annotation cannot be given one; its pods keep what they have.", graph: annotations{auto: "disabled"},
			want: written{Frontend: annotations{auto: "disabled"}, Leader: annotations{auto: "disabled"}, Worker: annotations{auto: "disabled"}},
		},
		"Group": {
			reason: "The set has the group that all services share.", plan: graphplan.GrovePlan{MNNVLGroup: "default"},
			want: written{Set: annotations{group: "default"}},
		},
		"GroupsOfServices": {
			reason: "The group of a service is on its clique, or on its scaling group.", plan: graphplan.GrovePlan{MNNVLGroup: "default", MNNVLGroups: map[string]string{"Frontend": "none", "Worker": "w"}},
			want: written{Set: annotations{group: "default"}, Frontend: annotations{group: "none"}, ScalingGroup: annotations{group: "w"}},
		},
		"NearestWins": {
			reason: "What the graph's annotations bring to the cliques of a scaling group would win over the group's own.", graph: annotations{group: "g"}, plan: graphplan.GrovePlan{MNNVLGroup: "g", MNNVLGroups: map[string]string{"Worker": "none"}},
			want: written{
				Set: annotations{group: "g"}, Frontend: annotations{group: "g"}, ScalingGroup: annotations{group: "none"},
				Leader: annotations{group: "none"}, Worker: annotations{group: "none"},
			},
		},
		"PassedOn": {
			reason: "Where the platform leaves the group to the user, the user's annotations stay where they are.", graph: annotations{group: "g"}, worker: annotations{group: "w"}, plan: graphplan.GrovePlan{MNNVLGroup: "g"},
			want: written{Set: annotations{group: "g"}, Frontend: annotations{group: "g"}, Leader: annotations{group: "w"}, Worker: annotations{group: "w"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := steptest.JSON(t, v1alpha1.DynamoGraphDeploymentSpec{Annotations: tc.graph, Services: map[string]v1alpha1.Service{
				"Frontend": {}, "Worker": {Annotations: tc.worker, Multinode: &v1alpha1.Multinode{NodeCount: 2}},
			}})
			set := compose(t, spec, steptest.OnGrove(t, steptest.Components("etcd", "Frontend", "Worker"), func(p *graphplan.Plan) { p.Grove = &tc.plan }))
			got := written{Set: set.Annotations, ScalingGroup: set.Spec.Template.ScalingGroups[0].Annotations}
			for _, clique := range set.Spec.Template.Cliques {
				own := annotations(clique.Annotations)
				delete(own, "nvidia.com/dynamo-discovery-backend")
				if len(own) == 0 {
					own = nil
				}
				switch clique.Name {
				case "frontend":
					got.Frontend = own
				case "worker-ldr":
					got.Leader = own
				case "worker-wkr":
					got.Worker = own
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
