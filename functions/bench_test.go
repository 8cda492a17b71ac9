package functions

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// BenchmarkStep runs each function from the bytes of a request to those of its response, as Crossplane sends them for a
// graph that has settled. fn-tests/bench measures all of them as processes, beside the floor and the fused function.
func BenchmarkStep(b *testing.B) {
	for _, s := range scenarios(b) {
		b.Run(s.name, func(b *testing.B) {
			calls := s.calls(b)
			for i, fn := range Chain(logging.NewNopLogger()) {
				b.Run(fn.Name, func(b *testing.B) { runEncoded(b, calls[i], fn) })
			}
		})
	}
}

// A scenario is one graph in one cluster.
type scenario struct {
	name    string
	graph   *unstructured.Unstructured
	cluster string
}

// scenarios to measure: real graphs where there are any, and graphs of many objects.
func scenarios(b *testing.B) []scenario {
	b.Helper()
	graphs := []struct{ name, corpus, example string }{
		{"small", "dynamo-docs-none-deployment-create-deployment-l302", "agg-vllm"},
		{"median", "dynamo-ex-sglang-gke-disagg-v20260102", "disagg-vllm"},
		{"largest", "dynamo-recipe-trtllm-deepseek-v32-fp4-disagg-kv-router-deploy", "sglang-multinode"},
	}
	var all []scenario
	for _, g := range graphs {
		path := filepath.Join(corpus(), g.corpus+".yaml")
		if _, err := os.Stat(path); err != nil {
			path = filepath.Join("examples", g.example+".yaml")
		}
		graph := harness.Read(b, path)[0]
		all = append(all, scenario{g.name + "-grove", graph, harness.GroveKAI}, scenario{g.name + "-lws", graph, harness.LWSVolcano})
	}
	// With a few more the response would be too large for Crossplane, and plan refuses the graph.
	for _, replicas := range []int64{1, 8, 24} {
		all = append(all, scenario{fmt.Sprintf("25x%d", replicas), manyReplicas(25, replicas), harness.LWSVolcano})
	}
	return all
}

func corpus() string {
	folder := os.Getenv("CONFIGURATION_DYNAMO_SHARED")
	if folder == "" {
		folder = filepath.Join(harness.Root(), "..", "shared")
	}
	return filepath.Join(folder, "corpus")
}

// manyReplicas is a graph of components that span nodes: two objects for each replica where LeaderWorkerSets run it.
func manyReplicas(components int, replicas int64) *unstructured.Unstructured {
	all := map[string]any{}
	for i := range components {
		all[fmt.Sprintf("Worker%d", i)] = map[string]any{
			"componentType": "worker",
			"replicas":      replicas,
			"multinode":     map[string]any{"nodeCount": int64(2)},
			"resources":     map[string]any{"limits": map[string]any{"gpu": "8"}},
			"extraPodSpec": map[string]any{"mainContainer": map[string]any{
				"image":   "example.com/sglang:1",
				"command": []any{"python3", "-m", "dynamo.sglang"},
				"args":    []any{"--model-path", "example/model", "--tp-size", "16"},
			}},
		}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
		"metadata": map[string]any{"name": "many", "namespace": "inference"},
		"spec":     map[string]any{"backendFramework": "sglang", "services": all},
	}}
}

// calls of one reconcile of the graph once nothing changes any more.
func (s scenario) calls(b *testing.B) []crossplane.Call {
	b.Helper()
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		b.Fatal(err)
	}
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	settled, err := pipeline.Settle(b.Context(), crossplane.NewGraph(s.graph, harness.Read(b, s.cluster)), functions)
	if err != nil {
		b.Fatalf("%s: %v", s.name, err)
	}
	return settled.Calls
}

// runEncoded runs a function from the bytes of a request to those of the response.
func runEncoded(b *testing.B, call crossplane.Call, fn server.Function) {
	b.Helper()
	request, err := proto.Marshal(call.Request)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		req := &fnv1.RunFunctionRequest{}
		if err := proto.Unmarshal(request, req); err != nil {
			b.Fatal(err)
		}
		rsp, err := fn.Runner.RunFunction(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := proto.Marshal(rsp); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(call.Response.GetDesired().GetResources())), "objects")
}
