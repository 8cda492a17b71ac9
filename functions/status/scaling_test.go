package status

import (
	"cmp"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestScaling shows that a graph is not ready between a change of its replicas and the end of the scaling, although all running pods are
// ready meanwhile.
func TestScaling(t *testing.T) {
	var (
		helper = &autoscalingv2.HorizontalPodAutoscaler{
			TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend-replicas"},
			Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: new(int32(4)), MaxReplicas: 4},
		}
		four   = v1alpha1.Service{Replicas: new(int32(4))}
		scaler = v1alpha1.Service{Replicas: new(int32(4)), Autoscaling: &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 8}}
	)
	// set is a PodCliqueSet whose template has this number of replicas of the frontend.
	set := func(replicas int32) *grovev1alpha1.PodCliqueSet {
		s := readySet()
		s.Spec.Template.Cliques = []grovev1alpha1.Clique{{Name: "frontend", Spec: grovev1alpha1.CliqueSpec{Replicas: replicas}}}
		return s
	}
	// plan in which Grove runs this number of replicas of the frontend, all of which are ready.
	plan := func(replicas int32) *graphplan.Plan { return planOf(withChild("Frontend", clique(replicas))) }
	// rolling is a plan in which Grove updates the frontend.
	rolling := func(replicas, updated int32, update graphplan.ChildUpdate) *graphplan.Plan {
		child := clique(replicas)
		child.UpdatedReplicas, child.Update = updated, &update
		return planOf(withChild("Frontend", child))
	}
	cases := map[string]struct {
		reason  string
		service v1alpha1.Service
		plan    *graphplan.Plan
		set     int32
		// observedSet is the number in the observed PodCliqueSet. If it is 0, it is the desired number.
		observedSet int32
		// desiredHelper and observedHelper are nil if there is none.
		desiredHelper, observedHelper any
		// coherent says that Grove updates the set with strategy Coherent.
		coherent bool
		want     string
	}{
		"Begins": {
			reason:  "The child has the old number, and nothing moves it yet.",
			service: four, plan: plan(2), set: 2, desiredHelper: helper,
			want: "llama: Frontend: is scaling from 2 to 4 replicas; HorizontalPodAutoscaler llama-frontend-replicas: not created yet",
		},
		"UnderWay": {
			reason:  "The helper has not moved the child yet.",
			service: four, plan: plan(2), set: 2, desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"GoesBack": {
			reason:  "A PodCliqueSet that has the number already says nothing of the child.",
			service: four, plan: plan(6), set: 4, desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 6 to 4 replicas",
		},
		"Held": {
			reason:  "A scale-in that Grove's rolling update holds back says so.",
			service: four, plan: rolling(6, 6, graphplan.ChildUpdate{}), set: 6, desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 6 to 4 replicas; Frontend: the scale-in is delayed until Grove's rolling update is complete",
		},
		"Deferred": {
			reason:  "A scaling that Grove refuses during a coherent update says so.",
			service: four, plan: plan(2), set: 2, coherent: true,
			want: "llama: Frontend: is scaling from 2 to 4 replicas when Grove's update is complete: it scales nothing during an update with strategy Coherent; " +
				"PodCliqueSet llama: a rolling update is in progress",
		},
		"Wedged": {
			reason:  "An update that a scale-in has wedged is told of, also when the child has the number of the graph.",
			service: four, plan: rolling(4, 2, graphplan.ChildUpdate{Selected: 3, Written: "2026-01-01T00:00:00Z"}), set: 4,
			want: "llama: Frontend: Grove's rolling update is waiting for pods that a scale-in deleted, so the service is scaled to 5 replicas until the update is complete; " +
				"Frontend: desired=4, updated=2 (PodClique llama-0-frontend); HorizontalPodAutoscaler llama-frontend-replicas: not created yet",
		},
		"Done": {
			reason:  "The child has the number, and only the helper is not gone yet.",
			service: four, plan: plan(4), set: 4, desiredHelper: helper, observedHelper: helper,
		},
		"SetMoves": {
			reason:  "The child has the number, and the PodCliqueSet gets it now: the graph would be ready for a moment, until Grove has yet to see that.",
			service: four, plan: plan(4), set: 4, observedSet: 2,
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"SetMovesOfAutoscaler": {
			reason:  "What an autoscaler does is not waited for.",
			service: scaler, plan: plan(4), set: 4, observedSet: 2,
		},
		"ByOthers": {
			reason:  "What somebody else scaled is as it should be.",
			service: four, plan: plan(9), set: 4,
		},
		"ByAutoscaler": {
			reason:  "What an autoscaler scaled is as it should be, whatever the numbers in the graph and in the set are.",
			service: scaler, plan: plan(7), set: 2,
		},
		"ChildrenUnknown": {
			reason:  "While the children are not known, the set tells that a scaling is pending.",
			service: four, plan: planOf(), set: 2,
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"ChildrenUnknownAndHelper": {
			reason:  "While the children are not known, the helper tells that a scaling is pending.",
			service: four, plan: planOf(), set: 4, desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling to 4 replicas",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			desired := set(tc.set)
			desired.Generation, desired.Status = 0, grovev1alpha1.PodCliqueSetStatus{}
			spec := v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": tc.service}}
			live := set(cmp.Or(tc.observedSet, tc.set))
			if tc.coherent {
				live.Spec.UpdateStrategy = &grovev1alpha1.UpdateStrategy{Type: "Coherent"}
				live.Status.UpdateProgress = &grovev1alpha1.UpdateProgress{UpdateStartedAt: &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}}
			}
			req := with(requestFor(spec, tc.plan), "podcliqueset", desired, live)
			if tc.desiredHelper != nil {
				req = with(req, "replicas-frontend", tc.desiredHelper, tc.observedHelper)
			}
			want := answer(req, allReady())
			if tc.want != "" {
				want = answer(req, soon(), notReadyFor("updating", "Resources not ready: "+tc.want))
			}
			got := run(t, req)
			if diff := gocmp.Diff(want.GetConditions(), got.GetConditions(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): conditions: -want, +got:\n%s", tc.reason, diff)
			}
			if ready := got.GetDesired().GetResources()["podcliqueset"].GetReady() == fnv1.Ready_READY_TRUE; ready != (tc.want == "") {
				t.Errorf("%s\nRunFunction(...): the PodCliqueSet is ready: %t", tc.reason, ready)
			}
		})
	}
}
