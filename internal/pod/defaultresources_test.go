package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDefaultResources(t *testing.T) {
	amounts := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}
	}
	both := graphplan.Resources{Requests: amounts("2", "8Gi"), Limits: amounts("4", "16Gi")}
	const all = `{"requests":{"cpu":"2","memory":"8Gi"},"limits":{"cpu":"4","memory":"16Gi"}}`
	cases := map[string]struct {
		reason   string
		body     string
		defaults graphplan.Resources
		// want are the resources of each container, in order.
		want string
	}{
		"Nothing": {
			reason: "A service without resources gets the defaults, of whatever type it is.",
			body:   `{}`, defaults: both, want: `[` + all + `]`,
		},
		"GPUs": {
			reason: "GPUs are neither CPU nor memory.",
			body:   `{"componentType":"worker","resources":{"limits":{"gpu":"8"}}}`, defaults: both,
			want: `[{"requests":{"cpu":"2","memory":"8Gi"},"limits":{"cpu":"4","memory":"16Gi","nvidia.com/gpu":"8"}}]`,
		},
		"Request": {
			reason: "A resource that the user requests gets no limit either, which may be less.",
			body:   `{"resources":{"requests":{"cpu":"8"}}}`, defaults: both,
			want: `[{"requests":{"cpu":"8","memory":"8Gi"},"limits":{"memory":"16Gi"}}]`,
		},
		"Limit": {
			reason: "A resource that the user limits gets no request either, which may be more.",
			body:   `{"extraPodSpec":{"mainContainer":{"resources":{"limits":{"memory":"1Gi"}}}}}`, defaults: both,
			want: `[{"requests":{"cpu":"2"},"limits":{"cpu":"4","memory":"1Gi"}}]`,
		},
		"Zero": {
			reason: "A user who requests nothing has said so.",
			body:   `{"resources":{"requests":{"cpu":"0"}}}`, defaults: both,
			want: `[{"requests":{"cpu":"0","memory":"8Gi"},"limits":{"memory":"16Gi"}}]`,
		},
		"Pod": {
			reason: "Containers have to fit into an amount for the pod as a whole.",
			body:   `{"extraPodSpec":{"resources":{"limits":{"cpu":"1"}}}}`, defaults: both,
			want: `[{"requests":{"memory":"8Gi"},"limits":{"memory":"16Gi"}}]`,
		},
		"Sidecars": {
			reason: "Only the main container gets defaults: a request of every sidecar would be too much.",
			body:   `{"extraPodSpec":{"containers":[{"name":"s","image":"i"}]},"frontendSidecar":{"image":"i"}}`, defaults: both,
			want: `[` + all + `,{},{}]`,
		},
		"RequestsOnly": {
			reason: "Nothing is copied between requests and limits.",
			body:   `{}`, defaults: graphplan.Resources{Requests: amounts("2", "8Gi")}, want: `[{"requests":{"cpu":"2","memory":"8Gi"}}]`,
		},
		"None": {reason: "Without defaults nothing is requested.", body: `{}`, want: `[{}]`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decodeComponent(t, tc.body), graphplan.Component{Discovery: "etcd"})
			b.Plan.DefaultResources = tc.defaults
			var got []corev1.ResourceRequirements
			for _, container := range b.Build("S", backend.RoleMain, nil).Spec.Containers {
				got = append(got, container.Resources)
			}
			if diff := cmp.Diff(parse(t, tc.want), tree(t, got)); diff != "" {
				t.Errorf("%s\nresources: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDefaultResourcesOfEngines shows that both engines of a pod with failover are main containers.
func TestDefaultResourcesOfEngines(t *testing.T) {
	b := planned(decodeComponent(t, `{"componentType":"worker","resources":{"limits":{"gpu":"1"}},"gpuMemoryService":{"enabled":true},"failover":{"enabled":true},
		"extraPodSpec":{"mainContainer":{"image":"i","command":["python3","-m","dynamo.vllm"]}}}`), graphplan.Component{Discovery: "etcd", Framework: "vllm"})
	b.Plan.DefaultResources = graphplan.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}
	got := map[string]string{}
	for _, container := range b.Build("S", backend.RoleMain, nil).Spec.Containers {
		got[container.Name] = container.Resources.Requests.Cpu().String()
	}
	if diff := cmp.Diff(map[string]string{"engine-0": "2", "engine-1": "2"}, got); diff != "" {
		t.Errorf("CPU of the containers: -want, +got:\n%s", diff)
	}
}
