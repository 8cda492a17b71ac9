package e2e

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// admission shows what the API server itself says of graphs: unknown fields, rules of the schema, what may not change.
func (s *suite) admission(t *T) {
	live := example(t, "topology")
	live.SetName("admission")
	s.apply(t, live)

	cases := map[string]struct {
		reason string
		create bool
		change func(spec map[string]any)
		want   string
	}{
		"UnknownField": {
			reason: "A field that does not exist is refused in strict mode.",
			create: true,
			change: func(spec map[string]any) { set(spec, "1", "services", "Frontend", "replicaz") },
			want:   `strict decoding error: unknown field "spec.services.Frontend.replicaz"`,
		},
		"NoServices": {
			reason: "Without services there is no graph.",
			create: true,
			change: func(spec map[string]any) { spec["services"] = map[string]any{} },
			want:   "at least one service is required",
		},
		"NegativeReplicas": {
			reason: "A number out of its range is refused.",
			create: true,
			change: func(spec map[string]any) { set(spec, int64(-1), "services", "Frontend", "replicas") },
			want:   "spec.services.Frontend.replicas",
		},
		"UnknownBackend": {
			reason: "A value that is not of the enumeration is refused.",
			create: true,
			change: func(spec map[string]any) { spec["backendFramework"] = "llama.cpp" },
			want:   "spec.backendFramework: Unsupported value",
		},
		"ServiceAdded": {
			reason: "The set of services is immutable.",
			change: func(spec map[string]any) {
				set(spec, map[string]any{"componentType": "worker"}, "services", "Another")
			},
			want: "services cannot be added or removed after creation; delete the graph and create it again",
		},
		"BackendChanged": {
			reason: "The backend is immutable.",
			change: func(spec map[string]any) { spec["backendFramework"] = "sglang" },
			want:   "backendFramework cannot be added, removed or changed after creation; delete the graph and create it again",
		},
		"TopologyRemoved": {
			reason: "The topology constraint is immutable.",
			change: func(spec map[string]any) { delete(spec, "topologyConstraint") },
			want:   "topologyConstraint cannot be added or removed after creation",
		},
		"TopologyChanged": {
			reason: "The level of the topology constraint is immutable.",
			change: func(spec map[string]any) { set(spec, "host", "topologyConstraint", "packDomain") },
			want:   "packDomain cannot be added, removed or changed after creation",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			g := live.DeepCopy()
			if tc.create {
				g.SetName("admission-" + strings.ToLower(name))
			}
			spec, _, err := unstructured.NestedMap(g.Object, "spec")
			if err != nil {
				t.Fatal(err)
			}
			tc.change(spec)
			g.Object["spec"] = spec
			submit := s.Client.Apply
			if tc.create {
				submit = s.Client.Create
			}
			_, err = submit(s.ctx, g)
			if err == nil {
				t.Fatalf("\n%s\nwant it refused", tc.reason)
			}
			t.Logf("%v", err)
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nwant %q in: %v", tc.reason, tc.want, err)
			}
		})
	}

	t.Run("Defaults", s.defaults)
	s.remove(t, live)
}

// defaults are what the API server adds to a graph that leaves out what it can.
func (s *suite) defaults(t *T) {
	spec := func(worker, strategy, crossplane map[string]any) map[string]any {
		all := map[string]any{
			"restart": map[string]any{"id": "1", "strategy": strategy},
			"services": map[string]any{
				"Frontend": map[string]any{"componentType": "frontend"},
				"Worker":   worker,
			},
		}
		maps.Copy(all, crossplane)
		return all
	}
	fromField := func(field map[string]any) any {
		return []any{map[string]any{"name": "KEY", "valueFrom": map[string]any{"configMapKeyRef": field}}}
	}
	identity := func(sizes map[string]any) map[string]any {
		all := map[string]any{"backendFramework": "vllm", "model": "Qwen/Qwen3-8B"}
		maps.Copy(all, sizes)
		return all
	}
	applied := spec(map[string]any{
		"componentType":    "worker",
		"multinode":        map[string]any{},
		"scalingAdapter":   map[string]any{},
		"gpuMemoryService": map[string]any{"enabled": true},
		"failover":         map[string]any{"enabled": false},
		"checkpoint":       map[string]any{"identity": identity(nil)},
		"volumeMounts":     []any{map[string]any{"name": "weights", "mountPoint": "/weights"}},
		"envs":             fromField(map[string]any{"key": "key"}),
		"livenessProbe":    map[string]any{"grpc": map[string]any{"port": int64(1)}},
	}, map[string]any{}, nil)
	var crossplane map[string]any
	if s.ofClaims {
		// Every claim has that.
		crossplane = map[string]any{"compositeDeletePolicy": "Background"}
	}
	want := spec(map[string]any{
		"componentType":    "worker",
		"multinode":        map[string]any{"nodeCount": int64(2)},
		"scalingAdapter":   map[string]any{"enabled": false},
		"gpuMemoryService": map[string]any{"enabled": true, "mode": "intraPod", "deviceClassName": "gpu.nvidia.com"},
		"failover":         map[string]any{"enabled": false, "mode": "intraPod", "numShadows": int64(1)},
		"checkpoint": map[string]any{
			"enabled": false, "startupPolicy": "Immediate", "deletionPolicy": "Delete", "targetContainerName": "main",
			"identity": identity(map[string]any{"pipelineParallelSize": int64(1), "tensorParallelSize": int64(1)}),
		},
		"volumeMounts":  []any{map[string]any{"name": "weights", "mountPoint": "/weights", "useAsCompilationCache": false}},
		"envs":          fromField(map[string]any{"key": "key", "name": ""}),
		"livenessProbe": map[string]any{"grpc": map[string]any{"port": int64(1), "service": ""}},
	}, map[string]any{"type": "Sequential"}, crossplane)

	stored, err := s.Client.Apply(s.ctx, graphOf("admission-defaults", applied))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored.Object["spec"]); diff != "" {
		t.Errorf("spec as it is stored: -want, +got:\n%s", diff)
	}
	s.remove(t, stored)
}

// set a field of a tree of objects.
func set(fields map[string]any, value any, path ...string) {
	if err := unstructured.SetNestedField(fields, value, path...); err != nil {
		panic(fmt.Sprintf("cannot set %v: %v", path, err))
	}
}

// graphOf a spec, in the namespace of the examples.
func graphOf(name string, spec map[string]any) *unstructured.Unstructured {
	g := &unstructured.Unstructured{Object: map[string]any{"apiVersion": nvidia, "kind": dgd, "spec": spec}}
	g.SetName(name)
	g.SetNamespace(graph(name).Namespace)
	return g
}
