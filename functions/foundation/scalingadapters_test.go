package foundation

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// TestScalingAdapters shows whose number of replicas an adapter has.
func TestScalingAdapters(t *testing.T) {
	const spec = `{"services":{"Worker":{"replicas":2,"scalingAdapter":{"enabled":true}},"Other":{"scalingAdapter":{"enabled":true}}}}`
	plan := steptest.OnGrove(t, map[string]graphplan.Service{"Worker": {Discovery: "etcd", DynamoNamespace: "n", ScalingAdapter: true}, "Other": {Discovery: "etcd", DynamoNamespace: "n"}})
	adapter := func(replicas string) map[string]string {
		return map[string]string{"scalingadapter-worker": `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter",
			"metadata":{"name":"llama-worker","namespace":"inference",
				"labels":{"nvidia.com/dynamo-component":"Worker","nvidia.com/dynamo-graph-deployment-name":"llama"}},
			"spec":{` + replicas + `"dgdRef":{"name":"llama","serviceName":"Worker"}}}`}
	}
	observing := func(object string) *fnv1.RunFunctionRequest {
		req := steptest.Request(spec, plan)
		req.Observed.Resources = map[string]*fnv1.Resource{"scalingadapter-worker": {Resource: resource.MustStructJSON(object)}}
		return req
	}
	compareParts(t, "scalingadapter-", map[string]partCase{
		"New": {
			reason: "An adapter begins with the replicas of the graph. A service for which the plan has none gets none.",
			req:    steptest.Request(spec, plan),
			want:   adapter(`"replicas":2,`),
		},
		"Absent": {
			reason: "A service without a number has one replica.",
			req:    steptest.Request(`{"services":{"Worker":{"scalingAdapter":{"enabled":true}}}}`, plan),
			want:   adapter(`"replicas":1,`),
		},
		"Scaled": {
			reason: "An adapter that exists decides itself: its controller brings the graph to its number.",
			req:    observing(`{"spec":{"replicas":5}}`),
			want:   adapter(`"replicas":5,`),
		},
		"ScaledToZero": {
			reason: "An adapter that exists decides itself, also when its number is zero.",
			req:    observing(`{"spec":{"replicas":0}}`),
			want:   adapter(`"replicas":0,`),
		},
		"OwnedByAnAutoscaler": {
			reason: "A number that somebody else set is not even repeated: it may be old already.",
			req: observing(`{"metadata":{"managedFields":[{"manager":"kube-controller-manager","operation":"Update","subresource":"scale",
				"fieldsV1":{"f:spec":{"f:replicas":{}}}}]},"spec":{"replicas":5}}`),
			want: adapter(``),
		},
	})
}
