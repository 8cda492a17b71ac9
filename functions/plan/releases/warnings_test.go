package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestWarnings(t *testing.T) {
	const (
		components = `{"services":{"Frontend":{"componentType":"frontend"},"Decode":{"componentType":"decode"},"Prefill":{"componentType":"prefill"},
			"Picker":{"componentType":"epp"},"Planner":{"componentType":"planner"}}}`
		form = "spec.services[Planner]: planners since Dynamo 1.3.0 read spec.components, so this planner does not find its graph, which has spec.services; " +
			"convert the graph to nvidia.com/v1beta1 with the command convert, or set runtimeVersionOverride if the planner is older"
	)
	cases := map[string]struct {
		reason   string
		form     graph.Form
		versions map[string]runtime.Version
		want     []string
	}{
		"Old": {
			reason:   "Releases of one time work together.",
			versions: map[string]runtime.Version{"Frontend": "1.1.0", "Decode": "1.1.0", "Prefill": "1.1.0", "Picker": "1.1.0", "Planner": "1.1.0"},
		},
		"New": {
			reason: "A planner that reads the second version of the API does not find a graph of the first one.",
			want:   []string{form},
		},
		"NewWithComponents": {
			reason: "A planner that reads the second version of the API finds a graph that is written with components.",
			form:   graph.Components,
		},
		"NewPickerAndOldWorkers": {
			reason:   "A new Endpoint Picker may not find old workers.",
			versions: map[string]runtime.Version{"Decode": "1.1.0", "Prefill": "1.1.1", "Picker": "1.3.0", "Planner": "1.1.0"},
			want: []string{
				"spec.services[Picker]: Endpoint Pickers since Dynamo 1.3.0 may find workers only by label nvidia.com/dynamo-component-class, and workers have the label since 1.2.0; use newer images for Decode, Prefill",
			},
		},
		"NewPlannerAndOldWorker": {
			reason:   "A new planner lacks the metrics of an old worker.",
			versions: map[string]runtime.Version{"Decode": "1.1.0", "Picker": "1.2.0", "Planner": "1.2.0"},
			want: []string{
				"spec.services[Planner]: planners since Dynamo 1.2.0 need forward-pass metrics to scale by load, and workers publish them since 1.2.0; use newer images for Decode",
			},
		},
		"OldPlannerAndNewWorkers": {
			reason:   "Newer workers do nothing that an older planner or Endpoint Picker cannot work with.",
			versions: map[string]runtime.Version{"Picker": "1.1.0", "Planner": "1.1.0"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			planned := map[string]graphplan.Component{}
			for name, version := range tc.versions {
				planned[name] = graphplan.Component{RuntimeVersion: version}
			}
			g := plantest.Decoded(t, plantest.GraphOf(components))
			g.Form = tc.form
			if diff := cmp.Diff(tc.want, Warnings(g, planned).Texts(g)); diff != "" {
				t.Errorf("%s\nWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
