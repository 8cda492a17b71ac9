package e2e

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
)

// A state of what runs a graph.
type state struct {
	// pods are the uids of those of each component.
	pods map[string]sets.Set[string]
	// workloads by kind and name.
	workloads map[string]runningWorkload
}

// A runningWorkload is an object that runs a component, and how often its spec was changed.
type runningWorkload struct {
	uid, component string
	generation     int64
}

// without the pods of a component.
func (s state) without(component string) state {
	pods := maps.Clone(s.pods)
	delete(pods, component)
	return state{pods: pods, workloads: s.workloads}
}

// A change of a graph, and what it does to pods.
type change struct {
	name  string
	apply func(g *unstructured.Unstructured)
	// renews these components, or all of them.
	renews    sets.Set[string]
	renewsAll bool
	// scales this component, if any.
	scales string
}

// check that pods and what runs them changed as the edit asks for, and not else.
func (c change) check(before, after state) error {
	var errs []error
	for component, pods := range before.pods {
		same, want := pods.Intersection(after.pods[component]).Len(), min(pods.Len(), after.pods[component].Len())
		if c.renewsAll || c.renews.Has(component) {
			want = 0
		}
		if same != want {
			errs = append(errs, fmt.Errorf("%d pods of %s are the same, want %d of %d", same, component, want, pods.Len()))
		}
	}
	for name, was := range before.workloads {
		is, there := after.workloads[name]
		deployment := strings.HasPrefix(name, "Deployment ")
		scaled := c.scales != "" && was.component == c.scales
		changes := int64(0)
		if c.renewsAll || c.renews.Has(was.component) || scaled && deployment {
			changes = 1
		}
		switch {
		case !there && (!scaled || deployment):
			errs = append(errs, fmt.Errorf("%s is lost", name))
		case there && is.uid != was.uid:
			errs = append(errs, fmt.Errorf("%s is another", name))
		case there && was.component != "" && is.generation-was.generation != changes:
			errs = append(errs, fmt.Errorf("%s was changed %d times, want %d", name, is.generation-was.generation, changes))
		}
	}
	return errors.Join(errs...)
}

func TestChangeCheck(t *testing.T) {
	before := state{
		pods: map[string]sets.Set[string]{"Frontend": sets.New("f"), chaosComponent: sets.New("d0", "d1")},
		workloads: map[string]runningWorkload{
			"Deployment g-frontend":        {uid: "1", component: "Frontend", generation: 1},
			"LeaderWorkerSet g-decode-0":   {uid: "2", component: chaosComponent, generation: 4},
			"Deployment g-decode":          {uid: "3", component: chaosComponent, generation: 2},
			"LeaderWorkerSet g-frontend-0": {uid: "4", component: "Frontend", generation: 1},
		},
	}
	annotation, scaling := change{name: "annotation"}, change{name: "scaling", scales: chaosComponent}
	image := change{name: "image", renews: sets.New(chaosComponent)}
	cases := map[string]struct {
		reason string
		change change
		after  func(s state)
		// want is in the error; nothing is wrong where it is empty.
		want string
	}{
		"Nothing":       {reason: "What stays as it is has not changed.", change: annotation, after: func(state) {}},
		"PodRestarted":  {reason: "An edit that reaches no pod restarts none.", change: annotation, after: func(s state) { s.pods["Frontend"] = sets.New("x") }, want: "0 pods of Frontend are the same, want 1 of 1"},
		"PodLost":       {reason: "A scaling leaves the pods that stay.", change: scaling, after: func(s state) { s.pods[chaosComponent] = sets.New("x") }, want: "0 pods of Decode are the same, want 1 of 2"},
		"PodNotRenewed": {reason: "An image reaches all pods of its service.", change: image, after: func(s state) { s.pods[chaosComponent] = sets.New("d0", "x") }, want: "1 pods of Decode are the same, want 0 of 2"},
		"ObjectLost":    {reason: "No Deployment goes while its graph lives.", change: scaling, after: func(s state) { delete(s.workloads, "Deployment g-decode") }, want: "Deployment g-decode is lost"},
		"ScaledIn": {reason: "A LeaderWorkerSet goes with its replica.", change: scaling, after: func(s state) {
			delete(s.workloads, "LeaderWorkerSet g-decode-0")
			s.workloads["Deployment g-decode"] = runningWorkload{uid: "3", component: chaosComponent, generation: 3}
		}},
		"OtherObject": {reason: "An object that was created again is another.", change: annotation, after: func(s state) {
			s.workloads["Deployment g-decode"] = runningWorkload{uid: "x", component: chaosComponent, generation: 2}
		}, want: "Deployment g-decode is another"},
		"ChangedTwice": {reason: "An image changes the spec of what runs its service once.", change: image, after: func(s state) {
			s.workloads["Deployment g-decode"] = runningWorkload{uid: "3", component: chaosComponent, generation: 4}
		}, want: "Deployment g-decode was changed 2 times, want 1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := state{pods: maps.Clone(before.pods), workloads: maps.Clone(before.workloads)}
			tc.after(after)
			err := tc.change.check(before, after)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("%s\ncheck(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
