package workload

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestCountFields shows that the counts of a component, which are written at a slower pace and updated while a graph is held, are all that the
// status of a component or a component has.
func TestCountFields(t *testing.T) {
	for _, status := range []any{v1alpha1.ServiceStatus{}, v1beta1.ComponentStatus{}} {
		var counts []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(status)) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if strings.HasSuffix(strings.ToLower(name), "replicas") {
				counts = append(counts, name)
			}
		}
		if diff := cmp.Diff(CountFields(), counts); diff != "" {
			t.Errorf("%T: -CountFields(), +fields of the API:\n%s", status, diff)
		}
	}
}

// some is the reason for which the operator has no more specific one.
const some = "some_resources_are_not_ready"

// objectCase is an observed object and its evaluation. The object is nil if it does not exist.
type objectCase struct {
	reason   string
	observed any
	want     Object
}

func compare(t *testing.T, judge func(*structpb.Struct) Object, cases map[string]objectCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, judge(encoded(t, tc.observed))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOf(t *testing.T) {
	up := graphplan.Child{Generation: 1, ObservedGeneration: new(int64(1)), SpecReplicas: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1, ScheduledReplicas: 1}
	down := graphplan.Child{Generation: 1, ObservedGeneration: new(int64(1)), SpecReplicas: 1, Replicas: 1, UpdatedReplicas: 1}
	zero := new(int32(0))
	one := new(int32(1))
	var (
		aClique = Counts{Replicas: 1, Updated: 1, Ready: one, Scheduled: one}
		aGroup  = Counts{Replicas: 1, Updated: 1, Available: one, Scheduled: one}
	)
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		children     map[string]graphplan.Child
		component    string
		observed     map[string]any
		want         Workload
	}{
		"Deployment": {
			reason: "A service has one Deployment.", orchestrator: graphplan.Deployment, component: "Frontend",
			observed: map[string]any{"deployment-frontend": deploymentUp()},
			want: Workload{
				Kind: "Deployment", Names: []string{"llama-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: one, Available: one},
				Ready: true, Settled: true,
			},
		},
		"DeploymentFailed": {
			reason: "A Deployment that has failed is reported.", orchestrator: graphplan.LeaderWorkerSet, component: "Frontend",
			observed: map[string]any{"deployment-frontend": deploymentStuck()},
			want: Workload{
				Kind: "Deployment", Names: []string{"llama-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: zero, Available: zero}, Settled: true, Failed: true,
				Waiting: []string{"Deployment llama-frontend: its progress deadline was exceeded, 0 of 1 replicas are available"}, Reason: some,
			},
		},
		"LeaderWorkerSets": {
			reason: "A multinode service has one LeaderWorkerSet for each replica, and its counts are their sums.", orchestrator: graphplan.LeaderWorkerSet, component: "Worker",
			observed: map[string]any{"leaderworkerset-worker-0": setUp(), "leaderworkerset-worker-1": setUp(), "deployment-frontend": deploymentStuck()},
			want: Workload{
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0", "llama-worker-1"}, Counts: Counts{Replicas: 2, Updated: 2, Ready: new(int32(2))},
				Ready: true, Settled: true,
			},
		},
		"OneIsMissing": {
			reason: "All LeaderWorkerSets of a service must be ready.", orchestrator: graphplan.LeaderWorkerSet, component: "Worker",
			observed: map[string]any{"leaderworkerset-worker-1": setUp()},
			want: Workload{
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0", "llama-worker-1"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: one}, Settled: true,
				Waiting: []string{"LeaderWorkerSet llama-worker-0: not created yet"}, Reason: some,
			},
		},
		"ScaledToZero": {
			reason: "A service without replicas is ready, and its status needs a name.", orchestrator: graphplan.LeaderWorkerSet, component: "Idle",
			want: Workload{Kind: "LeaderWorkerSet", Names: []string{"llama-idle-0"}, Counts: Counts{Ready: zero}, Ready: true, Settled: true},
		},
		"PodClique": {
			reason: "A single-node service is a PodClique.", orchestrator: graphplan.Grove, component: "Frontend",
			children: map[string]graphplan.Child{"Frontend": up}, observed: map[string]any{"podcliqueset": cliqueSetUp()},
			want: Workload{Kind: "PodClique", Names: []string{"llama-0-frontend"}, Counts: aClique, Ready: true, Settled: true},
		},
		"PodCliqueScalingGroup": {
			reason: "A multinode service is a PodCliqueScalingGroup.", orchestrator: graphplan.Grove, component: "Worker",
			children: map[string]graphplan.Child{"Worker": up}, observed: map[string]any{"podcliqueset": cliqueSetUp()},
			want: Workload{Kind: "PodCliqueScalingGroup", Names: []string{"llama-0-worker"}, Counts: aGroup, Ready: true, Settled: true},
		},
		"SetIsAvailableTooEarly": {
			reason: "Up to alpha.11 a PodCliqueSet may be available with no pod running: its children know better.", orchestrator: graphplan.Grove, component: "Frontend",
			children: map[string]graphplan.Child{"Frontend": down}, observed: map[string]any{"podcliqueset": cliqueSetUp()},
			want: Workload{
				Kind: "PodClique", Names: []string{"llama-0-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: zero, Scheduled: zero}, Settled: true,
				Waiting: []string{"scheduled but ready=0/1 (PodClique llama-0-frontend)"}, Reason: "pods_not_ready",
			},
		},
		"SetIsAvailableTooLate": {
			reason: "A PodCliqueSet may not be available yet with all pods running: its children know better.", orchestrator: graphplan.Grove, component: "Frontend",
			children: map[string]graphplan.Child{"Frontend": up}, observed: map[string]any{"podcliqueset": cliqueSetStarting()},
			want: Workload{Kind: "PodClique", Names: []string{"llama-0-frontend"}, Counts: aClique, Ready: true, Settled: true},
		},
		"Rolling": {
			reason: "A child that a rolling update has not reached looks ready.", orchestrator: graphplan.Grove, component: "Frontend",
			children: map[string]graphplan.Child{"Frontend": up}, observed: map[string]any{"podcliqueset": cliqueSetRolling()},
			want: Workload{Kind: "PodClique", Names: []string{"llama-0-frontend"}, Counts: aClique, Ready: true},
		},
		"ChildMissing": {
			reason: "Where other children are known, a child that is not known does not exist.", orchestrator: graphplan.Grove, component: "Frontend",
			children: map[string]graphplan.Child{"Worker": up}, observed: map[string]any{"podcliqueset": cliqueSetUp()},
			want: Workload{
				Kind: "PodClique", Names: []string{"llama-0-frontend"}, Settled: true,
				Waiting: []string{"resource not found (PodClique llama-0-frontend)"}, Reason: some,
			},
		},
		"NoChildKnown": {
			reason: "Where no child is known the PodCliqueSet's own word has to do.", orchestrator: graphplan.Grove, component: "Frontend",
			observed: map[string]any{"podcliqueset": cliqueSetUp()},
			want:     Workload{Kind: "PodClique", Names: []string{"llama-0-frontend"}, Ready: true, Settled: true},
		},
		"NothingThere": {
			reason: "Before anything is created nothing is ready.", orchestrator: graphplan.Grove, component: "Frontend",
			want: Workload{
				Kind: "PodClique", Names: []string{"llama-0-frontend"},
				Waiting: []string{"resource not found (PodClique llama-0-frontend)"}, Reason: some,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{Name: "llama", Namespace: "inference"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
				"Frontend": {},
				"Worker":   {Replicas: new(int32(2)), Multinode: &v1alpha1.Multinode{NodeCount: 2}},
				"Idle":     {Replicas: new(int32(0)), Multinode: &v1alpha1.Multinode{NodeCount: 2}},
			}})
			observed := map[string]*fnv1.Resource{}
			for key, object := range tc.observed {
				observed[key] = &fnv1.Resource{Resource: encoded(t, object)}
			}
			got := Of(g, &graphplan.Plan{Orchestrator: tc.orchestrator, Children: tc.children}, observed, tc.component)[tc.component]
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestStatus(t *testing.T) {
	w := Workload{
		Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0", "llama-worker-1"},
		Counts: Counts{Replicas: 4, Updated: 3, Ready: new(int32(2)), Available: new(int32(1)), Scheduled: new(int32(5))},
	}
	want := v1alpha1.ServiceStatus{
		ComponentKind: v1alpha1.ComponentKindLeaderWorkerSet, ComponentName: "llama-worker-0", ComponentNames: []string{"llama-worker-0", "llama-worker-1"},
		Replicas: 4, UpdatedReplicas: 3, ReadyReplicas: new(int32(2)), AvailableReplicas: new(int32(1)), ScheduledReplicas: new(int32(5)),
	}
	if diff := cmp.Diff(want, w.Status()); diff != "" {
		t.Errorf("Status(): -want, +got:\n%s", diff)
	}
}
