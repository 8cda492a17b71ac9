package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestScalingAdapters shows where services get the adapter that they ask for.
func TestScalingAdapters(t *testing.T) {
	const (
		elsewhere = "spec.services[Frontend].scalingAdapter: has no effect: "
		kind      = "DynamoGraphDeploymentScalingAdapter"
		missing   = elsewhere + kind + " is not installed; install it together with its controller, or scale with replicas of the service"
		unknown   = elsewhere + "the version of Crossplane cannot detect whether " + kind + " is installed; if it is, set scalingAdapter.mode: Enabled in the input of step plan, or scale with replicas of the service"
		off       = elsewhere + "scaling adapters are disabled by the platform; scale with replicas of the service"
	)
	xr := plantest.GraphOf(plantest.SpecOf(strings.Replace(plantest.Frontend, `"componentType":"frontend"`, `"componentType":"frontend","scalingAdapter":{"enabled":true}`, 1)))
	deployed := conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed, and no service spans several nodes")
	planned := func(more string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"` + more + `}}}`)
	}
	with := []responseOption{deployed, noQueue(), planned(`,"scalingAdapter":true`)}
	without := func(warning string) []responseOption {
		return []responseOption{conditioned("Accepted", isTrue, "ValidWithWarnings", warning), deployed, noQueue(), planned(""), warningResult(warning)}
	}
	answer := func(asks, more []responseOption) *fnv1.RunFunctionResponse { return want(append(asks, more...)...) }
	groups, schema := []responseOption{asksForGroups()}, []responseOption{asksForGroups(), asksForAdapterSchema()}
	observed := plantest.WithObserved("scalingadapter-frontend", `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter","spec":{"replicas":3}}`)

	compare(t, map[string]responseCase{
		"Asked": {
			reason: "The API group is that of the graph itself, so the kind is asked for, and nothing is decided before the answer.",
			req:    plantest.Request(xr, plantest.WithGroups()),
			want:   want(schema...),
		},
		"Installed": {
			reason: "Where the kind is served, there are adapters.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(true)),
			want:   answer(schema, append([]responseOption{accepted()}, with...)),
		},
		"NotInstalled": {
			reason: "Where the kind is not served, a warning says so.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(false)),
			want:   answer(schema, without(missing)),
		},
		"Unknown": {
			reason: "A caller that cannot tell must not be made to fail on a kind that is not there.",
			req:    plantest.Request(xr, plantest.WithGroups(), withoutCapabilities()),
			want:   answer(append(groups, inOlderField()), without(unknown)),
		},
		"Enabled": {
			reason: "The platform can say that scaling adapters are installed.",
			req:    plantest.Request(xr, plantest.WithGroups(), withoutCapabilities(), withInput(`"scalingAdapter":{"mode":"Enabled"}`)),
			want:   answer([]responseOption{asksForGroups(), inOlderField()}, append([]responseOption{accepted()}, with...)),
		},
		"Disabled": {
			reason: "The platform can turn scaling adapters off.",
			req:    plantest.Request(xr, plantest.WithGroups(), withInput(`"scalingAdapter":{"mode":"Disabled"}`)),
			want:   answer([]responseOption{asksForGroups()}, without(off)),
		},
		"LiveUnknown": {
			reason: "An adapter that is there stays where nothing can be looked up.",
			req:    plantest.Request(xr, plantest.WithGroups(), withoutCapabilities(), observed),
			want:   answer([]responseOption{asksForGroups(), inOlderField()}, append([]responseOption{accepted()}, with...)),
		},
		"LiveNotFound": {
			reason: "An adapter that is there stays where a lookup says that its kind is not served.",
			req:    plantest.Request(xr, plantest.WithGroups(), withAdapterSchema(false), observed),
			want:   answer([]responseOption{asksForGroups(), asksForAdapterSchema()}, append([]responseOption{accepted()}, with...)),
		},
	})
}

func withAdapterSchema(served bool) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		schema := &fnv1.Schema{}
		if served {
			schema.OpenapiV3 = resource.MustStructJSON(`{"type":"object"}`)
		}
		req.RequiredSchemas["schema-scalingadapter"] = schema
	}
}

func asksForAdapterSchema() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		requirements(rsp)
		rsp.Requirements.Schemas = map[string]*fnv1.SchemaSelector{
			"schema-scalingadapter": {ApiVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeploymentScalingAdapter"},
		}
	}
}
