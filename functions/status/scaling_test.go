package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestScaling holds that a graph is not ready between a change of its replicas and what comes of it, during which
// everything that runs is as it should be.
func TestScaling(t *testing.T) {
	const (
		helper  = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"llama-frontend-replicas"},"spec":{"minReplicas":4,"maxReplicas":4}}`
		four    = `"Frontend":{"replicas":4}`
		scaler  = `"Frontend":{"replicas":4,"autoscaling":{"enabled":true,"maxReplicas":8}}`
		without = ""
	)
	// set of as many replicas of the frontend, and its template.
	template := func(replicas string) string {
		return `"template":{"cliques":[{"name":"frontend","spec":{"replicas":` + replicas + `}}]}`
	}
	set := func(replicas string) string {
		return `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{` + template(replicas) + `}}`
	}
	// plan in which Grove runs as many replicas of the frontend, all of them ready.
	plan := func(replicas int32) string { return planOf(withChild("Frontend", clique(replicas))) }
	// rolling is a plan whose frontend Grove rolls.
	rolling := func(replicas, updated int32, update graphplan.ChildUpdate) string {
		child := clique(replicas)
		child.UpdatedReplicas, child.Update = updated, &update
		return planOf(withChild("Frontend", child))
	}
	cases := map[string]struct {
		reason                        string
		services, plan, set           string
		desiredHelper, observedHelper string
		// observedSet is the number in the PodCliqueSet as it is observed, if it is another.
		observedSet string
		want        string
	}{
		"Begins": {
			reason:   "The child has the old number, and nothing moves it yet.",
			services: four, plan: plan(2), set: "2", desiredHelper: helper, observedHelper: without,
			want: "llama: Frontend: is scaling from 2 to 4 replicas; HorizontalPodAutoscaler llama-frontend-replicas: not created yet",
		},
		"UnderWay": {
			reason:   "The helper has not moved the child yet.",
			services: four, plan: plan(2), set: "2", desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"GoesBack": {
			reason:   "A PodCliqueSet that has the number already says nothing of the child.",
			services: four, plan: plan(6), set: "4", desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 6 to 4 replicas",
		},
		"Held": {
			reason:   "A scale-in that Grove's rolling update holds back says so.",
			services: four, plan: rolling(6, 6, graphplan.ChildUpdate{}), set: "6", desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling from 6 to 4 replicas; Frontend: the scale-in is delayed until Grove's rolling update is complete",
		},
		"Wedged": {
			reason:   "An update that a scale-in has wedged is told of, also when the child has the number of the graph.",
			services: four, plan: rolling(4, 2, graphplan.ChildUpdate{Selected: 3, Written: "2026-01-01T00:00:00Z"}), set: "4",
			want: "llama: Frontend: Grove's rolling update is waiting for pods that a scale-in deleted, so the service is scaled to 5 replicas until the update is complete; " +
				"Frontend: desired=4, updated=2 (PodClique llama-0-frontend); HorizontalPodAutoscaler llama-frontend-replicas: not created yet",
		},
		"Done": {
			reason:   "The child has the number, and only the helper is not gone yet.",
			services: four, plan: plan(4), set: "4", desiredHelper: helper, observedHelper: helper,
		},
		"SetMoves": {
			reason:   "The child has the number, and the PodCliqueSet gets it now: the graph would be ready for a moment, until Grove has yet to see that.",
			services: four, plan: plan(4), set: "4", observedSet: "2",
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"SetMovesOfAutoscaler": {
			reason:   "What an autoscaler does is not waited for.",
			services: scaler, plan: plan(4), set: "4", observedSet: "2",
		},
		"ByOthers": {
			reason:   "What somebody else scaled is as it should be.",
			services: four, plan: plan(9), set: "4",
		},
		"ByAutoscaler": {
			reason:   "What an autoscaler scaled is as it should be, whatever the numbers in the graph and in the set are.",
			services: scaler, plan: plan(7), set: "2",
		},
		"ChildrenUnknown": {
			reason:   "While the children are not known, the set tells that a scaling is pending.",
			services: four, plan: planOf(), set: "2",
			want: "llama: Frontend: is scaling from 2 to 4 replicas",
		},
		"ChildrenUnknownAndHelper": {
			reason:   "While the children are not known, the helper tells that a scaling is pending.",
			services: four, plan: planOf(), set: "4", desiredHelper: helper, observedHelper: helper,
			want: "llama: Frontend: is scaling to 4 replicas",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.observedSet == "" {
				tc.observedSet = tc.set
			}
			observed := strings.Replace(readySet, `"spec":{`, `"spec":{`+template(tc.observedSet)+`,`, 1)
			req := with(request(tc.plan), "podcliqueset", set(tc.set), observed)
			req.Observed.Composite.Resource = resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
				"metadata":{"name":"llama","namespace":"inference","generation":3},"spec":{"services":{` + tc.services + `}}}`)
			if tc.desiredHelper != "" {
				req = with(req, "replicas-frontend", tc.desiredHelper, tc.observedHelper)
			}
			want := answer(req, allReady())
			if tc.want != "" {
				want = answer(req, soon(), notReadyFor("updating", "Resources not ready: "+tc.want))
			}
			got := run(t, req)
			if diff := cmp.Diff(want.GetConditions(), got.GetConditions(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): conditions: -want, +got:\n%s", tc.reason, diff)
			}
			if ready := got.GetDesired().GetResources()["podcliqueset"].GetReady() == fnv1.Ready_READY_TRUE; ready != (tc.want == "") {
				t.Errorf("%s\nRunFunction(...): the PodCliqueSet is ready: %t", tc.reason, ready)
			}
		})
	}
}
