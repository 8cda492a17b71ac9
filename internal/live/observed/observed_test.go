package observed_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// request in which a composite resource, JSON, and composed resources, objects or JSON by their keys, are observed.
func request(composite string, objects map[string]any) *fnv1.RunFunctionRequest {
	state := steptest.State(objects)
	state.Composite = &fnv1.Resource{Resource: resource.MustStructJSON(composite)}
	return &fnv1.RunFunctionRequest{Observed: state}
}

// setOf pods as a LeaderWorkerSet. Without a template of its own, the leader is like the workers.
func setOf(name string, leader *corev1.PodTemplateSpec, worker corev1.PodTemplateSpec) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{LeaderTemplate: leader, WorkerTemplate: worker}},
	}
}

// on a scheduler is a pod template.
func on(scheduler string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{SchedulerName: scheduler}}
}

func TestOf(t *testing.T) {
	labelled := metav1.ObjectMeta{Labels: map[string]string{"app": "x"}}
	ofWorker := corev1.PodTemplateSpec{ObjectMeta: labelled, Spec: corev1.PodSpec{SchedulerName: "b"}}
	type read struct {
		Components observed.Components
		Pods       map[string]observed.Pods
		Sets       []observed.LeaderWorkerSet
		Gangs      []observed.PodGroup
	}
	cases := map[string]struct {
		reason  string
		objects map[string]any
		want    read
	}{
		"Nothing": {
			reason: "A new graph has no objects.",
			want:   read{Components: observed.Components{}, Pods: map[string]observed.Pods{}},
		},
		"PodCliqueSet": {
			reason: "The cliques of a scaling group are the pods of one service.",
			objects: map[string]any{"podcliqueset": `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"template":{
				"cliques":[{"name":"frontend","spec":{"podSpec":{"schedulerName":"f"}}},{"name":"worker-ldr","spec":{"podSpec":{"schedulerName":"a"}}},
					{"name":"worker-wkr","labels":{"app":"x"},"spec":{"podSpec":{"schedulerName":"b"}}}],
				"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-ldr","worker-wkr"]}]}}}`},
			want: read{Components: observed.Components{}, Pods: map[string]observed.Pods{"frontend": {on("f")}, "worker": {on("a"), ofWorker}}},
		},
		"WeightServers": {
			reason: "Weight servers run no engine.",
			objects: map[string]any{"podcliqueset": `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"template":{
				"cliques":[{"name":"worker-gms-0","spec":{"podSpec":{"schedulerName":"w"}}},{"name":"worker","spec":{"podSpec":{"schedulerName":"a"}}}],
				"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-gms-0","worker"]}]}}}`},
			want: read{Components: observed.Components{}, Pods: map[string]observed.Pods{"worker": {on("a")}}},
		},
		"Deployment": {
			reason:  "A Deployment runs a service on one node.",
			objects: map[string]any{"deployment-frontend": `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"schedulerName":"f"}}}}`},
			want:    read{Components: observed.Components{"frontend": false}, Pods: map[string]observed.Pods{"frontend": {on("f")}}},
		},
		"LeaderWorkerSets": {
			reason: "Every set is read, and the pods of the first one stand for all.",
			objects: map[string]any{
				"leaderworkerset-worker-0": setOf("llama-worker-0", new(on("a")), ofWorker),
				"leaderworkerset-worker-1": setOf("llama-worker-1", nil, on("c")),
			},
			want: read{
				Components: observed.Components{"worker": true}, Pods: map[string]observed.Pods{"worker": {on("a"), ofWorker}},
				Sets: []observed.LeaderWorkerSet{
					{ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0"}, Component: "worker", Worker: labelled, SchedulerName: "b"},
					{ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-1"}, Component: "worker", SchedulerName: "c"},
				},
			},
		},
		"PodGroups": {
			reason: "The PodGroup of the first replica tells how all are packed.",
			objects: map[string]any{
				"podgroup-worker-0": `{"spec":{"queue":"q","networkTopology":{"mode":"hard","highestTierName":"rack"}}}`,
				"podgroup-worker-1": `{"spec":{"queue":"r"}}`,
			},
			want: read{
				Components: observed.Components{}, Pods: map[string]observed.Pods{},
				Gangs: []observed.PodGroup{{Component: "worker", Queue: "q", NetworkTopology: &graphplan.NetworkTopology{Mode: "hard", HighestTierName: "rack"}}},
			},
		},
		"NativePodGroups": {
			reason: "A PodGroup of Kubernetes has a label, where one of Volcano has a tier.",
			objects: map[string]any{
				"schedulinggroup-worker-0": `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PodGroup","spec":{"schedulingPolicy":{"gang":{"minCount":2}},
					"schedulingConstraints":{"topology":[{"key":"rack"}]},"priorityClassName":"important"}}`,
			},
			want: read{
				Components: observed.Components{}, Pods: map[string]observed.Pods{},
				Gangs: []observed.PodGroup{{Component: "worker", Native: true, TopologyKey: "rack"}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := observed.Of(request(`{}`, tc.objects))
			if err != nil {
				t.Fatalf("%s\nOf(...): %v", tc.reason, err)
			}
			got := read{Components: s.Components, Pods: s.Pods, Sets: s.LeaderWorkerSets, Gangs: s.PodGroups}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOfUnreadable shows that nothing is decided by half of what is observed.
func TestOfUnreadable(t *testing.T) {
	for key, object := range map[string]string{
		"podcliqueset":             `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"x"},"spec":"x"}`,
		"leaderworkerset-worker-0": `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"x"},"spec":"x"}`,
		"podgroup-worker-0":        `{"kind":"PodGroup","metadata":{"name":"x"},"spec":"x"}`,
		"deployment-frontend":      `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":"x"}`,
	} {
		if s, err := observed.Of(request(`{}`, map[string]any{key: object})); err == nil {
			t.Errorf("Of(...) with an unreadable %s: want an error, got %+v", key, s)
		}
	}
}

func TestReferences(t *testing.T) {
	const composite = `{"status":{"orchestrator":"Deployment"},"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"x",{}]},
		"resourceRefs":[{"apiVersion":"v1","kind":"Service","name":"b"}]}}`
	s, err := observed.Of(request(composite, map[string]any{"service-c": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"c"}}`}))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]observed.Reference{{{Kind: "Deployment.apps", Name: "a"}, {Kind: "."}, {Kind: "."}}, {{Kind: "Service.v1", Name: "b"}}}
	if diff := cmp.Diff(want, s.References); diff != "" {
		t.Errorf("Those of a modern composite resource come before those of a legacy one.\nReferences: -want, +got:\n%s", diff)
	}
	for _, known := range []observed.Reference{{Kind: "Deployment.apps", Name: "a"}, {Kind: "Service.v1", Name: "b"}, {Kind: "Service.v1", Name: "c"}} {
		if !s.Known()[known] {
			t.Errorf("An object is known by a reference or by being observed: want %v", known)
		}
	}
	if !s.Refers(observed.KindDeployment) || s.Refers(observed.KindPodGroup) {
		t.Error("Refers(...): want true for a Deployment and false for a PodGroup")
	}
}

func TestPodsOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		object any
		want   observed.Pods
	}{
		"WithLeader":    {reason: "The leader of a set comes before its workers.", object: setOf("x", new(on("a")), on("b")), want: observed.Pods{on("a"), on("b")}},
		"WithoutLeader": {reason: "A set whose leader is like its workers has one template.", object: setOf("x", nil, on("b")), want: observed.Pods{on("b")}},
		"NoWorkload":    {reason: "A Service has no pods of its own.", object: `{"apiVersion":"v1","kind":"Service"}`},
		"OtherGroup":    {reason: "Nothing is known of the pods of a kind that another group calls Deployment.", object: `{"apiVersion":"example.org/v1","kind":"Deployment","spec":{"template":{}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := observed.PodsOf(steptest.Struct(tc.object))
			if err != nil {
				t.Fatalf("%s\nPodsOf(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nPodsOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestComponentsOf shows which components of a PodCliqueSet span nodes: weight servers are on the nodes of their engines.
func TestComponentsOf(t *testing.T) {
	set := &grovev1alpha1.PodCliqueSet{Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{
		Cliques: []grovev1alpha1.Clique{
			{Name: "frontend"}, {Name: "one-gms-0"}, {Name: "one"}, {Name: "two-gms-0"}, {Name: "two-ldr"}, {Name: "two-gms-1"}, {Name: "two-wkr-1"}, {Name: "forced"},
		},
		ScalingGroups: []grovev1alpha1.ScalingGroup{
			{Name: "one", CliqueNames: []string{"one-gms-0", "one"}},
			{Name: "two", CliqueNames: []string{"two-gms-0", "two-ldr", "two-gms-1", "two-wkr-1"}},
			{Name: "forced", CliqueNames: []string{"forced"}},
		},
	}}}
	want := observed.Components{"frontend": false, "one": false, "two": true, "forced": false}
	if diff := cmp.Diff(want, observed.ComponentsOf(set)); diff != "" {
		t.Errorf("ServicesOf(...): -want, +got:\n%s", diff)
	}
}

// TestConfirmedReferences shows which references count, beside what the status and observed objects say about the graph.
func TestConfirmedReferences(t *testing.T) {
	kinds := []string{"PodCliqueSet.grove.io", "LeaderWorkerSet.leaderworkerset.x-k8s.io", "PodGroup.scheduling.volcano.sh", "Deployment.apps", "ComputeDomain.resource.nvidia.com", "VirtualService.networking.istio.io"}
	var refs []string
	for _, kind := range kinds {
		name, group, _ := strings.Cut(kind, ".")
		refs = append(refs, `{"apiVersion":"`+group+`/v1","kind":"`+name+`","name":"a"}`)
	}
	const (
		set        = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"a"}}`
		deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}}`
	)
	grove, lws, group, deploy, domain, route := kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]
	cases := map[string]struct {
		reason, status string
		observed       map[string]any
		want           []string
	}{
		"New":            {reason: "What a user writes into a new graph is no memory.", status: `{}`},
		"Grove":          {reason: "A graph on Grove has no workloads of others.", status: `{"orchestrator":"Grove","mnnvl":{"mode":"Disabled"}}`, want: []string{grove, route}},
		"LWS":            {reason: "A graph on LeaderWorkerSets has Deployments too.", status: `{"orchestrator":"LeaderWorkerSet","mnnvl":{"mode":"Auto"}}`, want: []string{lws, group, deploy, domain, route}},
		"Deployments":    {reason: "A graph on Deployments has nothing else.", status: `{"orchestrator":"Deployment","mnnvl":{"mode":"Disabled"}}`, want: []string{deploy, route}},
		"Unknown":        {reason: "An orchestrator that does not exist confirms nothing.", status: `{"orchestrator":"Slurm"}`},
		"Observed":       {reason: "Before there is a status, objects that the graph controls show what it runs on.", status: `{}`, observed: map[string]any{"podcliqueset": set}, want: []string{grove, domain, route}},
		"ObservedOthers": {reason: "They do not confirm those of another orchestrator.", status: `{}`, observed: map[string]any{"deployment-a": deployment}, want: []string{deploy, domain, route}},
		"OtherStep":      {reason: "An object of another step confirms nothing.", status: `{}`, observed: map[string]any{"gateway": deployment}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, at := range []string{`"spec":{"crossplane":{"resourceRefs":[` + strings.Join(refs, ",") + `]}}`, `"spec":{"resourceRefs":[` + strings.Join(refs, ",") + `]}`} {
				s, err := observed.Of(request(`{"status":`+tc.status+`,`+at+`}`, tc.observed))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, kind := range kinds {
					if s.Refers(kind) {
						got = append(got, kind)
					}
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s\nkinds that are referred to: -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}
