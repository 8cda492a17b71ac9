package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestOverrides(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		grove  bool
		want   []string

		// warnings without Grove.
		warnings []string
	}{
		"Everywhere": {
			reason: "Each place has its own target, which may be left out, and fields of later versions of Grove are taken.", grove: true,
			spec: `{"providerOverride":{"apiVersion":"grove.io/v1alpha1","target":"PodCliqueSet","value":{"spec":{"template":{"topologyConstraint":{"pack":{"preferred":"zone"}}}}}},
				"components":[{"name":"Decode","type":"worker","experimental":{"grove":{"forceScalingGroup":true}},"podTemplate":{"spec":{"containers":[{"name":"main","image":"i:1.4.0","command":["run"]}]}},
					"providerOverride":{"apiVersion":"grove.io/v1alpha1","target":"PodCliqueScalingGroupConfig","value":{"topologyConstraint":{"topologyName":"t","pack":{"required":"rack"},"later":1}}}},
				{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"i:1.4.0"}]}},
					"providerOverride":{"apiVersion":"grove.io/v1alpha1","target":"PodCliqueTemplateSpec","value":{"topologyConstraint":{"topologyName":"t","pack":{"required":"rack"},"later":1}}}}]}`,
		},
		"OffGrove": {
			reason: "Nothing reads a constraint of Grove without Grove, which is a warning.",
			spec: `{"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}},
				"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"topologyName":"t","pack":{"required":"rack"},"later":1}}}}}}`,
			warnings: []string{"spec.services[Frontend].providerOverride: has no effect on Deployment, which does not have the constraints of Grove"},
		},
		"Target": {
			reason: "Version and target are those of the place.", grove: true,
			spec: `{"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}},
				"providerOverride":{"apiVersion":"grove.io/v1","target":"PodCliqueScalingGroupConfig","value":{"topologyConstraint":{"topologyName":"t","pack":{"required":"rack"},"later":1}}}}}}`,
			want: []string{
				`spec.services[Frontend].providerOverride.apiVersion: Unsupported value: "grove.io/v1": supported values: "grove.io/v1alpha1"`,
				`spec.services[Frontend].providerOverride.target: Invalid value: "PodCliqueScalingGroupConfig": must be PodCliqueTemplateSpec here; correct or remove it`,
			},
		},
		"Value": {
			reason: "All else of the objects follows from the graph.", grove: true,
			spec: `{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"spec":{"replicas":2,"template":{}}}},
				"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}},
				"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":"rack"}}}}}}`,
			want: []string{
				"spec.providerOverride.value.spec.replicas: Forbidden: cannot be overridden, because it follows from the graph; only topologyConstraint can be",
				"spec.providerOverride.value.spec.template.topologyConstraint: Required value: specify an object, or remove the override",
				"spec.services[Frontend].providerOverride.value.topologyConstraint: Forbidden: is not a constraint of Grove: cannot read an object: pack: Invalid value: must be an object, not a string",
			},
		},
		"BothForms": {
			reason: "Two constraints of one graph would contradict each other.", grove: true,
			spec: `{"topologyConstraint":{"topologyProfile":"t","packDomain":"zone"},"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}},
				"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"topologyName":"t","pack":{"required":"rack"},"later":1}}}}}}`,
			want: []string{"spec.services[Frontend].providerOverride: Forbidden: cannot be combined with topologyConstraint of the graph or of a service; remove one of the two"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := plantest.Decoded(t, plantest.GraphOf(tc.spec))
			var got []string
			for _, err := range g.Errors(validate.Spec(g, validate.Options{Grove: tc.grove})) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.grove {
				return
			}
			if diff := cmp.Diff(tc.warnings, g.Texts(validate.OffGroveWarnings(g, graphplan.Deployment))); diff != "" {
				t.Errorf("%s\nOffGroveWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
