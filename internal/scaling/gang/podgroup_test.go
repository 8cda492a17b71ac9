package gang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestPodGroup shows what is asked of the scheduler for all pods of a replica together.
func TestPodGroup(t *testing.T) {
	type asked struct {
		MinMember            int32
		Queue, PriorityClass string
		MinResources         map[string]string
	}
	four := func(changes ...steptest.ComponentChange) string {
		return steptest.Worker(t, append([]steptest.ComponentChange{steptest.WithNodes(4)}, changes...)...)
	}
	requesting := func(resources v1alpha1.ResourceList) steptest.ComponentChange {
		return func(s *v1alpha1.Service) { s.Resources = &v1alpha1.Resources{Requests: &resources} }
	}
	pod := func(spec corev1.PodSpec) steptest.ComponentChange {
		return steptest.WithPod(v1alpha1.ExtraPodSpec{PodSpec: spec})
	}
	quantity := func(amount string) *resource.Quantity { return new(resource.MustParse(amount)) }
	cpu := func(amount string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(amount)}
	}
	// container that requests, or is limited to, resources.
	container := func(name string, requests, limits corev1.ResourceList) corev1.Container {
		return corev1.Container{Name: name, Image: "i", Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}}
	}
	mesh := container("mesh", cpu("250m"), nil)
	mesh.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	withMemory := func(list corev1.ResourceList, amount string) corev1.ResourceList {
		list[corev1.ResourceMemory] = resource.MustParse(amount)
		return list
	}
	cases := map[string]struct {
		reason string
		spec   string
		want   asked
	}{
		"Nothing": {
			reason: "Pods that ask for nothing ask for nothing together.",
			spec:   four(), want: asked{MinMember: 4, Queue: "team-a"},
		},
		"DefaultNodeCount": {
			reason: "A service without a number of nodes has two.",
			spec:   `{"services":{"Worker":{"multinode":{}}}}`, want: asked{MinMember: 2, Queue: "team-a"},
		},
		"PriorityClass": {
			reason: "The class of the pods is that of the gang.",
			spec:   four(pod(corev1.PodSpec{PriorityClassName: "high"})), want: asked{MinMember: 4, Queue: "team-a", PriorityClass: "high"},
		},
		"Requests": {
			reason: "Requests count once a pod.",
			spec: four(func(s *v1alpha1.Service) {
				s.Resources = &v1alpha1.Resources{
					Requests: &v1alpha1.ResourceList{CPU: quantity("1500m"), Memory: quantity("10Gi"), GPU: quantity("8")},
					Limits:   &v1alpha1.ResourceList{GPU: quantity("8")},
				}
			}),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "6", "memory": "40Gi", "nvidia.com/gpu": "32"}},
		},
		"LimitsOnly": {
			reason: "The API server requests what only has a limit.",
			spec: four(func(s *v1alpha1.Service) {
				s.Resources = &v1alpha1.Resources{Limits: &v1alpha1.ResourceList{CPU: quantity("2"), GPU: quantity("8")}}
			}),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8", "nvidia.com/gpu": "32"}},
		},
		"Sidecars": {
			reason: "All containers of a pod count, as do init containers that keep running.",
			spec: four(requesting(v1alpha1.ResourceList{CPU: quantity("1")}), pod(corev1.PodSpec{
				Containers: []corev1.Container{container("log", nil, cpu("500m"))}, InitContainers: []corev1.Container{mesh},
			})),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "7"}},
		},
		"SmallInitContainer": {
			reason: "Init containers run before the others, so only what is beyond those counts.",
			spec: four(requesting(v1alpha1.ResourceList{CPU: quantity("2")}), pod(corev1.PodSpec{
				InitContainers: []corev1.Container{container("download", cpu("1"), nil)},
			})),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8"}},
		},
		"LargeInitContainer": {
			reason: "The largest of the init containers is what counts where it asks for more than the containers.",
			spec: four(requesting(v1alpha1.ResourceList{CPU: quantity("2")}), pod(corev1.PodSpec{
				InitContainers: []corev1.Container{container("download", nil, withMemory(cpu("3"), "1Gi")), container("unpack", cpu("1"), nil)},
			})),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "12", "memory": "4Gi"}},
		},
		"PodLevel": {
			reason: "Resources of the pod as a whole win over those of its containers.",
			spec: four(requesting(v1alpha1.ResourceList{CPU: quantity("2"), Memory: quantity("1Gi")}), pod(corev1.PodSpec{
				Resources: &corev1.ResourceRequirements{Requests: cpu("3"), Limits: cpu("5")},
			})),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "12", "memory": "4Gi"}},
		},
		"PodLevelLimits": {
			reason: "A limit of the pod is requested where none of its containers requests anything.",
			spec: four(requesting(v1alpha1.ResourceList{CPU: quantity("2")}), pod(corev1.PodSpec{
				Resources: &corev1.ResourceRequirements{Limits: withMemory(cpu("5"), "1Gi")},
			})),
			want: asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"cpu": "8", "memory": "4Gi"}},
		},
		"Overhead": {
			reason: "What the runtime itself needs counts.",
			spec:   four(pod(corev1.PodSpec{Overhead: withMemory(corev1.ResourceList{}, "128Mi")})),
			want:   asked{MinMember: 4, Queue: "team-a", MinResources: map[string]string{"memory": "512Mi"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			group := build(t, tc.spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")), 0).PodGroup
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
