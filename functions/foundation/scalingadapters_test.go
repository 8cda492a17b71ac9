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
	adapter := func(replicas, annotations string) map[string]string {
		return map[string]string{"scalingadapter-worker": `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter",
			"metadata":{"name":"llama-worker","namespace":"inference",` + annotations + `
				"labels":{"nvidia.com/dynamo-component":"Worker","nvidia.com/dynamo-graph-deployment-name":"llama"}},
			"spec":{` + replicas + `"dgdRef":{"name":"llama","serviceName":"Worker"}}}`}
	}
	began := func(replicas string) string {
		return `"annotations":{"dynamo.nvidia.com/graph-replicas":"` + replicas + `"},`
	}
	managed := func(annotations, managers string) string {
		return `{"metadata":{` + annotations + `"managedFields":[` + managers + `]},"spec":{"replicas":5}}`
	}
	const (
		crossplane = `{"manager":"apiextensions.crossplane.io/composed/a","operation":"Apply","fieldsV1":{"f:spec":{"f:replicas":{}}}}`
		autoscaler = `{"manager":"kube-controller-manager","operation":"Update","subresource":"scale","fieldsV1":{"f:spec":{"f:replicas":{}}}}`
	)
	observing := func(object string) *fnv1.RunFunctionRequest {
		req := steptest.Request(spec, plan)
		req.Observed.Resources = map[string]*fnv1.Resource{"scalingadapter-worker": {Resource: resource.MustStructJSON(object)}}
		return req
	}
	compareParts(t, "scalingadapter-", map[string]partCase{
		"New": {
			reason: "An adapter begins with the replicas of the graph. A service for which the plan has none gets none.",
			req:    steptest.Request(spec, plan),
			want:   adapter(`"replicas":2,`, began("2")),
		},
		"Absent": {
			reason: "A service without a number has one replica.",
			req:    steptest.Request(`{"services":{"Worker":{"scalingAdapter":{"enabled":true}}}}`, plan),
			want:   adapter(`"replicas":1,`, began("1")),
		},
		"Scaled": {
			reason: "An adapter that exists decides itself.",
			req:    observing(`{"spec":{"replicas":5}}`),
			want:   adapter(`"replicas":5,`, ""),
		},
		"ScaledToZero": {
			reason: "An adapter that exists decides itself, also when its number is zero.",
			req:    observing(`{"spec":{"replicas":0}}`),
			want:   adapter(`"replicas":0,`, ""),
		},
		"OwnedByAnAutoscaler": {
			reason: "A number that another client has set is not applied again, because it may be outdated already.",
			req:    observing(managed("", crossplane+","+autoscaler)),
			want:   adapter("", ""),
		},
		"Began": {
			reason: "The number that the graph had in the beginning stays recorded.",
			req:    observing(managed(began("3"), crossplane)),
			want:   adapter(`"replicas":5,`, began("3")),
		},
		"BeganOwnedByAnAutoscaler": {
			reason: "What is recorded does not depend on who owns the number.",
			req:    observing(managed(began("3"), autoscaler)),
			want:   adapter("", began("3")),
		},
		"WithoutEffect": {
			reason: "An adapter that was created before adapters had an effect and that was never scaled starts again with the number of the graph.",
			req:    observing(managed("", crossplane)),
			want:   adapter(`"replicas":2,`, began("2")),
		},
	})
}
