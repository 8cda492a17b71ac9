package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

func TestGraphs(t *testing.T) {
	const graph = `{spec: {services: {A: {replicas: 1}, M: {}}}}`
	cases := map[string]struct {
		reason, sample, service string
		nodes                   bool
		before, after           string
	}{
		"Absent": {
			reason: "The field is set on the service that is tried.", sample: `{path: "spec.services.*.x.z", value: 1}`, service: "M", nodes: true,
			before: graph, after: `{spec: {services: {A: {replicas: 1}, M: {x: {z: 1}}}}}`,
		},
		"Before": {
			reason: "A field that cannot be absent has another value before.", sample: `{path: "spec.services.*.replicas", before: 2, value: 3}`, service: "A", nodes: true,
			before: `{spec: {services: {A: {replicas: 2}, M: {}}}}`, after: `{spec: {services: {A: {replicas: 3}, M: {}}}}`,
		},
		"With": {
			reason: "What the field needs is there before; of a list the first item is meant.",
			sample: `{path: "spec.services.*.list[].b", with: {spec: {services: {"*": {list: [{a: 1}]}}}}, value: 2}`, service: "A", nodes: true,
			before: `{spec: {services: {A: {replicas: 1, list: [{a: 1}]}, M: {}}}}`, after: `{spec: {services: {A: {replicas: 1, list: [{a: 1, b: 2}]}, M: {}}}}`,
		},
		"NoNodes": {
			reason: "Without nodes, the service that spans them is left out of both graphs and of lists of services.", sample: `{path: spec.order, with: {spec: {services: {M: {a: 1}}}}, value: [A, M]}`, service: "A",
			before: `{spec: {services: {A: {replicas: 1}}}}`, after: `{spec: {order: [A], services: {A: {replicas: 1}}}}`,
		},
		"Component": {
			reason: "The field of a component is set by its name.", sample: `{path: "spec.components[].x", with: {spec: {components: {"*": {y: 1}}}}, value: 1}`, service: "C",
			before: `{spec: {services: {A: {replicas: 1}, M: {}}, components: {C: {y: 1}}}}`, after: `{spec: {services: {A: {replicas: 1}, M: {}}, components: {C: {y: 1, x: 1}}}}`,
		},
		"Everywhere": {
			reason: "A field that is set everywhere is set on all services.", sample: `{path: "spec.services.*.x", everywhere: true, value: 1}`, service: "A", nodes: true,
			before: graph, after: `{spec: {services: {A: {replicas: 1, x: 1}, M: {x: 1}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &Samples{Graph: tree(t, graph), Nodes: "M"}
			var sample Sample
			if err := yaml.UnmarshalStrict([]byte(tc.sample), &sample); err != nil {
				t.Fatal(err)
			}
			before, after, err := s.Graphs(sample, tc.service, tc.nodes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]any{tree(t, tc.before), tree(t, tc.after)}, []any{before, after}); diff != "" {
				t.Errorf("%s\nGraphs(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestListed(t *testing.T) {
	cases := map[string]struct{ reason, graph, want string }{
		"Services": {"A map of services stays one.", `{spec: {services: {B: {a: 1}}}}`, `{spec: {services: {B: {a: 1}}}}`},
		"Components": {
			"Components are listed by name, which a sample can change.", `{spec: {components: {B: {a: 1}, A: {}, C: {name: D}}}}`,
			`{spec: {components: [{name: A}, {name: B, a: 1}, {name: D}]}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tree(t, tc.want), listed(tree(t, tc.graph))); diff != "" {
				t.Errorf("%s\nlisted(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
