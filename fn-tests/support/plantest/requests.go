package plantest

import (
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// WithoutCapabilities is a caller before Crossplane v2.2.
func WithoutCapabilities() RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Meta.Capabilities = nil }
}

// WithObject delivers an object, or JSON, under the name of its requirement.
func WithObject(requirement string, object any) RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.RequiredResources[requirement] = Objects(object) }
}

// WithoutObject delivers that an object does not exist.
func WithoutObject(requirement string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.RequiredResources[requirement] = &fnv1.Resources{} }
}

// WithKAIQueue delivers the KAI queue that the graph uses.
func WithKAIQueue() RequestOption {
	return WithObject("kai-queue", Named("scheduling.run.ai/v2", "Queue", "dynamo"))
}

// WithSchemaOf delivers under the name of its requirement whether a kind is served.
func WithSchemaOf(requirement string, served bool) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		schema := &fnv1.Schema{}
		if served {
			schema.OpenapiV3 = resource.MustStructJSON(`{"type":"object"}`)
		}
		req.RequiredSchemas[requirement] = schema
	}
}

// WithTopologyBindings delivers whether ClusterTopologyBinding is served.
func WithTopologyBindings(served bool) RequestOption {
	return WithSchemaOf("schema-clustertopologybinding", served)
}

// WithLost delivers what is found of a graph that has lost its references: objects by the names of requirements. Nothing else
// exists, and no optional kind is served.
func WithLost(found map[string]any) RequestOption {
	names := strings.Fields("apiservice-resource-nvidia apiservice-resource apiservice-inference apiservice-istio apiservice-gateway-api " + requirementPolicy +
		" lost-podcliqueset-llama lost-deployment-llama-frontend lost-deployment-llama-worker")
	for _, kind := range kinds.ComposedNames() {
		names = append(names, "lost-"+strings.ToLower(kind))
	}
	return func(req *fnv1.RunFunctionRequest) {
		for _, name := range names {
			if _, given := req.GetRequiredResources()[name]; !given {
				WithoutObject(name)(req)
			}
		}
		for name, object := range found {
			WithObject(name, object)(req)
		}
		WithSchemaOf("schema-scalingadapter", false)(req)
		WithSchemaOf("schema-snapshotjob", false)(req)
	}
}

// WithMistake gives a component of the graph a field that its type does not have.
func WithMistake(component, field string, value any) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		components := tree.At(req.GetObserved().GetComposite().GetResource(), "spec", "services")
		tree.At(components, component).Fields[field] = Struct(map[string]any{field: value}).GetFields()[field]
	}
}

// WithInputText sets the input of the step, JSON.
func WithInputText(input string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Input = Struct(input) }
}
