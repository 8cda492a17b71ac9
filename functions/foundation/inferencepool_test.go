package foundation

import (
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestInferencePool(t *testing.T) {
	onGrove := func(components ...string) string {
		return steptest.OnGrove(t, steptest.Components("etcd", components...), func(p *graphplan.Plan) { p.Serves = []string{"InferencePool"} })
	}
	byClass := func(components ...string) string {
		return steptest.OnGrove(t, steptest.Components("etcd", components...), func(p *graphplan.Plan) { p.Serves, p.PoolByClass = []string{"InferencePool"}, true })
	}
	pool := func(selector map[string]string) map[string]any {
		return map[string]any{"epp-inferencepool": &networking.InferencePool{
			TypeMeta: metav1.TypeMeta{APIVersion: "inference.networking.k8s.io/v1", Kind: "InferencePool"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-pool", Namespace: "inference", Labels: map[string]string{
				"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-component": "Pick", "nvidia.com/dynamo-component-type": "epp",
			}},
			Spec: networking.InferencePoolSpec{
				Selector: networking.PoolSelector{MatchLabels: selector}, TargetPorts: []networking.PoolPort{{Number: 8000}},
				EndpointPickerRef: networking.EndpointPickerRef{Kind: "Service", Name: "llama-pick", Port: networking.PoolPort{Number: 9002}},
			},
		}}
	}
	graph := func(services map[string]v1alpha1.Service) string {
		all := map[string]v1alpha1.Service{"Pick": {ComponentType: "epp"}}
		maps.Copy(all, services)
		return steptest.Spec(t, all)
	}
	compareParts(t, "epp-inferencepool", map[string]partCase{
		"Workers": {
			reason: "Pods of workers are picked from.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "worker"}, "B": {ComponentType: "worker"}, "F": {ComponentType: "frontend"}}), onGrove("Pick", "A", "B", "F")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-type": "worker", "nvidia.com/dynamo-namespace": "inference-llama"}),
		},
		"NoWorkers": {
			reason: "A graph without workers has a pool, since workers of another graph may be in the same Dynamo namespace.",
			req:    steptest.Request(graph(nil), onGrove("Pick")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-type": "worker", "nvidia.com/dynamo-namespace": "inference-llama"}),
		},
		"OtherType": {
			reason: "A pool of type worker would be empty for a graph whose workers are of type decode.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "decode"}}), onGrove("Pick", "A")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-type": "decode", "nvidia.com/dynamo-namespace": "inference-llama"}),
		},
		"Multinode": {
			reason: "Only the leader takes requests.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "worker", Multinode: &v1alpha1.Multinode{NodeCount: 2}}}), onGrove("Pick", "A")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-type": "worker", "nvidia.com/dynamo-namespace": "inference-llama", "role": "leader"}),
		},
		"Mixed": {
			reason: "Where workers have no label in common, they get one.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "prefill"}, "B": {ComponentType: "decode"}}), onGrove("Pick", "A", "B")),
			want:   pool(map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-inference-pool": "true"}),
		},
		"Class": {
			reason: "Prefill and decode workers have their class in common.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "prefill"}, "B": {ComponentType: "decode"}}), byClass("Pick", "A", "B")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-class": "worker", "nvidia.com/dynamo-namespace": "inference-llama"}),
		},
		"ClassOfLeaders": {
			reason: "Only the leader takes requests.",
			req:    steptest.Request(graph(map[string]v1alpha1.Service{"A": {ComponentType: "worker", Multinode: &v1alpha1.Multinode{NodeCount: 2}}}), byClass("Pick", "A")),
			want:   pool(map[string]string{"nvidia.com/dynamo-component-class": "worker", "nvidia.com/dynamo-namespace": "inference-llama", "role": "leader"}),
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(graph(nil), steptest.OnGrove(t, steptest.Components("etcd", "Pick"))),
			want:   map[string]any{},
		},
		"NoPicker": {
			reason: "Without a picker there is no pool.",
			req:    steptest.Request(`{"services":{"A":{"componentType":"worker"}}}`, onGrove("A")),
			want:   map[string]any{},
		},
	})
}
