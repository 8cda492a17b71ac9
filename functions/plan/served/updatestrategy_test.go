package served

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// withPodCliqueSet is a request from a Crossplane that looks up schemas, with the schema of the installed Grove.
func withPodCliqueSet(schema map[string]any) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Meta.Capabilities = append(req.GetMeta().GetCapabilities(), fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)
		req.RequiredSchemas = map[string]*fnv1.Schema{"schema-podcliqueset": {OpenapiV3: plantest.Struct(schema)}}
	}
}

// objectWith a property.
func objectWith(name string, property any) map[string]any {
	return map[string]any{"properties": map[string]any{name: property}}
}

// refusedBy a subject, in words.
func refusedBy(decide func(*subject.Facts) subject.Outcome) func(*subject.Facts) ([]string, subject.Outcome) {
	return func(f *subject.Facts) (words []string, o subject.Outcome) {
		o = decide(f)
		for _, r := range o.Refusals {
			words = append(words, r.In(&graph.Graph{}))
		}
		return words, o
	}
}

func TestUpdateStrategy(t *testing.T) {
	schemaOf := func(types ...any) plantest.RequestOption {
		return withPodCliqueSet(objectWith("spec", objectWith("updateStrategy", objectWith("type", map[string]any{"enum": types}))))
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
			xr := plantest.Graph(plantest.Frontend, plantest.Annotated("nvidia.com/grove-update-strategy", tc.strategy))
			got, _ := plantest.Decide(t, plantest.Request(xr, tc.options...), refusedBy(UpdateStrategy))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUpdateStrategy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRollingUpdates(t *testing.T) {
	// schemaOf a Grove whose cliques, but not its scaling groups, have a field.
	schemaOf := func(field string) plantest.RequestOption {
		cliques := map[string]any{"items": objectWith(field, map[string]any{"type": "object"})}
		return withPodCliqueSet(objectWith("spec", objectWith("template", map[string]any{"properties": map[string]any{"cliques": cliques, "podCliqueScalingGroups": map[string]any{}}})))
	}
	limited := func(s *v1alpha1.Service) {
		s.ProviderOverride = &v1alpha1.ProviderOverride{Value: runtime.RawExtension{Raw: []byte(`{"rollingUpdate":{"maxUnavailable":2}}`)}}
	}
	running := plantest.FrontendSet()
	running.Spec.Template.Cliques[0].RollingUpdate = &grovev1alpha1.RollingUpdate{MaxUnavailable: 1}
	const refused = ".providerOverride.value.rollingUpdate: Forbidden: the installed version of Grove does not serve this field; update Grove to v0.1.0-alpha.14 or later, or remove it"
	cases := map[string]struct {
		reason  string
		graph   plantest.GraphChange
		options []plantest.RequestOption
		want    []string
	}{
		"None":    {reason: "Without limits the schema does not matter.", graph: plantest.Frontend, options: []plantest.RequestOption{schemaOf("spec")}},
		"Served":  {reason: "The installed Grove has the field.", graph: plantest.Component("Frontend", plantest.ComponentOf("frontend"), limited), options: []plantest.RequestOption{schemaOf("rollingUpdate")}},
		"Offline": {reason: "Without a cluster, the newest Grove is assumed.", graph: plantest.Component("Frontend", plantest.ComponentOf("frontend"), limited)},
		"Running": {
			reason: "A graph that runs with limits is not asked again.", graph: plantest.Component("Frontend", plantest.ComponentOf("frontend"), limited),
			options: []plantest.RequestOption{schemaOf("spec"), plantest.WithObserved("podcliqueset", running)},
		},
		"Earlier": {
			reason: "The API server of an earlier Grove would drop the limits.", graph: plantest.Component("Frontend", plantest.ComponentOf("frontend"), limited),
			options: []plantest.RequestOption{schemaOf("spec")}, want: []string{"spec.services[Frontend]" + refused},
		},
		"Group": {
			reason: "A service that spans nodes has its limits in its scaling group.", graph: plantest.Component("Worker", plantest.ComponentOf("worker"), plantest.WithNodes(2), limited),
			options: []plantest.RequestOption{schemaOf("rollingUpdate")}, want: []string{"spec.services[Worker]" + refused},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, _ := plantest.Decide(t, plantest.Request(plantest.Graph(tc.graph), tc.options...), refusedBy(RollingUpdates))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRollingUpdates(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
