package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPodLabels(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations string
		spec        string
		decision    graphplan.Component
		role        backend.Role
		want        map[string]string
	}{
		"Everything": {
			reason:      "Types, model, role and discovery each have their label.",
			annotations: `{}`,
			spec:        `{"services":{"S":{"componentType":"worker","subComponentType":"prefill","modelRef":{"name":"Qwen/Qwen3-0.6B"}}}}`,
			decision:    graphplan.Component{Discovery: graphplan.Kubernetes},
			role:        backend.RoleLeader,
			want: map[string]string{
				"nvidia.com/selector":                     "llama-s",
				"nvidia.com/dynamo-graph-deployment-name": "llama",
				"nvidia.com/dynamo-component":             "S",
				"nvidia.com/dynamo-namespace":             "inference-llama",
				"nvidia.com/metrics-enabled":              "true",
				"nvidia.com/dynamo-component-type":        "prefill",
				"nvidia.com/dynamo-sub-component-type":    "prefill",
				"nvidia.com/dynamo-base-model-hash":       "fb68f5a6",
				"nvidia.com/dynamo-discovery-backend":     "kubernetes",
				"nvidia.com/dynamo-discovery-enabled":     "true",
				"role":                                    "leader",
			},
		},
		"UsersLabels": {
			reason:      "Labels of the graph reach the pods below those of the service and of the pod metadata, and none of them can change whose pod it is.",
			annotations: `{}`,
			spec: `{"labels":{"a":"graph","b":"graph","c":"graph","nvidia.com/selector":"x"},"services":{"S":{
				"labels":{"b":"service","c":"service","nvidia.com/dynamo-component":"x"},
				"extraPodMetadata":{"labels":{"c":"pod","nvidia.com/dynamo-namespace":"x","nvidia.com/dynamo-graph-deployment-name":"x"}}}}}`,
			decision: graphplan.Component{Discovery: "etcd"},
			role:     backend.RoleMain,
			want: map[string]string{
				"a": "graph", "b": "service", "c": "pod",
				"nvidia.com/selector":                     "llama-s",
				"nvidia.com/dynamo-graph-deployment-name": "llama",
				"nvidia.com/dynamo-component":             "S",
				"nvidia.com/dynamo-namespace":             "inference-llama",
				"nvidia.com/metrics-enabled":              "true",
			},
		},
		"NoMetrics": {
			reason:      "Metrics can be switched off for the whole graph.",
			annotations: `{"nvidia.com/enable-metrics":"false"}`,
			spec:        `{"services":{"S":{}}}`,
			decision:    graphplan.Component{Discovery: "etcd"},
			role:        backend.RoleMain,
			want: map[string]string{
				"nvidia.com/selector":                     "llama-s",
				"nvidia.com/dynamo-graph-deployment-name": "llama",
				"nvidia.com/dynamo-component":             "S",
				"nvidia.com/dynamo-namespace":             "inference-llama",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, tc.spec, tc.annotations), tc.decision)
			if diff := cmp.Diff(tc.want, b.Build("S", tc.role, backend.GroveHosts{Component: "s"}).Labels); diff != "" {
				t.Errorf("%s\nlabels: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPodAnnotations(t *testing.T) {
	cases := map[string]struct {
		reason       string
		annotations  string
		spec         string
		orchestrator graphplan.Orchestrator
		want         map[string]string
	}{
		"KnownKeysOfTheMetadata": {
			reason: "Five known annotations of the graph's metadata reach its services, and no other.",
			annotations: `{"nvidia.com/enable-metrics":"true","nvidia.com/dynamo-discovery-backend":"kubernetes","nvidia.com/dynamo-kube-discovery-mode":"pod",
				"nvidia.com/dynamo-operator-origin-version":"1.0.0","nvidia.com/vllm-distributed-executor-backend":"mp",
				"nvidia.com/enable-grove":"true","other":"x"}`,
			spec:         `{"services":{"S":{}}}`,
			orchestrator: graphplan.Deployment,
			want: map[string]string{
				"nvidia.com/enable-metrics": "true", "nvidia.com/dynamo-discovery-backend": "kubernetes", "nvidia.com/dynamo-kube-discovery-mode": "pod",
				"nvidia.com/dynamo-operator-origin-version": "1.0.0", "nvidia.com/vllm-distributed-executor-backend": "mp",
			},
		},
		"EndpointPicker": {
			reason:       "Endpoint Pickers have no sidecar of a mesh.",
			annotations:  `{}`,
			spec:         `{"services":{"S":{"componentType":"epp"}}}`,
			orchestrator: graphplan.Deployment,
			want:         map[string]string{"sidecar.istio.io/inject": "false"},
		},
		"EndpointPickerInMesh": {
			reason:       "The user decides whether an Endpoint Picker has a sidecar.",
			annotations:  `{}`,
			spec:         `{"services":{"S":{"componentType":"epp","extraPodMetadata":{"annotations":{"sidecar.istio.io/inject":"true"}}}}}`,
			orchestrator: graphplan.Deployment,
			want:         map[string]string{"sidecar.istio.io/inject": "true"},
		},
		"Order": {
			reason:      "Pod metadata wins over the service, the service over the graph's metadata, and that over spec.annotations.",
			annotations: `{"nvidia.com/enable-metrics":"meta","nvidia.com/dynamo-kube-discovery-mode":"meta"}`,
			spec: `{"annotations":{"a":"graph","b":"graph","c":"graph","nvidia.com/enable-metrics":"graph"},"services":{"S":{
				"annotations":{"b":"service","c":"service","nvidia.com/dynamo-kube-discovery-mode":"service"},"extraPodMetadata":{"annotations":{"c":"pod"}}}}}`,
			orchestrator: graphplan.Deployment,
			want: map[string]string{
				"a": "graph", "b": "service", "c": "pod",
				"nvidia.com/enable-metrics": "meta", "nvidia.com/dynamo-kube-discovery-mode": "service",
			},
		},
		"DiscoveryOnGrove": {
			reason:       "On Grove each clique says how it is discovered.",
			annotations:  `{}`,
			spec:         `{"services":{"S":{}}}`,
			orchestrator: graphplan.Grove,
			want:         map[string]string{"nvidia.com/dynamo-discovery-backend": "etcd"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, tc.spec, tc.annotations), graphplan.Component{Discovery: "etcd"})
			b.Plan.Orchestrator = tc.orchestrator
			if diff := cmp.Diff(tc.want, b.Build("S", backend.RoleMain, nil).Annotations); diff != "" {
				t.Errorf("%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWorkloadMetadata shows what stands on a workload itself, as opposed to its pods.
func TestWorkloadMetadata(t *testing.T) {
	const full = `{"labels":{"a":"graph"},"annotations":{"x":"graph"},"services":{"S":{"labels":{"b":"service"},"annotations":{"y":"service"},
		"extraPodMetadata":{"labels":{"c":"pod"},"annotations":{"z":"pod"}},"modelRef":{"name":"Qwen/Qwen3-0.6B"}}}}`
	cases := map[string]struct {
		reason      string
		spec        string
		labels      map[string]string
		annotations map[string]string
	}{
		"Full": {
			reason: "Labels and annotations of pods are on the workload too, and the model is named.",
			spec:   full,
			labels: map[string]string{
				"a": "graph", "b": "service", "c": "pod",
				"nvidia.com/dynamo-component": "S", "nvidia.com/dynamo-graph-deployment-name": "llama",
				"nvidia.com/dynamo-namespace": "inference-llama", "nvidia.com/dynamo-base-model-hash": "fb68f5a6",
			},
			annotations: map[string]string{"x": "graph", "y": "service", "z": "pod", "nvidia.com/dynamo-base-model": "Qwen/Qwen3-0.6B"},
		},
		"Small": {
			reason: "Without settings a workload says whose it is.",
			spec:   `{"services":{"S":{}}}`,
			labels: map[string]string{
				"nvidia.com/dynamo-component": "S", "nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-namespace": "inference-llama",
			},
			annotations: map[string]string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, tc.spec, `{}`), graphplan.Component{})
			if diff := cmp.Diff(tc.labels, WorkloadLabels(b.Graph.Component("S"), b.Plan)); diff != "" {
				t.Errorf("%s\nWorkloadLabels(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.annotations, WorkloadAnnotations(b.Graph.Component("S"))); diff != "" {
				t.Errorf("%s\nWorkloadAnnotations(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
