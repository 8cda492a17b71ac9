package api

import (
	"path/filepath"
	"regexp"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
)

// maxCalls is how often Crossplane calls a step whose requirements change.
const maxCalls = 5

// A world is the cluster and the platform of a graph.
type world struct {
	reason string

	// cluster is the file with the objects of the cluster.
	cluster string

	// input of step plan, JSON without braces.
	input string

	// base are the edits that adapt the graph to the world.
	base []edit

	// live is true if the graph is running.
	live bool

	// own mistakes are none, or others, elsewhere.
	own []mistake

	// everything is true if mistakes which can be made anywhere meet each other here.
	everything bool
}

// A player simulates Crossplane, which calls step plan.
type player struct {
	function *plan.Function

	// request for the graph without mistakes, which has everything that is required for it, and what that is.
	request  *fnv1.RunFunctionRequest
	required *fnv1.Requirements

	// objects of the cluster by kind and name.
	objects map[string]*fnv1.Resource
}

func newPlayer(t *testing.T, w world) *player {
	t.Helper()
	manifest := harness.Read(t, "fn-tests/api/testdata/mistakes/graph.yaml")[0]
	graph, err := structpb.NewStruct(manifest.Object)
	if err == nil {
		graph, err = apply(graph, w.base)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest.Object = graph.AsMap()

	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	// Calls of older versions of Crossplane are compared elsewhere.
	pipeline.Once = true
	input := `{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input"` + w.input + `}`
	if err := pipeline.Steps[0].Input.UnmarshalJSON([]byte(input)); err != nil {
		t.Fatal(err)
	}
	run := pipeline.Reconcile
	if w.live {
		run = pipeline.Settle
	}
	cluster := harness.Read(t, w.cluster)
	reconcile, err := run(t.Context(), crossplane.NewGraph(manifest, cluster), crossplane.InProcess(crossplane.Servers(logging.NewNopLogger())))
	if err != nil {
		t.Fatal(err)
	}
	p := &player{
		function: plan.NewFunction(logging.NewNopLogger()),
		request:  reconcile.Calls[0].Request, required: reconcile.Calls[0].Response.GetRequirements(),
		objects: map[string]*fnv1.Resource{},
	}
	for _, object := range cluster {
		fields, err := structpb.NewStruct(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		p.objects[object.GetKind()+"/"+object.GetName()] = &fnv1.Resource{Resource: fields}
	}
	return p
}

// messages with which the graph is refused after these edits. None: it is accepted. Unlike in Crossplane, a Fatal result does not end the
// lookup of requirements, because the messages that count are those of a graph with all requirements.
func (p *player) messages(t *testing.T, edits ...edit) []string {
	t.Helper()
	graph, err := apply(p.request.GetObserved().GetComposite().GetResource(), edits)
	if err != nil {
		t.Error(err)
		return nil
	}
	req := &fnv1.RunFunctionRequest{
		Meta: p.request.GetMeta(), Input: p.request.GetInput(),
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: graph}, Resources: p.request.GetObserved().GetResources()},
		RequiredResources: p.request.GetRequiredResources(), RequiredSchemas: p.request.GetRequiredSchemas(),
	}
	required := p.required
	for range maxCalls {
		rsp, err := p.function.RunFunction(t.Context(), req)
		if err != nil {
			t.Error(err)
			return nil
		}
		if delivered(rsp.GetRequirements(), required) {
			return refusal(rsp)
		}
		required = rsp.GetRequirements()
		p.deliver(t, req, required)
	}
	t.Errorf("%v: the requirements still change after %d calls", edits, maxCalls)
	return nil
}

// delivered reports whether all required objects were delivered.
func delivered(required, before *fnv1.Requirements) bool {
	for name, selector := range required.GetResources() {
		if !proto.Equal(selector, before.GetResources()[name]) {
			return false
		}
	}
	for name, selector := range required.GetSchemas() {
		if !proto.Equal(selector, before.GetSchemas()[name]) {
			return false
		}
	}
	return true
}

// size of an object, which differs between edits.
var size = regexp.MustCompile(`\d+(\.\d+)? [KM]iB|\d+ more`)

// held is the reason of the result that takes the place of a Fatal result while a refused graph that runs is held as it is.
const held = "Held"

// refusal contains the messages with which a graph is refused.
func refusal(rsp *fnv1.RunFunctionResponse) []string {
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL || result.GetReason() == held {
			return harness.Messages(size.ReplaceAllString(result.GetMessage(), "(size)"))
		}
	}
	return nil
}

// deliver what is required, as Crossplane does, whose lookup fails where a name is no part of a path.
func (p *player) deliver(t *testing.T, req *fnv1.RunFunctionRequest, requirements *fnv1.Requirements) {
	t.Helper()
	req.RequiredResources, req.RequiredSchemas = map[string]*fnv1.Resources{}, map[string]*fnv1.Schema{}
	for name, selector := range requirements.GetResources() {
		if len(content.IsPathSegmentName(selector.GetMatchName())) > 0 {
			t.Errorf("the step requires %s %q, which the API server cannot look up", selector.GetKind(), selector.GetMatchName())
		}
		found := &fnv1.Resources{}
		if object, ok := p.objects[selector.GetKind()+"/"+selector.GetMatchName()]; ok {
			found.Items = append(found.Items, object)
		}
		req.RequiredResources[name] = found
	}
	for name := range requirements.GetSchemas() {
		req.RequiredSchemas[name] = &fnv1.Schema{OpenapiV3: &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}}
	}
}
