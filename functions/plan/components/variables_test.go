package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestVariableWarnings(t *testing.T) {
	// spec of a graph with a variable, and two components with images, in JSON.
	spec := func(graph, own, first, second string) string {
		env := func(name string) string {
			if name == "" {
				return "[]"
			}
			return `[{"name":"` + name + `","value":"1"}]`
		}
		return `{"envs":` + env(graph) + `,"services":{"A":{"componentType":"worker","envs":` + env(own) + `,"extraPodSpec":{"mainContainer":{"image":"` + first + `"}}},
			"B":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"` + second + `"}}}}}`
	}
	cases := map[string]struct {
		reason, spec string
		want         []string
	}{
		"Own":     {reason: "A variable of a service is named with it.", spec: spec("", "DYN_SNAPSHOT_RESTORE_STANDBY", "a:1.5.0", "b:1.5.0"), want: []string{"spec.services[A]: since Dynamo 1.5.0, variable DYN_SNAPSHOT_RESTORE_STANDBY has no effect, because it was removed; remove it"}},
		"Graph":   {reason: "A variable of the graph is named once, with all services whose release says so.", spec: spec("DYN_USE_KV_EVENTS", "", "a:1.5.0", "b:1.6.0"), want: []string{"spec.envs: for A, B since Dynamo 1.5.0, variable DYN_USE_KV_EVENTS is the old name of DYN_ROUTER_USE_KV_EVENTS, and still works; rename it"}},
		"Earlier": {reason: "Earlier releases read the variable.", spec: spec("DYN_USE_KV_EVENTS", "", "a:1.4.0", "b:1.4.0")},
		"Assumed": {reason: "What is in an image without a release is not known.", spec: spec("DYN_USE_KV_EVENTS", "DYN_KVBM_METRICS", "a:mine", "b:mine")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			if diff := cmp.Diff(tc.want, VariableWarnings(f, map[string]graphplan.Component{}).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nVariableWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
