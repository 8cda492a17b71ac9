package lws

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func setAt(t *testing.T, spec, i string) (*lwsv1.LeaderWorkerSet, *volcanov1beta1.PodGroup) {
	t.Helper()
	plan := planOf(byPodGroup, "Worker")
	set := find[lwsv1.LeaderWorkerSet](t, spec, plan, "leaderworkerset-worker-"+i)
	group := find[volcanov1beta1.PodGroup](t, spec, plan, "podgroup-worker-"+i)
	if set == nil || group == nil {
		t.Fatalf("there is no set or no gang %s", i)
	}
	return set, group
}

// TestPodGroup shows what is asked of the scheduler for all pods of a replica together.
func TestPodGroup(t *testing.T) {
	type asked struct {
		MinMember            int32
		Queue, PriorityClass string
		MinResources         map[string]string
	}
	four := func(fields string) string {
		return `{"services":{"Worker":{"multinode":{"nodeCount":4}` + fields + `}}}`
	}
	cases := map[string]struct {
		reason string
		spec   string
		want   asked
	}{
		"Nothing": {
			reason: "Pods that ask for nothing ask for nothing together.",
			spec:   four(""), want: asked{MinMember: 4, Queue: "team-a"},
		},
		"DefaultNodeCount": {
			reason: "A service without a number of nodes has two.",
			spec:   `{"services":{"Worker":{"multinode":{}}}}`, want: asked{MinMember: 2, Queue: "team-a"},
		},
		"PriorityClass": {
			reason: "The class of the pods is that of the gang.",
			spec:   four(`,"extraPodSpec":{"priorityClassName":"high"}`), want: asked{MinMember: 4, Queue: "team-a", PriorityClass: "high"},
		},
		"Requests": {
			reason: "Requests count once a pod.",
			spec:   four(`,"resources":{"requests":{"cpu":"1500m","memory":"10Gi","gpu":"8"},"limits":{"gpu":"8"}}`),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "6", "memory": "40Gi", "nvidia.com/gpu": "32"}},
		},
		"LimitsOnly": {
			reason: "The API server requests what only has a limit.",
			spec:   four(`,"resources":{"limits":{"cpu":"2","gpu":"8"}}`),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8", "nvidia.com/gpu": "32"}},
		},
		"Sidecars": {
			reason: "All containers of a pod count, as do init containers that keep running.",
			spec: four(`,"resources":{"requests":{"cpu":"1"}},"extraPodSpec":{
				"containers":[{"name":"log","image":"i","resources":{"limits":{"cpu":"500m"}}}],
				"initContainers":[{"name":"mesh","image":"i","restartPolicy":"Always","resources":{"requests":{"cpu":"250m"}}}]}`),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "7"}},
		},
		"SmallInitContainer": {
			reason: "Init containers run before the others, so only what is beyond those counts.",
			spec: four(`,"resources":{"requests":{"cpu":"2"}},"extraPodSpec":{
				"initContainers":[{"name":"download","image":"i","resources":{"requests":{"cpu":"1"}}}]}`),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8"}},
		},
		"LargeInitContainer": {
			reason: "The largest of the init containers is what counts where it asks for more than the containers.",
			spec: four(`,"resources":{"requests":{"cpu":"2"}},"extraPodSpec":{"initContainers":[
				{"name":"download","image":"i","resources":{"limits":{"cpu":"3","memory":"1Gi"}}},{"name":"unpack","image":"i","resources":{"requests":{"cpu":"1"}}}]}`),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "12", "memory": "4Gi"}},
		},
		"PodLevel": {
			reason: "Resources of the pod as a whole win over those of its containers.",
			spec:   four(`,"resources":{"requests":{"cpu":"2","memory":"1Gi"}},"extraPodSpec":{"resources":{"requests":{"cpu":"3"},"limits":{"cpu":"5"}}}`),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "12", "memory": "4Gi"}},
		},
		"PodLevelLimits": {
			reason: "A limit of the pod is requested where none of its containers requests anything.",
			spec:   four(`,"resources":{"requests":{"cpu":"2"}},"extraPodSpec":{"resources":{"limits":{"cpu":"5","memory":"1Gi"}}}`),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8", "memory": "4Gi"}},
		},
		"Overhead": {
			reason: "What the runtime itself needs counts.",
			spec:   four(`,"extraPodSpec":{"overhead":{"memory":"128Mi"}}`),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"memory": "512Mi"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, group := setAt(t, tc.spec, "0")
			got := asked{MinMember: group.Spec.MinMember, Queue: group.Spec.Queue, PriorityClass: group.Spec.PriorityClassName}
			if group.Spec.MinResources != nil {
				got.MinResources = amounts(*group.Spec.MinResources)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nPodGroup: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func amounts(list corev1.ResourceList) map[string]string {
	out := map[string]string{}
	for name, amount := range list {
		out[string(name)] = amount.String()
	}
	return out
}

// TestKeepPodGroups follows the gang of a replica that the graph no longer has.
func TestKeepPodGroups(t *testing.T) {
	const group = `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":{"name":"llama-worker-1","namespace":"inference"},"spec":{"minMember":2}}`
	const set = `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-1"},
		"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"llama-worker-1"}},"spec":{"containers":[]}}}}}`
	cases := map[string]struct {
		reason string
		found  []string
		want   bool
	}{
		"Leaving": {reason: "The pods of a gang are members until they are gone.", found: []string{set}, want: true},
		"Gone":    {reason: "A gang whose pods are gone goes."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := steptest.Request(worker(""), planOf(byPodGroup, "Worker"))
			req.Observed.Resources = composedAs(map[string]string{"podgroup-worker-1": group}).GetResources()
			found := &fnv1.Resources{}
			for _, object := range tc.found {
				found.Items = append(found.Items, &fnv1.Resource{Resource: resource.MustStructJSON(object)})
			}
			req.RequiredResources = map[string]*fnv1.Resources{"leaving-leaderworkerset": found}
			got, kept := run(t, req).GetDesired().GetResources()["podgroup-worker-1"]
			if kept != tc.want {
				t.Fatalf("%s\nRunFunction(...): kept is %t", tc.reason, kept)
			}
			if diff := cmp.Diff(resource.MustStructJSON(group), got.GetResource(), protocmp.Transform()); kept && diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
