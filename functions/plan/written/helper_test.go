package written

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// manifest of a graph, as JSON has it.
type manifest struct {
	name   string
	object map[string]any
}

// manifests are the examples, and the graph in which everything is written.
func manifests(t testing.TB) []manifest {
	t.Helper()
	path, err := filepath.Abs("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := []manifest{{"everything", harness.Read(t, path)[0].Object}}
	for _, example := range harness.ExamplesV1alpha1(t) {
		all = append(all, manifest{example.Name, harness.Read(t, example.XR)[0].Object})
	}
	return all
}

// decode a composite resource.
func decode(xr *structpb.Struct) (*graph.Graph, message.List) {
	return graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
}

// hashesOf an object on Grove, where most fields reach pods.
func hashesOf(t testing.TB, object map[string]any) map[string]graphplan.Written {
	t.Helper()
	return hashesIn(t, object, Current())
}

// hashesIn some formats.
func hashesIn(t testing.TB, object map[string]any, formats Formats) map[string]graphplan.Written {
	t.Helper()
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	xr := &structpb.Struct{}
	if err := xr.UnmarshalJSON(encoded); err != nil {
		t.Fatal(err)
	}
	g, errs := decode(xr)
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs)
	}
	for name, c := range g.Components {
		if c.WantsWeightServers() {
			g.RunWeightServers(name)
		}
		if container, _ := pod.RuntimeContainer(g.Component(name)); container != nil {
			g.RunRuntimeContainer(name)
		}
	}
	hashes, err := formats.Hash(g, onGrove(g))
	if err != nil {
		t.Fatal(err)
	}
	return hashes
}

// onGrove is a plan with something of everything that the hash takes from it.
func onGrove(g *graph.Graph) *graphplan.Plan {
	marks := map[string][]graphplan.RestartMark{}
	for name := range g.Components {
		marks[name] = []graphplan.RestartMark{{At: "first"}}
	}
	return &graphplan.Plan{
		Orchestrator: graphplan.Grove,
		Grove:        &graphplan.GrovePlan{SchedulerName: graphplan.KAIScheduler, Queue: "dynamo"},
		Restart:      &graphplan.Restart{ID: "first", Marks: marks},
	}
}

// fieldsOf a component that a format may lack, as in JSON.
func fieldsOf() []string {
	var names []string
	for field := range reflect.TypeFor[component]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "format" {
			names = append(names, name)
		}
	}
	return names
}
