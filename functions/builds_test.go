package functions

import (
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// TestBuilds counts how often steps build pods in one request: for a new graph, and for one at rest, which has revisions.
func TestBuilds(t *testing.T) {
	example := func(name string) *unstructured.Unstructured {
		return harness.Read(t, filepath.Join("examples", name+".yaml"))[0]
	}
	large := manyReplicas(1, 6)
	if err := unstructured.SetNestedField(large.Object, strings.Repeat("x", 200<<10), "spec", "services", "Worker0", "annotations", "example.com/notes"); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		graph   *unstructured.Unstructured
		cluster string
		want    map[string]int
	}{
		"Deployments": {
			reason: "Step plan builds each of 2 pods once. The step that composes them builds them once more, because step plan decides a restart after that, and may be another process.",
			graph:  example("agg-vllm"), cluster: harness.LWSVolcano, want: map[string]int{"plan": 2, "lws": 2},
		},
		"MultinodeOnGrove": {
			reason: "Two of three components have 2 pods each: a leader and a worker.",
			graph:  example("sglang-multinode"), cluster: harness.GroveKAI, want: map[string]int{"plan": 5, "grove": 5},
		},
		"Replicas": {
			reason: "Each of 3 LeaderWorkerSets has 2 pods of its own, whose labels and restarts differ. Step plan only needs those of the first.",
			graph:  manyReplicas(1, 3), cluster: harness.LWSVolcano, want: map[string]int{"plan": 2, "lws": 6},
		},
		"Measured": {
			reason: "Of a graph that may be too large, step plan also measures a LeaderWorkerSet, whose pods belong to a gang.",
			graph:  large, cluster: harness.LWSVolcano, want: map[string]int{"plan": 4, "lws": 12},
		},
		"RoleTemplates": {
			reason: "Warnings about the pod template of a role are those of a graph that has it as the template of all roles, so there are 3 pods of both graphs.",
			graph:  example("role-templates"), cluster: harness.GroveKAI, want: map[string]int{"plan": 6, "grove": 3},
		},
		"EachReader": {
			reason: "All that is only known from pods is read from the same pod: names of generated volumes, GPUs for NVLink, ports of the node, probes, and how long it drains.",
			graph:  harness.Read(t, "functions/testdata/each-reader.yaml")[0], cluster: harness.GroveKAI, want: map[string]int{"plan": 1, "grove": 1},
		},
	}
	composition := harness.CompositionWithInput(t, "mnnvl: {mode: Auto}")
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			steps, err := crossplane.ReadPipeline(composition)
			if err != nil {
				t.Fatal(err)
			}
			steps.Once = true
			g := crossplane.NewGraph(tc.graph, append(harness.Read(t, tc.cluster), harness.Driver(t)...))
			created, err := steps.Reconcile(t.Context(), g, functions)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, buildsIn(t, created)); diff != "" {
				t.Errorf("%s\nRunFunction(...) of a new graph: -want, +got:\n%s", tc.reason, diff)
			}
			settled, err := steps.Settle(t.Context(), g, functions)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, buildsIn(t, settled)); diff != "" {
				t.Errorf("%s\nRunFunction(...) of a graph at rest: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// buildsIn the fused function, by step, for the request of a reconcile.
func buildsIn(t *testing.T, r *crossplane.Reconcile) map[string]int {
	t.Helper()
	req := proto.CloneOf(r.Calls[0].Request)
	for _, call := range r.Calls {
		maps.Copy(req.GetRequiredResources(), call.Request.GetRequiredResources())
	}
	rate := runtime.MemProfileRate
	defer func() { runtime.MemProfileRate = rate }()
	runtime.MemProfileRate = 1
	before := builds(t)
	rsp, err := Fused(logging.NewNopLogger()).Runner.RunFunction(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	runtime.MemProfileRate = rate
	if fatal := pipeline.Fatal(rsp); fatal != nil {
		t.Fatal(fatal)
	}
	all := builds(t)
	for step, count := range before {
		if all[step] -= count; all[step] == 0 {
			delete(all, step)
		}
	}
	return all
}

// stepOf a function of Go.
var stepOf = regexp.MustCompile(`/functions/([a-z]+)[./]`)

// builds of pods so far, by step. A builder has no counter. But each build makes a copy of the builder, which is in the profile of allocations.
func builds(t *testing.T) map[string]int {
	t.Helper()
	// The profile is as of the last but one garbage collection.
	runtime.GC()
	runtime.GC()
	size, _ := runtime.MemProfile(nil, true)
	records := make([]runtime.MemProfileRecord, 2*size)
	size, complete := runtime.MemProfile(records, true)
	if !complete {
		t.Fatal("the profile grows")
	}
	all := map[string]int{}
	for _, record := range records[:size] {
		var stack []string
		frames := runtime.CallersFrames(record.Stack())
		for more := true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			if !strings.HasPrefix(frame.Function, "runtime.") {
				stack = append(stack, frame.Function)
			}
		}
		if len(stack) < 2 || !strings.HasSuffix(stack[0], "/pod.(*Builder).of") || !strings.HasSuffix(stack[1], "/pod.(*Builder).build") {
			continue
		}
		for _, function := range stack {
			if step := stepOf.FindStringSubmatch(function); step != nil {
				all[step[1]] += int(record.AllocObjects)
				break
			}
		}
	}
	return all
}
