package gang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

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
			group := build(t, tc.spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Worker")), 0).PodGroup
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
