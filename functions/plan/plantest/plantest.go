// Package plantest makes the graphs and requests with which step plan and its subjects are tested.
package plantest

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// Services of the graphs in tests.
const (
	Frontend = `"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0"}}}`
	Worker   = `"Worker":{"componentType":"worker","resources":{"limits":{"gpu":"1"}},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0",
		"command":["python3","-m","dynamo.vllm"],"args":["--model","m"]}}}`
	Multinode = `"Worker":{"componentType":"worker","replicas":2,"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.5.0","command":["python3","-m","dynamo.vllm"],
		"args":["--model","m","--tensor-parallel-size","16"]}}}`
)

// Observed objects of the graph.
const (
	PodCliqueSet    = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{"cliques":[{"name":"frontend","spec":{"replicas":1,"minAvailable":1}}]}}}`
	LeaderWorkerSet = `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"}}`
	Deployment      = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"}}`
)

// GraphOf a spec, JSON, called llama in namespace inference.
func GraphOf(spec string) string { return Annotated(spec, `{}`) }

// Annotated is GraphOf with annotations, JSON.
func Annotated(spec, annotations string) string {
	return `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","uid":"u1","annotations":` + annotations + `},"spec":` + spec + `}`
}

// SpecOf services.
func SpecOf(bodies ...string) string {
	return `{"services":{` + strings.Join(bodies, ",") + `}}`
}

// WithStatus adds a status, JSON, to a graph.
func WithStatus(xr, status string) string {
	return strings.TrimSuffix(xr, "}") + `,"status":` + status + `}`
}

// RequestOption changes a request.
type RequestOption func(*fnv1.RunFunctionRequest)

// Request of a caller that can do everything and has looked up nothing yet.
func Request(xr string, options ...RequestOption) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES,
			fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
			fnv1.Capability_CAPABILITY_CONDITIONS,
			fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(xr)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{},
		RequiredSchemas:   map[string]*fnv1.Schema{},
	}
	for _, option := range options {
		option(req)
	}
	return req
}

// WithGroups delivers the API groups: those named are installed, the others are not.
func WithGroups(groups ...string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		for _, group := range []string{"grove", "lws", "volcano", "kai"} {
			req.RequiredResources["apiservice-"+group] = &fnv1.Resources{}
		}
		for _, group := range groups {
			req.RequiredResources["apiservice-"+group] = Objects(`{"kind":"APIService"}`)
		}
	}
}

// WithObserved adds an observed composed resource, JSON. A PodCliqueSet comes with the answer that Grove has made nothing
// from it yet.
func WithObserved(key, object string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object)}
		if key == "podcliqueset" {
			WithChildren(nil, nil)(req)
		}
	}
}

// WithChildren delivers the PodCliques and the PodCliqueScalingGroups, JSON, of the PodCliqueSet: each to the service that it
// runs. All others are looked up and not there.
func WithChildren(cliques, groups []string) RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		set, err := observed.PodCliqueSet(req.GetObserved().GetResources()["podcliqueset"].GetResource())
		if err != nil {
			return
		}
		for service, group := range observed.GroupsOf(set) {
			required, children := observed.RequiredChild(&graph.Graph{}, service, group), cliques
			if group {
				children = groups
			}
			delivered := &fnv1.Resources{}
			for _, child := range Objects(children...).GetItems() {
				if tree.Text(child.GetResource(), "name", "metadata") == "llama-0-"+service {
					delivered.Items = append(delivered.Items, child)
				}
			}
			req.RequiredResources[required.Name] = delivered
		}
	}
}

// Objects as they are delivered, from JSON.
func Objects(all ...string) *fnv1.Resources {
	out := &fnv1.Resources{}
	for _, object := range all {
		out.Items = append(out.Items, &fnv1.Resource{Resource: resource.MustStructJSON(object)})
	}
	return out
}

// WithRefs adds references to composed resources, where a modern or a legacy composite resource keeps them.
func WithRefs(xr string, legacy bool, refs string) string {
	if legacy {
		return strings.Replace(xr, `"spec":{`, `"spec":{"resourceRefs":`+refs+`,`, 1)
	}
	return strings.Replace(xr, `"spec":{`, `"spec":{"crossplane":{"resourceRefs":`+refs+`},`, 1)
}

// Decoded is a graph with a spec and annotations, JSON.
func Decoded(t *testing.T, spec, annotations string) *graph.Graph {
	t.Helper()
	g, errs := graph.Decode(&fnv1.RunFunctionRequest{
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(Annotated(spec, annotations))}},
	})
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs.ToAggregate())
	}
	return g
}

// Facts about the graph of a request, with the defaults of the input.
func Facts(t *testing.T, req *fnv1.RunFunctionRequest) *subject.Facts {
	t.Helper()
	g, errs := graph.Decode(req)
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs.ToAggregate())
	}
	in, errs := input.Read(req.GetInput())
	if len(errs) > 0 {
		t.Fatalf("cannot read the input: %v", errs.ToAggregate())
	}
	state, err := observed.Of(req)
	if err != nil {
		t.Fatalf("cannot read what is observed: %v", err)
	}
	return subject.Gather(g, in, state, require.New(req))
}
