package scaling

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestPace shows what a component waits for between a change of its replicas and the end of the scaling.
func TestPace(t *testing.T) {
	four := v1alpha1.Service{Replicas: new(int32(4))}
	scaler := v1alpha1.Service{Replicas: new(int32(4)), Autoscaling: &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 8}}
	replicas := func(number int32) setChange {
		return func(set *grovev1alpha1.PodCliqueSet) { set.Spec.Template.Cliques[0].Spec.Replicas = number }
	}
	updating := child(4, &graphplan.ChildUpdate{Selected: 3, Written: longAgo})
	updating.UpdatedReplicas = 2
	cases := map[string]struct {
		reason  string
		service v1alpha1.Service
		child   *graphplan.Child

		// set and observedSet are the numbers in the desired and in the observed PodCliqueSet, and helped says that a helper is desired.
		set, observedSet int32
		helped           bool

		// coherent says that Grove updates the set with strategy Coherent.
		coherent bool
		want     []string
	}{
		"UnderWay":                 {reason: "The helper has not moved the child yet.", service: four, child: new(child(2, nil)), set: 2, observedSet: 2, helped: true, want: []string{"is scaling from 2 to 4 replicas"}},
		"GoesBack":                 {reason: "A PodCliqueSet that has the number already says nothing of the child.", service: four, child: new(child(6, nil)), set: 4, observedSet: 4, helped: true, want: []string{"is scaling from 6 to 4 replicas"}},
		"Held":                     {reason: "A scale-in that Grove's rolling update holds back says so.", service: four, child: new(child(6, &graphplan.ChildUpdate{})), set: 6, observedSet: 6, helped: true, want: []string{"is scaling from 6 to 4 replicas", waitsForUpdate}},
		"Deferred":                 {reason: "A scaling that Grove refuses during a coherent update says so.", service: four, child: new(child(2, nil)), set: 2, observedSet: 2, coherent: true, want: []string{"is scaling from 2 to 4 replicas when Grove's update is complete: it scales nothing during an update with strategy Coherent"}},
		"Wedged":                   {reason: "An update that a scale-in has wedged is told of, also when the child has the number of the graph.", service: four, child: &updating, set: 4, observedSet: 4, want: []string{"Grove's rolling update is waiting for pods that a scale-in deleted, so the component is scaled to 5 replicas until the update is complete"}},
		"Done":                     {reason: "The child has the number, and only the helper is not gone yet.", service: four, child: new(child(4, nil)), set: 4, observedSet: 4, helped: true},
		"SetMoves":                 {reason: "The child has the number, and the PodCliqueSet gets it now: the graph would be ready for a moment, until Grove has yet to see that.", service: four, child: new(child(4, nil)), set: 4, observedSet: 2, want: []string{"is scaling from 2 to 4 replicas"}},
		"SetMovesOfAutoscaler":     {reason: "What an autoscaler does is not waited for.", service: scaler, child: new(child(4, nil)), set: 4, observedSet: 2},
		"ByOthers":                 {reason: "What somebody else scaled is as it should be.", service: four, child: new(child(9, nil)), set: 4, observedSet: 4},
		"ByAutoscaler":             {reason: "What an autoscaler scaled is as it should be, whatever the numbers in the graph and in the set are.", service: scaler, child: new(child(7, nil)), set: 2, observedSet: 2},
		"ChildrenUnknown":          {reason: "While the children are not known, the set tells that a scaling is pending.", service: four, set: 2, observedSet: 2, want: []string{"is scaling from 2 to 4 replicas"}},
		"ChildrenUnknownAndHelper": {reason: "While the children are not known, the helper tells that a scaling is pending.", service: four, set: 4, observedSet: 4, helped: true, want: []string{"is scaling to 4 replicas"}},
	}
	now, err := time.Parse(time.RFC3339, clock)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &graphplan.Plan{Orchestrator: graphplan.Grove}
			if tc.child != nil {
				p.Children = map[string]graphplan.Child{"Worker": *tc.child}
			}
			live := podCliqueSet(func(set *grovev1alpha1.PodCliqueSet) {
				replicas(tc.observedSet)(set)
				if tc.coherent {
					set.Spec.UpdateStrategy = &grovev1alpha1.UpdateStrategy{Type: "Coherent"}
					rolls(set)
				}
			})
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": live}}}
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": podCliqueSet(replicas(tc.set))}}}
			if tc.helped {
				rsp.Desired.Resources["replicas-worker"] = helper(4, "")
			}
			waits, err := Pace(req, rsp, worker(tc.service).Graph(), p, now)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, waits["Worker"]); diff != "" {
				t.Errorf("%s\nPace(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
