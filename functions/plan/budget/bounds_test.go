package budget_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// absurd is a graph of one component whose fields, and those of the spec, are edited.
func absurd(edit func(spec, component map[string]any)) *fnv1.RunFunctionRequest {
	component := map[string]any{
		"componentType": "worker",
		"extraPodSpec": map[string]any{"mainContainer": map[string]any{
			"image": "registry.example.org/runtime:1", "command": []any{"python3", "-m", "dynamo.vllm"},
		}},
	}
	spec := map[string]any{"services": map[string]any{"Worker": component}}
	edit(spec, component)
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
	edit   func(spec, component map[string]any)
	want   []plantest.Said
}

func absurdities() map[string]absurdity {
	multinode := func(component map[string]any, nodes float64) {
		component["multinode"] = map[string]any{"nodeCount": nodes}
	}
	return map[string]absurdity{
		"Replicas": {
			reason: "On LeaderWorkerSets each replica is an object.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e5; multinode(s, 2) },
			want:   plantest.Refused(subject.Mistake, rule.Size, "spec.components"),
		},
		"MoreReplicas": {
			reason: "More than 100000 replicas are refused on every orchestrator.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e6 },
			want:   plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Worker].replicas"),
		},
		"BeyondInt64": {
			reason: "A number that no integer holds is refused as what it is.",
			edit:   func(_, s map[string]any) { s["replicas"] = 1e19; multinode(s, 1e19) },
			want:   plantest.Refused(subject.Mistake, rule.WrongType, "spec.services[Worker].multinode.nodeCount", "spec.services[Worker].replicas"),
		},
		"Negative": {
			reason: "The numbers of replicas and nodes cannot be negative.",
			edit:   func(_, s map[string]any) { s["replicas"] = -1e6; multinode(s, -1e6) },
			want:   plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Worker].multinode.nodeCount", "spec.components[Worker].replicas"),
		},
		"Nodes": {
			reason: "More nodes than any cluster has are refused.",
			edit:   func(_, s map[string]any) { multinode(s, 1e6) },
			want:   plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Worker].multinode.nodeCount"),
		},
		"GPUs": {
			reason: "The GPUs of a pod are limited, so that the total over replicas and nodes can be counted.",
			edit: func(_, s map[string]any) {
				s["resources"] = map[string]any{"limits": map[string]any{"gpu": "9000000000000000"}}
			},
			want: plantest.Refused(subject.Mistake, rule.Devices, "spec.components[Worker].resources.limits.gpu"),
		},
		"Variables": {
			reason: "A list is counted before it is read.",
			edit: func(_, s map[string]any) {
				s["envs"] = list(1e5, func(i int) any { return map[string]any{"name": fmt.Sprintf("V%d", i)} })
			},
			want: plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].envs"),
		},
		"Services": {
			reason: "Services are compared with each other, so a graph with far too many of them is checked for nothing else.",
			edit: func(spec, _ map[string]any) {
				components := map[string]any{}
				for i := range 100_000 {
					components[fmt.Sprintf("s%d", i)] = map[string]any{}
				}
				spec["services"] = components
			},
			want: plantest.Refused(subject.Mistake, rule.Size, "spec.services"),
		},
		"ServiceMore": {
			reason: "With a few services too many the other mistakes are reported as well.",
			edit: func(spec, s map[string]any) {
				components := map[string]any{}
				for i := range 25 {
					components[fmt.Sprintf("s%d", i)] = s
				}
				components["Worker"] = map[string]any{"replicas": -1, "extraPodSpec": s["extraPodSpec"]}
				spec["services"] = components
			},
			want: slices.Concat(plantest.Refused(subject.Mistake, rule.Size, "spec.components"), plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Worker].replicas")),
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
			want: plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].labels"),
		},
		"ManyLists": {
			reason: "Many short lists are refused as one long list is.",
			edit: func(_, s map[string]any) {
				s["extraPodSpec"] = map[string]any{"containers": list(2000, func(int) any {
					return map[string]any{"args": list(100, func(int) any { return "a" })}
				})}
			},
			want: plantest.Refused(subject.Mistake, rule.Size, "spec"),
		},
		"Deep": {
			reason: "What is nested deeper than anything that is known is not looked into. The path is shortened.",
			edit:   func(_, s map[string]any) { s["extraPodSpec"] = map[string]any{"affinity": nested(3000)} },
			want:   plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].extraPodSpec.affinity.a.a.a.a.a.a.a.a[...]"),
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
			want: plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].eppConfig.config[0][0][0][0][0][0][0][0][...]"),
		},
		"LongKey": {
			reason: "A key is part of paths, and so of messages.",
			edit:   func(_, s map[string]any) { s["labels"] = map[string]any{strings.Repeat("x", 1<<20): "x"} },
			want:   plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].labels.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."),
		},
		"LongText": {
			reason: "Texts are matched and compared.",
			edit:   func(_, s map[string]any) { s["componentType"] = strings.Repeat("x", 1<<20) },
			want:   plantest.Refused(subject.Mistake, rule.Size, "spec.services[Worker].componentType"),
		},
	}
}

// TestManyRankedNodes holds that nodes with pod templates of their own are counted before anything is made of each of them, or compared with
// all others.
func TestManyRankedNodes(t *testing.T) {
	const (
		components = 25
		enough     = 32 << 20
	)
	changes := make([]plantest.GraphChange, 0, components)
	for i := range components {
		changes = append(changes, plantest.Component(fmt.Sprintf("%c", 'a'+i), plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), plantest.WithGPUs("8"), plantest.WithNodes(10_000),
			func(s *v1alpha1.Service) {
				s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true, Mode: v1alpha1.ShareInterPod}
			}))
	}
	req := whole.WithFreeNames(t, plantest.Request(plantest.Graph(changes...), plantest.WithGroups("grove")))
	var out *whole.Outcome
	allocated := allocatedBy(func() { out = whole.RunAsIs(t, req) })
	var want []plantest.Said
	for i := range components {
		want = append(want, plantest.Refused(subject.Mistake, rule.Replicas, fmt.Sprintf("spec.components[%c].multinode.nodeCount", 'a'+i))...)
	}
	if diff := cmp.Diff(want, out.Said); diff != "" {
		t.Errorf("want an error for each service: -want, +got:\n%s", diff)
	}
	if allocated > enough && !underRace {
		t.Errorf("want at most %d bytes to be allocated, got %d", enough, allocated)
	}
}

// TestAbsurd holds what a hostile or mistaken graph costs to what an ordinary one does.
func TestAbsurd(t *testing.T) {
	// A little more than what the largest takes, whose pods are built because all mistakes are reported at once.
	const enough = 3 << 19

	cases, words := absurdities(), &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := whole.WithFreeNames(t, absurd(tc.edit))
			var out *whole.Outcome
			allocated := allocatedBy(func() { out = whole.RunAsIs(t, req) })
			words.Add(name, out.Texts...)
			if diff := cmp.Diff(tc.want, out.Said); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
			if allocated > enough && !underRace {
				t.Errorf("%s\nwant at most %d bytes to be allocated, got %d", tc.reason, enough, allocated)
			}
		})
	}
	words.Golden(t, len(cases))
}

func BenchmarkAbsurd(b *testing.B) {
	for name, tc := range absurdities() {
		b.Run(name, func(b *testing.B) {
			req := whole.WithFreeNames(b, absurd(tc.edit))
			b.ReportAllocs()
			for b.Loop() {
				whole.RunAsIs(b, req)
			}
		})
	}
}

// TestMistakes shows that the number of reported mistakes is limited.
func TestMistakes(t *testing.T) {
	out := whole.Run(t, absurd(func(spec, component map[string]any) {
		bad := list(9000, func(int) any { return map[string]any{"name": "=", "value": "x", "valueFrom": map[string]any{}} })
		spec["envs"], component["envs"] = bad, bad
	}))
	accepted := out.Condition(condition.TypeAccepted).GetMessage()
	if len(accepted) > 16<<10 || !strings.HasPrefix(accepted, "spec.envs[0].name: Invalid value") {
		t.Errorf("want a short message, got %s", accepted)
	}
	if last := "spec: Invalid value: 53950 more errors are not shown; fix these first"; !strings.Contains(accepted, last) {
		t.Errorf("want %q, got %s", last, accepted)
	}
	if results := out.Response.GetResults(); len(results) != 1 || results[0].GetMessage() != accepted {
		t.Errorf("want the result to say what the condition says, got %s", results)
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
