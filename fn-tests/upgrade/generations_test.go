package upgrade

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// withoutGenerations is a step of a build that knows no generations of workers: none is decided, and none is read of a revision. What another build
// has recorded stays.
type withoutGenerations struct{ pipeline.Function }

// RunFunction runs the step.
func (f withoutGenerations) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	recorded := map[string]*structpb.Value{}
	for hash, fields := range recordedIn(req.GetObserved()) {
		if generation, ok := fields["generation"]; ok {
			recorded[hash] = generation
			delete(fields, "generation")
		}
	}
	rsp, err := f.Function.RunFunction(ctx, req)
	delete(rsp.GetContext().GetFields()[contextKey].GetStructValue().GetFields(), "workerGeneration")
	for hash, fields := range recordedIn(rsp.GetDesired()) {
		if generation, ok := recorded[hash]; ok {
			fields["generation"] = generation
		}
	}
	return rsp, err //nolint:wrapcheck // It is the error of the step.
}

// recordedIn the revisions of a state are their components, by the hashes of their pods.
func recordedIn(state *fnv1.State) iter.Seq2[string, map[string]*structpb.Value] {
	return func(yield func(string, map[string]*structpb.Value) bool) {
		for key, resource := range state.GetResources() {
			if !strings.HasPrefix(key, "revision-") {
				continue
			}
			for _, component := range resource.GetResource().GetFields()["data"].GetStructValue().GetFields()["components"].GetStructValue().GetFields() {
				if fields := component.GetStructValue().GetFields(); !yield(fields["hash"].GetStringValue(), fields) {
					return
				}
			}
		}
	}
}

// distantly runs a function whose requests and responses a test changes.
func distantly(fn pipeline.Function) pipeline.Function {
	return pipeline.OverTheWire(withoutGenerations{fn})
}

// TestGenerations goes back from a build with generations of workers to one without, and forth again: what functions decide is no part of what
// the user has written, so pods only change when the user changes them, whether all workers then get another generation or not.
func TestGenerations(t *testing.T) {
	for _, cluster := range []string{"none", "lws-volcano", "grove-kai"} {
		t.Run(cluster, func(t *testing.T) {
			objects := harness.Read(t, "examples/cluster/"+cluster+".yaml")
			source := harness.Read(t, "examples/disagg-vllm.yaml")[0]
			onMains(t, source, func(_ string, main map[string]any) { main["image"] = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0" })
			l := &livingGraph{matrix: matrix{name: "disagg-vllm", cluster: cluster, source: source}, pipeline: pipelineOf(t, harness.Composition, nil), objects: objects}
			newer, older := build(written.Current(), false), build(written.Current(), false)
			for _, step := range []string{"plan", "revision"} {
				older[step] = distantly(older[step])
			}
			g := l.create(t, newer)
			first := generations(t, g)
			if len(first) != 1 || first[0] == "" {
				t.Fatalf("want workers with one generation, got %q", first)
			}
			l.keeps(t, g, older, "back")
			l.keeps(t, g, newer, "forth")

			edited := g.Clone()
			edited.Edit(editedPrefill(t, 1))
			l.reconcile(t, edited, older)
			if got := generations(t, edited); len(got) != 2 {
				t.Errorf("want one worker replaced by the build that knows no generations, got %q", got)
			}
			l.keeps(t, edited, newer, "forth after an edit with the older build")
			edited.Edit(editedPrefill(t, 2))
			l.reconcile(t, edited, newer)
			if got := generations(t, edited); len(got) != 1 || got[0] == "" || got[0] == first[0] {
				t.Errorf("want another generation of all workers after an edit, got %q", got)
			}
		})
	}
}

// editedPrefill is an edit of the worker for prefill.
func editedPrefill(t *testing.T, number int) func(xr *unstructured.Unstructured) {
	t.Helper()
	return func(xr *unstructured.Unstructured) {
		onMains(t, xr, func(kind string, main map[string]any) {
			if kind == "prefill" {
				main["env"] = []any{map[string]any{"name": "EDIT", "value": strconv.Itoa(number)}}
			}
		})
	}
}

// onMains does something to the main container of each component, of which it is told the type.
func onMains(t *testing.T, xr *unstructured.Unstructured, do func(kind string, main map[string]any)) {
	t.Helper()
	components, _, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
	for _, c := range components {
		component, _ := c.(map[string]any)
		containers, _, _ := unstructured.NestedSlice(component, "podTemplate", "spec", "containers")
		main, ok := containers[0].(map[string]any)
		if !ok {
			t.Fatalf("a component has no main container: %v", component)
		}
		do(fmt.Sprint(component["type"]), main)
		_ = unstructured.SetNestedSlice(component, containers, "podTemplate", "spec", "containers")
	}
	_ = unstructured.SetNestedSlice(xr.Object, components, "spec", "components")
}

// generations of the workers of a graph, sorted. An empty one is that of workers without.
func generations(t *testing.T, g *crossplane.Graph) []string {
	t.Helper()
	var all []string
	for _, object := range g.Objects() {
		value, err := structpb.NewStruct(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		if object.GetKind() != "ControllerRevision" {
			all = append(all, generationsIn(structpb.NewStructValue(value))...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// generationsIn all labels of workers.
func generationsIn(value *structpb.Value) []string {
	var all []string
	for _, element := range value.GetListValue().GetValues() {
		all = append(all, generationsIn(element)...)
	}
	fields := value.GetStructValue().GetFields()
	for _, field := range fields {
		all = append(all, generationsIn(field)...)
	}
	if kind := fields["nvidia.com/dynamo-component-type"].GetStringValue(); kind == "prefill" || kind == "decode" || kind == "worker" {
		all = append(all, fields["nvidia.com/dynamo-worker-hash"].GetStringValue())
	}
	return all
}
