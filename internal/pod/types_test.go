package pod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestTypeOf(t *testing.T) {
	type types struct{ Old, New, Component, Sub string }
	cases := map[string]struct {
		reason  string
		service v1alpha1.Service
		want    types
	}{
		"Worker": {
			reason:  "A worker for all phases has one type in every release.",
			service: v1alpha1.Service{ComponentType: "worker"},
			want:    types{Old: "worker", New: "worker", Component: "worker"},
		},
		"Phase": {
			reason:  "A worker for one phase is a worker in old releases, and has the phase as its type in new ones.",
			service: v1alpha1.Service{ComponentType: "worker", SubComponentType: "decode"},
			want:    types{Old: "worker", New: "decode", Component: "decode", Sub: "decode"},
		},
		"PhaseAsType": {
			reason:  "A worker with the phase as its type is the same service.",
			service: v1alpha1.Service{ComponentType: "prefill"},
			want:    types{Old: "worker", New: "prefill", Component: "prefill", Sub: "prefill"},
		},
		"OtherSubType": {
			reason:  "Another sub-type is only a label.",
			service: v1alpha1.Service{ComponentType: "worker", SubComponentType: "encode"},
			want:    types{Old: "worker", New: "worker", Component: "worker", Sub: "encode"},
		},
		"NoWorker": {
			reason:  "Only workers have phases.",
			service: v1alpha1.Service{ComponentType: "frontend", SubComponentType: "decode"},
			want:    types{Old: "frontend", New: "frontend", Component: "frontend", Sub: "decode"},
		},
		"None": {
			reason: "A service without a type has none.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := types{Old: typeOf(graphtest.Component(tc.service), false), New: typeOf(graphtest.Component(tc.service), true)}
			got.Component, got.Sub = labelsOfType(decode(t, `{"services":{}}`, `{}`), &graphplan.Plan{}, graphtest.Component(tc.service), true)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLabelsOfTypeWithPicker shows that the labels by which a pool selects do not depend on the release, unless it selects by class.
func TestLabelsOfTypeWithPicker(t *testing.T) {
	g := decode(t, `{"services":{"Pick":{"componentType":"epp"}}}`, `{}`)
	for _, s := range []v1alpha1.Service{{ComponentType: "worker", SubComponentType: "decode"}, {ComponentType: "prefill"}} {
		for _, promoted := range []bool{false, true} {
			component, sub := labelsOfType(g, &graphplan.Plan{}, graphtest.Component(s), promoted)
			if component != s.ComponentType || sub != s.SubComponentType {
				t.Errorf("The selector of a pool must match running pods: want the labels that the user has written, %s and %s, got %s and %s", s.ComponentType, s.SubComponentType, component, sub)
			}
		}
	}
	byClass := &graphplan.Plan{PoolByClass: true}
	if component, _ := labelsOfType(g, byClass, graphtest.Component(v1alpha1.Service{ComponentType: "worker", SubComponentType: "decode"}), true); component != "decode" {
		t.Errorf("Filters of a picker tell phases apart by the type: want decode, got %s", component)
	}
}

// TestOnlyOfType checks that warnings of a program in a component of another type name ports and variables that only pods of the right type have.
func TestOnlyOfType(t *testing.T) {
	only := map[string]struct{ port, variable string }{
		"frontend": {"http", "DYN_HTTP_PORT"}, "worker": {"nixl", "DYN_SYSTEM_ENABLED"}, "planner": {"", "PLANNER_PROMETHEUS_PORT"}, "epp": {"grpc", "DYN_ENFORCE_DISAGG"},
	}
	for _, componentType := range []string{"", "main", "frontend", "worker", "prefill", "decode", "planner", "epp"} {
		container := main(templateOf(t, `{"componentType": "`+componentType+`", "extraPodSpec": {"mainContainer": {"image": "i", "command": ["serve"]}}}`))
		for right, named := range only {
			isRight := componentType == right || right == "worker" && slices.Contains([]string{"prefill", "decode"}, componentType)
			hasPort := slices.ContainsFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == named.port })
			if named.port != "" && hasPort != isRight || slices.Contains(envNames(container.Env), named.variable) != isRight {
				t.Errorf("type %q: want %v %t, got ports %v and variables %v", componentType, named, isRight, container.Ports, envNames(container.Env))
			}
		}
	}
}
