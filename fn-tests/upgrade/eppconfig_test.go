package upgrade

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// withoutHash is a step of a build whose Endpoint Pickers have no hash of their configuration.
type withoutHash struct {
	fnv1.FunctionRunnerServiceServer
}

// RunFunction runs the step, and removes the hash.
func (f withoutHash) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := f.FunctionRunnerServiceServer.RunFunction(ctx, req)
	for _, resource := range rsp.GetDesired().GetResources() {
		removeHash(structpb.NewStructValue(resource.GetResource()))
	}
	return rsp, err //nolint:wrapcheck // It is the error of the step.
}

func removeHash(value *structpb.Value) {
	for _, element := range value.GetListValue().GetValues() {
		removeHash(element)
	}
	for _, field := range value.GetStructValue().GetFields() {
		removeHash(field)
	}
	delete(value.GetStructValue().GetFields(), metadata.AnnotationEPPConfigHash)
}

// buildWithoutHash is a build from before pickers had the hash.
func buildWithoutHash() crossplane.Functions {
	servers := crossplane.Servers(logging.NewNopLogger())
	servers["plan"] = plan.NewFunctionWith(logging.NewNopLogger(), written.Current()[:2])
	for _, name := range []string{"grove", "lws"} {
		servers[name] = withoutHash{servers[name]}
	}
	return crossplane.InProcess(servers)
}

// picked is a graph with an Endpoint Picker, whose configuration has a weight.
func picked() *unstructured.Unstructured {
	pod := func(image string) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "registry.example.org/" + image + ":1.3.0"}}}}
	}
	config := map[string]any{
		"plugins":            []any{map[string]any{"type": "queue-scorer", "parameters": map[string]any{"b": int64(1), "a": "x"}}},
		"schedulingProfiles": []any{map[string]any{"name": "default", "plugins": []any{map[string]any{"pluginRef": "queue-scorer", "weight": int64(1)}}}},
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "picked", "namespace": "inference"},
		"spec": map[string]any{"backendFramework": "vllm", "components": []any{
			map[string]any{"name": "Picker", "type": "epp", "eppConfig": map[string]any{"config": config}, "podTemplate": pod("picker")},
			map[string]any{"name": "Worker", "type": "worker", "podTemplate": pod("vllm")},
		}},
	}}
}

// weigh the plugin, as the user of the graph.
func weigh(weight int64) func(*unstructured.Unstructured) {
	return func(xr *unstructured.Unstructured) {
		components, _, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
		picker, _ := components[0].(map[string]any)
		_ = unstructured.SetNestedSlice(picker, []any{map[string]any{"name": "default", "plugins": []any{map[string]any{"pluginRef": "queue-scorer", "weight": weight}}}},
			"eppConfig", "config", "schedulingProfiles")
		_ = unstructured.SetNestedSlice(xr.Object, components, "spec", "components")
	}
}

// TestEPPConfig shows that an edit of the configuration of an Endpoint Picker replaces its pods, once its ConfigMap has the new content, and that an
// upgrade from a build whose pickers have no hash of it replaces none.
func TestEPPConfig(t *testing.T) {
	for _, cluster := range []string{"none", "grove-kai"} {
		t.Run(cluster, func(t *testing.T) {
			l := &livingGraph{
				matrix:   matrix{name: "picked", cluster: cluster, source: picked()},
				pipeline: compositiontest.Pipeline(t, harness.Composition, nil), objects: harness.Read(t, "examples/cluster/"+cluster+".yaml"),
			}
			older, newer := buildWithoutHash(), build(written.Current(), false)
			g := l.create(t, older)
			unedited := g.Clone()
			g.Edit(weigh(2))
			l.keeps(t, g, older, "an edit before there was a hash")
			for _, live := range []*crossplane.Graph{g, unedited} {
				l.keeps(t, live, newer, "forth")
				l.keeps(t, live, older, "back")
				l.keeps(t, live, newer, "forth again")
			}
			for _, weight := range []int64{3, 2, 3} {
				l.takes(t, g, newer, weight)
			}
			l.keeps(t, g, older, "back after an edit")
			l.keeps(t, g, newer, "forth after an edit")
		})
	}
}

// takes the weight that the user edits: first the ConfigMap, then the pods.
func (l *livingGraph) takes(t *testing.T, g *crossplane.Graph, with crossplane.Functions, weight int64) {
	t.Helper()
	before := l.pods(t, g)
	g.Edit(weigh(weight))
	if _, err := l.pipeline.Run(t.Context(), g, with); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, l.pods(t, g)); diff != "" {
		t.Errorf("weight %d: the pods may start before the ConfigMap has the configuration: -before, +after:\n%s", weight, diff)
	}
	l.reconcile(t, g, with)
	if cmp.Equal(before, l.pods(t, g)) {
		t.Errorf("weight %d: the picker runs with the configuration of before", weight)
	}
}
