package served

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

func TestUpdateStrategy(t *testing.T) {
	schemaOf := func(types ...any) plantest.RequestOption {
		object := func(name string, property any) map[string]any {
			return map[string]any{"properties": map[string]any{name: property}}
		}
		schema := plantest.Struct(object("spec", object("updateStrategy", object("type", map[string]any{"enum": types}))))
		return func(req *fnv1.RunFunctionRequest) {
			req.Meta.Capabilities = append(req.GetMeta().GetCapabilities(), fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
			req.RequiredSchemas = map[string]*fnv1.Schema{"schema-podcliqueset": {OpenapiV3: schema}}
		}
	}
	running := plantest.FrontendSet()
	running.Spec.UpdateStrategy = &grovev1alpha1.UpdateStrategy{Type: "Coherent"}
	cases := map[string]struct {
		reason   string
		strategy string
		options  []plantest.RequestOption
		want     []string
	}{
		"Served":   {reason: "The installed Grove serves the strategy.", strategy: "Coherent", options: []plantest.RequestOption{schemaOf("Coherent", "OnDelete", "RollingRecreate")}},
		"Offline":  {reason: "Without a cluster, the newest Grove is assumed.", strategy: "Coherent"},
		"Running":  {reason: "A graph that runs with the strategy is not asked again.", strategy: "Coherent", options: []plantest.RequestOption{schemaOf("OnDelete"), plantest.WithObserved("podcliqueset", running)}},
		"OnDelete": {reason: "Other strategies are not asked for.", strategy: "OnDelete", options: []plantest.RequestOption{schemaOf()}},
		"Earlier": {
			reason: "An earlier Grove does not serve the strategy.", strategy: "Coherent", options: []plantest.RequestOption{schemaOf("OnDelete", "RollingRecreate")},
			want: []string{`metadata.annotations[nvidia.com/grove-update-strategy]: Invalid value: "Coherent": the installed version of Grove does not serve this strategy; update Grove to v0.1.0-alpha.14 or later, or use RollingRecreate`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			graph := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/grove-update-strategy", tc.strategy))
			var got []string
			outcome := UpdateStrategy(plantest.Facts(t, plantest.Request(graph, tc.options...)))
			for _, r := range outcome.Refusals {
				got = append(got, r.Message())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUpdateStrategy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
