package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// admission shows what the API server itself says of graphs: unknown fields, rules of the schema, what may not change.
func (s *suite) admission(t *testing.T) {
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
			reason: "So is its level.",
			change: func(spec map[string]any) { set(spec, "host", "topologyConstraint", "packDomain") },
			want:   "packDomain cannot be added, removed or changed after creation",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
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

	t.Run("Defaults", func(t *testing.T) {
		g := graphOf("admission-defaults", map[string]any{
			"pvcs": []any{map[string]any{"name": "weights"}},
			"services": map[string]any{"Frontend": map[string]any{
				"componentType": "frontend",
				"extraPodSpec":  map[string]any{"mainContainer": map[string]any{"image": "registry.example.org/frontend:1"}},
			}},
		})
		applied, err := s.Client.Apply(s.ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("defaults: -applied, +stored:\n%s", cmp.Diff(g.Object["spec"], applied.Object["spec"]))
		s.remove(t, applied)
	})
	s.remove(t, live)
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
