package foundation

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func TestInferencePool(t *testing.T) {
	onGrove := func(services ...string) string {
		return steptest.OnGrove(t, steptest.Services("etcd", services...), func(p *graphplan.Plan) { p.Serves = []string{"InferencePool"} })
	}
	pool := func(selector string) map[string]string {
		return map[string]string{"epp-inferencepool": `{"apiVersion":"inference.networking.k8s.io/v1","kind":"InferencePool",
			"metadata":{"name":"llama-pool","namespace":"inference","labels":{"nvidia.com/dynamo-graph-deployment-name":"llama",
				"nvidia.com/dynamo-component":"Pick","nvidia.com/dynamo-component-type":"epp"}},
			"spec":{"selector":{"matchLabels":` + selector + `},"targetPorts":[{"number":8000}],
				"endpointPickerRef":{"kind":"Service","name":"llama-pick","port":{"number":9002}}}}`}
	}
	graph := func(services string) string {
		return `{"services":{"Pick":{"componentType":"epp"}` + services + `}}`
	}
	compareParts(t, "epp-inferencepool", map[string]partCase{
		"Workers": {
			reason: "Pods of workers are picked from.",
			req:    steptest.Request(graph(`,"A":{"componentType":"worker"},"B":{"componentType":"worker"},"F":{"componentType":"frontend"}`), onGrove("Pick", "A", "B", "F")),
			want:   pool(`{"nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}`),
		},
		"NoWorkers": {
			reason: "A graph without workers has a pool, since workers of another graph may be in the same Dynamo namespace.",
			req:    steptest.Request(graph(``), onGrove("Pick")),
			want:   pool(`{"nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}`),
		},
		"OtherType": {
			reason: "A pool of type worker would be empty for a graph whose workers are of type decode.",
			req:    steptest.Request(graph(`,"A":{"componentType":"decode"}`), onGrove("Pick", "A")),
			want:   pool(`{"nvidia.com/dynamo-component-type":"decode","nvidia.com/dynamo-namespace":"inference-llama"}`),
		},
		"Multinode": {
			reason: "Only the leader takes requests.",
			req:    steptest.Request(graph(`,"A":{"componentType":"worker","multinode":{"nodeCount":2}}`), onGrove("Pick", "A")),
			want:   pool(`{"nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama","role":"leader"}`),
		},
		"Mixed": {
			reason: "Where workers have no label in common, they get one.",
			req:    steptest.Request(graph(`,"A":{"componentType":"prefill"},"B":{"componentType":"decode"}`), onGrove("Pick", "A", "B")),
			want:   pool(`{"nvidia.com/dynamo-graph-deployment-name":"llama","nvidia.com/dynamo-inference-pool":"true"}`),
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(graph(``), steptest.OnGrove(t, steptest.Services("etcd", "Pick"))),
			want:   map[string]string{},
		},
		"NoPicker": {
			reason: "Without a picker there is no pool.",
			req:    steptest.Request(`{"services":{"A":{"componentType":"worker"}}}`, onGrove("A")),
			want:   map[string]string{},
		},
	})
}
