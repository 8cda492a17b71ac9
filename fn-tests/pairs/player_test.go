package pairs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pipeline"
)

// A world is where the graph is.
type world struct {
	reason string

	// cluster is the file of what there is.
	cluster string

	// input of step plan, JSON without braces.
	input string

	// base are the edits that fit the graph to the world.
	base []edit

	// live says that the graph runs.
	live bool

	// own mistakes are none, or others, elsewhere.
	own []mistake

	// everything says that mistakes which can be made anywhere meet each other here.
	everything bool
}

// A player of Crossplane calls step plan.
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
	manifest := harness.Read(t, "fn-tests/pairs/graph.yaml")[0]
	graph, err := structpb.NewStruct(manifest.Object)
	if err == nil {
		graph, err = apply(graph, w.base)
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest.Object = graph.AsMap()

	read, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	input := `{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input"` + w.input + `}`
	if err := read.Steps[0].Input.UnmarshalJSON([]byte(input)); err != nil {
		t.Fatal(err)
	}
	run := read.Reconcile
	if w.live {
		run = read.Settle
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

// messages with which the graph is refused after these edits; none where it is accepted.
func (p *player) messages(t *testing.T, edits ...edit) []string {
	t.Helper()
	graph, err := apply(p.request.GetObserved().GetComposite().GetResource(), edits)
	if err != nil {
		t.Error(err)
		return nil
	}
	req := &fnv1.RunFunctionRequest{
		Input:    p.request.GetInput(),
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: graph}, Resources: p.request.GetObserved().GetResources()},
	}
	caller := pipeline.Crossplane()
	caller.Tag = "tag"
	call, err := caller.Call(t.Context(), p.function, req, p.required, p)
	if err != nil {
		t.Errorf("%v: %v", edits, err)
		return nil
	}
	return refusal(call.Response)
}

var (
	// nextMessage is where the next one of joined messages begins: with the path of a field, or a word about the cluster.
	nextMessage = regexp.MustCompile(`; (annotation|metadata|multi-node|services|spec)\b`)

	// size of an object changes with what is edited.
	size = regexp.MustCompile(`\d+(\.\d+)? [KM]iB|\d+ more`)
)

// held is the reason of the result that takes the place of a Fatal result while a refused graph that runs is held as it is.
const held = "Held"

// refusal is why a graph is refused, message by message.
func refusal(rsp *fnv1.RunFunctionResponse) []string {
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL || result.GetReason() == held {
			return strings.Split(nextMessage.ReplaceAllString(size.ReplaceAllString(result.GetMessage(), "(size)"), "\n$1"), "\n")
		}
	}
	return nil
}

// Resources that selectors select, as Crossplane looks them up, which fails where a name is no part of a path.
func (p *player) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	all := make(map[string]*fnv1.Resources, len(selectors))
	for name, selector := range selectors {
		if proto.Equal(selector, p.required.GetResources()[name]) {
			all[name] = p.request.GetRequiredResources()[name]
			continue
		}
		if len(content.IsPathSegmentName(selector.GetMatchName())) > 0 {
			return nil, fmt.Errorf("the step requires %s %q, which the API server cannot look up", selector.GetKind(), selector.GetMatchName())
		}
		all[name] = &fnv1.Resources{}
		if object, ok := p.objects[selector.GetKind()+"/"+selector.GetMatchName()]; ok {
			all[name].Items = append(all[name].Items, object)
		}
	}
	return all, nil
}

// Schemas of kinds, which are all served.
func (p *player) Schemas(selectors map[string]*fnv1.SchemaSelector) map[string]*fnv1.Schema {
	all := make(map[string]*fnv1.Schema, len(selectors))
	for name, selector := range selectors {
		if proto.Equal(selector, p.required.GetSchemas()[name]) {
			all[name] = p.request.GetRequiredSchemas()[name]
			continue
		}
		all[name] = &fnv1.Schema{OpenapiV3: &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}}
	}
	return all
}
