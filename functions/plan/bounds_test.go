package plan_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// absurd is a graph of one service whose fields, and those of the spec, are edited.
func absurd(edit func(spec, service map[string]any)) *fnv1.RunFunctionRequest {
	service := map[string]any{
		"componentType": "worker",
		"extraPodSpec": map[string]any{"mainContainer": map[string]any{
			"image": "registry.example.org/runtime:1", "command": []any{"python3", "-m", "dynamo.vllm"},
		}},
	}
	spec := map[string]any{"services": map[string]any{"Worker": service}}
	edit(spec, service)
	req := plantest.Request(plantest.GraphOf(`{}`), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"))
	value, err := structpb.NewValue(spec)
	if err != nil {
		panic(err)
	}
	req.GetObserved().GetComposite().GetResource().Fields["spec"] = value
	return req
}

func list(n int, item func(i int) any) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = item(i)
	}
	return all
}

// nested n levels deep.
func nested(n int) any {
	var value any = map[string]any{"end": true}
	for range n {
		value = map[string]any{"a": value}
	}
	return value
}

// absurdity is an edit of a graph that is refused.
type absurdity struct {
	reason string
	edit   func(spec, service map[string]any)
	want   string
}

func absurdities() map[string]absurdity {
	multinode := func(service map[string]any, nodes float64) { service["multinode"] = map[string]any{"nodeCount": nodes} }
	return map[string]absurdity{
		"Replicas": {
			reason: "On LeaderWorkerSets each replica is an object.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e5; multinode(s, 2) },
			want: "spec.services: Invalid value: the objects of the graph take up 570.58 MiB, but Crossplane accepts at most 4 MiB from a function: " +
				"Worker 570.58 MiB (100000 replicas of 5.8 KiB); use fewer replicas, shorter args and envs, several graphs, or Grove, where replicas are a number instead of objects",
		},
		"MoreReplicas": {
			reason: "More than 100000 replicas are refused on every orchestrator.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e6 },
			want:   "spec.services[Worker].replicas: Invalid value: 1000000: must be at most 100000",
		},
		"BeyondInt64": {
			reason: "A number that no integer holds is refused as what it is.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e19; multinode(s, 1e19) },
			want:   "spec.services[Worker].multinode.nodeCount: Invalid value: 1e+19: must be a whole number, without a fraction\nspec.services[Worker].replicas: Invalid value: 1e+19: must be a whole number, without a fraction",
		},
		"Negative": {
			reason: "The numbers of replicas and nodes cannot be negative.",
			edit:   func(_, s map[string]any) { s["replicas"] = -1e6; multinode(s, -1e6) },
			want:   "spec.services[Worker].multinode.nodeCount: Invalid value: -1000000: must be at least 2; remove multinode for a single-node service\nspec.services[Worker].replicas: Invalid value: -1000000: must be at least 0",
		},
		"Nodes": {
			reason: "More nodes than any cluster has are refused.",
			edit:   func(_, s map[string]any) { multinode(s, 1e6) },
			want:   "spec.services[Worker].multinode.nodeCount: Invalid value: 1000000: must be at most 10000",
		},
		"GPUs": {
			reason: "The GPUs of a pod are limited, so that the total over replicas and nodes can be counted.",
			edit: func(_, s map[string]any) {
				s["resources"] = map[string]any{"limits": map[string]any{"gpu": "9000000000000000"}}
			},
			want: "spec.services[Worker].resources.limits.gpu: Invalid value: \"9P\": must be at most 10000",
		},
		"Variables": {
			reason: "A list is counted before it is read.",
			edit: func(_, s map[string]any) {
				s["envs"] = list(1e5, func(i int) any { return map[string]any{"name": fmt.Sprintf("V%d", i)} })
			},
			want: "spec.services[Worker].envs: Invalid value: has 100000 entries, but must have at most 10000; shorten it",
		},
		"Services": {
			reason: "Services are compared with each other, so a graph with far too many of them is checked for nothing else.",
			edit: func(spec, _ map[string]any) {
				services := map[string]any{}
				for i := range 100_000 {
					services[fmt.Sprintf("s%d", i)] = map[string]any{}
				}
				spec["services"] = services
			},
			want: "spec.services: Too many: 100000: must have at most 25 items",
		},
		"ServiceMore": {
			reason: "With a few services too many the other mistakes are reported as well.",
			edit: func(spec, s map[string]any) {
				services := map[string]any{}
				for i := range 25 {
					services[fmt.Sprintf("s%d", i)] = s
				}
				services["Worker"] = map[string]any{"replicas": -1, "extraPodSpec": s["extraPodSpec"]}
				spec["services"] = services
			},
			want: "spec.services: Too many: 26: must have at most 25 items\nspec.services[Worker].replicas: Invalid value: -1: must be at least 0",
		},
		"Labels": {
			reason: "The entries of an object are counted before it is read, as those of a list are.",
			edit: func(_, s map[string]any) {
				labels := map[string]any{}
				for i := range 100_000 {
					labels[fmt.Sprintf("l%d", i)] = "x"
				}
				s["labels"] = labels
			},
			want: "spec.services[Worker].labels: Invalid value: has 100000 entries, but must have at most 10000; shorten it",
		},
		"ManyLists": {
			reason: "Many short lists are refused as one long list is.",
			edit: func(_, s map[string]any) {
				s["extraPodSpec"] = map[string]any{"containers": list(2000, func(int) any {
					return map[string]any{"args": list(100, func(int) any { return "a" })}
				})}
			},
			want: "spec: Invalid value: must have at most 100000 values, where annotations, labels and environment variables of the graph count once for each service; shorten its lists",
		},
		"Deep": {
			reason: "What is nested deeper than anything that is known is not looked into. The path is shortened.",
			edit:   func(_, s map[string]any) { s["extraPodSpec"] = map[string]any{"affinity": nested(3000)} },
			want:   "spec.services[Worker].extraPodSpec.affinity.a.a.a.a.a.a.a.a[...]: Invalid value: is nested more than 64 levels deep; flatten it",
		},
		"DeepInLists": {
			reason: "Lists that are nested too deeply are refused as objects are.",
			edit: func(_, s map[string]any) {
				value := []any{}
				for range 100 {
					value = []any{value}
				}
				s["eppConfig"] = map[string]any{"config": value}
			},
			want: "spec.services[Worker].eppConfig.config[0][0][0][0][0][0][0][0][...]: Invalid value: is nested more than 64 levels deep; flatten it",
		},
		"LongKey": {
			reason: "A key is part of paths, and so of messages.",
			edit:   func(_, s map[string]any) { s["labels"] = map[string]any{strings.Repeat("x", 1<<20): "x"} },
			want:   "spec.services[Worker].labels." + strings.Repeat("x", 64) + "...: Invalid value: the key has 1048576 characters, but must have at most 1024; shorten it",
		},
		"LongText": {
			reason: "Texts are matched and compared.",
			edit:   func(_, s map[string]any) { s["componentType"] = strings.Repeat("x", 1<<20) },
			want:   "spec.services[Worker].componentType: Invalid value: has 1048576 characters, but must have at most 262144; shorten it, or let pods mount a long text from a ConfigMap",
		},
	}
}

// TestManyRankedNodes holds that nodes with pod templates of their own are counted before anything is made of each of them, or compared with
// all others.
func TestManyRankedNodes(t *testing.T) {
	const (
		services = 25
		enough   = 32 << 20
	)
	changes := make([]plantest.GraphChange, 0, services)
	for i := range services {
		changes = append(changes, plantest.Service(fmt.Sprintf("%c", 'a'+i), plantest.ServiceOf("worker", "python3", "-m", "dynamo.vllm"), plantest.WithGPUs("8"), plantest.WithNodes(10_000),
			func(s *v1alpha1.Service) {
				s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true, Mode: v1alpha1.ShareInterPod}
			}))
	}
	req := whole.WithFreeNames(t, plantest.Request(plantest.Graph(changes...), plantest.WithGroups("grove")))
	var rsp *fnv1.RunFunctionResponse
	allocated := allocatedBy(func() { rsp = respond(t, req) })
	got := fatalsOf(rsp)
	want := "spec.services[a].multinode.nodeCount: Invalid value: 10000: the services with mode interPod must have at most 400 nodes in total, each of which has cliques of its own; " +
		"reduce it, or use intraPod"
	if len(got) != 1 || !strings.HasPrefix(got[0], want) || strings.Count(got[0], "\n") != services-1 {
		t.Errorf("want an error for each service such as %s, got %q", want, got)
	}
	if allocated > enough && !underRace {
		t.Errorf("want at most %d bytes to be allocated, got %d", enough, allocated)
	}
}

// TestAbsurd holds what a hostile or mistaken graph costs to what an ordinary one does.
func TestAbsurd(t *testing.T) {
	// Twice of what the largest takes.
	const enough = 1 << 20

	for name, tc := range absurdities() {
		t.Run(name, func(t *testing.T) {
			req := whole.WithFreeNames(t, absurd(tc.edit))
			var rsp *fnv1.RunFunctionResponse
			allocated := allocatedBy(func() { rsp = respond(t, req) })
			if got := fatalsOf(rsp); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%s\nwant %s, got %s", tc.reason, tc.want, got)
			}
			if allocated > enough && !underRace {
				t.Errorf("%s\nwant at most %d bytes to be allocated, got %d", tc.reason, enough, allocated)
			}
		})
	}
}

func BenchmarkAbsurd(b *testing.B) {
	for name, tc := range absurdities() {
		b.Run(name, func(b *testing.B) {
			req := whole.WithFreeNames(b, absurd(tc.edit))
			b.ReportAllocs()
			for b.Loop() {
				respond(b, req)
			}
		})
	}
}

// TestMistakes shows that the number of reported mistakes is limited.
func TestMistakes(t *testing.T) {
	rsp := run(t, absurd(func(spec, service map[string]any) {
		bad := list(9000, func(int) any { return map[string]any{"name": "=", "value": "x", "valueFrom": map[string]any{}} })
		spec["envs"], service["envs"] = bad, bad
	}))
	got := fatalsOf(rsp)
	if len(got) != 1 || len(got[0]) > 16<<10 || !strings.HasPrefix(got[0], "spec.envs[0].name: Invalid value") {
		t.Errorf("want one short message, got %s", got)
	}
	if last := "spec: Invalid value: 53950 more errors are not shown; fix these first"; !strings.Contains(got[0], last) {
		t.Errorf("want %q, got %s", last, got)
	}
	for _, c := range rsp.GetConditions() {
		if c.GetType() == condition.TypeAccepted && c.GetMessage() != got[0] {
			t.Errorf("want the condition to say what the result says, got %s", c.GetMessage())
		}
	}
}

// allocatedBy a call, in bytes: the least of some calls, since others may allocate beside it.
func allocatedBy(call func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		call()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

func fatalsOf(rsp *fnv1.RunFunctionResponse) []string {
	var messages []string
	for _, result := range rsp.GetResults() {
		if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			messages = append(messages, result.GetMessage())
		}
	}
	return messages
}
