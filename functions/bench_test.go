package functions

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// BenchmarkStep runs each function from the bytes of a request to those of its response, as Crossplane sends them for a
// graph that has settled. The echo beside it, which copies what it is given, gets the same bytes.
func BenchmarkStep(b *testing.B) {
	for _, s := range scenarios(b) {
		b.Run(s.name, func(b *testing.B) {
			calls := s.calls(b)
			for i, fn := range Chain(logging.NewNopLogger()) {
				b.Run(fn.Name, func(b *testing.B) { runEncoded(b, calls[i:i+1], fn) })
			}
		})
	}
}

// BenchmarkChain runs all functions, and the echo as often, from bytes to bytes.
func BenchmarkChain(b *testing.B) {
	for _, s := range scenarios(b) {
		b.Run(s.name, func(b *testing.B) {
			calls, fns := s.calls(b), Chain(logging.NewNopLogger())
			b.Run("chain", func(b *testing.B) { runEncoded(b, calls, fns...) })
			b.Run("echo", func(b *testing.B) { runEncoded(b, calls, slices.Repeat([]server.Function{echo}, len(fns))...) })
		})
	}
}

// BenchmarkFused runs the fused function, and the echo once, from bytes to bytes.
func BenchmarkFused(b *testing.B) {
	for _, s := range scenarios(b) {
		b.Run(s.name, func(b *testing.B) {
			calls := s.calls(b)
			request := proto.CloneOf(calls[0].Request)
			for _, call := range calls {
				maps.Copy(request.GetRequiredResources(), call.Request.GetRequiredResources())
			}
			once := []crossplane.Call{{Request: request, Response: calls[len(calls)-1].Response}}
			b.Run("fused", func(b *testing.B) { runEncoded(b, once, Fused(logging.NewNopLogger())) })
			b.Run("echo", func(b *testing.B) { runEncoded(b, once, echo) })
		})
	}
}

// BenchmarkChainOverEcho calls all functions over gRPC, and the echo as often, one after the other. It reports the times of
// both, which part of a processor's time is, and the median of their ratios.
func BenchmarkChainOverEcho(b *testing.B) {
	for _, s := range scenarios(b) {
		b.Run(s.name, func(b *testing.B) {
			calls := s.calls(b)
			var clients, echoes []fnv1.FunctionRunnerServiceClient
			for _, fn := range Chain(logging.NewNopLogger()) {
				clients, echoes = append(clients, serve(b, fn)), append(echoes, serve(b, echo))
			}
			var measured, floor sample
			for b.Loop() {
				measured.take(func() { runAll(b, clients, calls) })
				floor.take(func() { runAll(b, echoes, calls) })
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(measured.wall), "chain-ms")
			b.ReportMetric(median(floor.wall), "echo-ms")
			b.ReportMetric(median(measured.cpu), "chain-cpu-ms")
			b.ReportMetric(median(floor.cpu), "echo-cpu-ms")
			b.ReportMetric(median(ratios(measured.wall, floor.wall)), "chain/echo")
			b.ReportMetric(mean(measured.cpu)/mean(floor.cpu), "chain/echo-cpu")
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
	functions := crossplane.Functions{}
	for _, fn := range Chain(logging.NewNopLogger()) {
		functions[fn.Name] = local{fn}
	}
	settled, err := pipeline.Settle(b.Context(), crossplane.NewGraph(s.graph, harness.Read(b, s.cluster)), functions)
	if err != nil {
		b.Fatalf("%s: %v", s.name, err)
	}
	return settled.Calls
}

// local calls a function without a network, with a copy of the request: a function may write into what it is given.
type local struct{ server.Function }

func (l local) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return l.Runner.RunFunction(ctx, proto.CloneOf(req))
}

// echo is the function that costs the least.
var echo = server.Function{Name: "echo", Runner: echoer{}}

type echoer struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (echoer) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, step.TTL), nil
}

// runEncoded runs one function for each call, from the bytes of the request to those of the response.
func runEncoded(b *testing.B, calls []crossplane.Call, fns ...server.Function) {
	b.Helper()
	requests := make([][]byte, len(calls))
	for i, c := range calls {
		data, err := proto.Marshal(c.Request)
		if err != nil {
			b.Fatal(err)
		}
		requests[i] = data
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, request := range requests {
			req := &fnv1.RunFunctionRequest{}
			if err := proto.Unmarshal(request, req); err != nil {
				b.Fatal(err)
			}
			rsp, err := fns[i].Runner.RunFunction(b.Context(), req) //nolint:gosec // There is a function for each call.
			if err != nil {
				b.Fatal(err)
			}
			if _, err := proto.Marshal(rsp); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(calls[len(calls)-1].Response.GetDesired().GetResources())), "objects")
}

// serve a function over gRPC for the length of a benchmark.
func serve(b *testing.B, fn server.Function) fnv1.FunctionRunnerServiceClient {
	b.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := lis.Addr().String()
	if err := lis.Close(); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, fn, server.Options{Network: "tcp", Address: address, Insecure: true, MaxRecvMessageSize: 64 << 20}, logging.NewNopLogger())
	}()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close()
		cancel()
		if err := <-done; err != nil {
			b.Errorf("cannot serve %s: %v", fn.Name, err)
		}
	})
	return fnv1.NewFunctionRunnerServiceClient(conn)
}

func runAll(b *testing.B, clients []fnv1.FunctionRunnerServiceClient, calls []crossplane.Call) {
	b.Helper()
	for i, call := range calls {
		if _, err := clients[i].RunFunction(b.Context(), call.Request); err != nil {
			b.Fatal(err)
		}
	}
}

// A sample holds the times of runs in milliseconds.
type sample struct{ wall, cpu []float64 }

func (s *sample) take(run func()) {
	cpu, start := processorTime(), time.Now()
	run()
	s.wall = append(s.wall, milliseconds(time.Since(start)))
	s.cpu = append(s.cpu, milliseconds(processorTime()-cpu))
}

func processorTime() time.Duration {
	usage := syscall.Rusage{}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func ratios(values, others []float64) []float64 {
	out := make([]float64, len(values))
	for i := range values {
		out[i] = values[i] / others[i]
	}
	return out
}
