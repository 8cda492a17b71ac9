package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
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
		"ScalingOffGrove": {
			reason: "Nothing reads a minimum of Grove without Grove either.",
			spec: `{"services":{"Frontend":{"componentType":"frontend","replicas":2,"extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}},
				"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"spec":{"minAvailable":2}}}}}}`,
			warnings: []string{"spec.services[Frontend].providerOverride: has no effect on Deployment, where there are no objects of Grove"},
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
				"spec.providerOverride.value.spec.replicas: Forbidden: cannot be overridden, because it follows from the graph; only spec.template.topologyConstraint can be",
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
			got := validate.Spec(g, validate.Options{Grove: tc.grove}).Texts(g)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.grove {
				return
			}
			if diff := cmp.Diff(tc.warnings, validate.OffGroveWarnings(g, graphplan.Deployment).Texts(g)); diff != "" {
				t.Errorf("%s\nOffGroveWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestScalingOverrides shows what a component may have in Grove's own form beside its constraint.
func TestScalingOverrides(t *testing.T) {
	const (
		clique = "spec.services[Frontend].providerOverride.value"
		group  = "spec.services[Worker].providerOverride.value"
		image  = `"extraPodSpec":{"mainContainer":{"image":"i:1.4.0"}}`
		only   = ": Forbidden: cannot be overridden, because it follows from the graph; only "
	)
	override := func(value string) string {
		return `"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":` + value + `}`
	}
	frontend := func(value string, fields ...string) string {
		return `{"services":{"Frontend":{"componentType":"frontend","replicas":3,` + strings.Join(append(fields, image, override(value)), ",") + `}}}`
	}
	worker := func(value string, fields ...string) string {
		return `{"services":{"Worker":{"componentType":"worker","replicas":3,"multinode":{"nodeCount":2},` +
			strings.Join(append(fields, `"extraPodSpec":{"mainContainer":{"image":"i:1.4.0","command":["run"]}}`, override(value)), ",") + `}}}`
	}
	cases := map[string]struct {
		reason   string
		spec     string
		strategy string
		want     []string
	}{
		"Clique": {reason: "A clique has its minimum in its spec.", spec: frontend(`{"spec":{"minAvailable":2},"rollingUpdate":{"maxUnavailable":2,"progressDeadline":"30m"}}`)},
		"Group":  {reason: "A scaling group has its minimum at its top, beside a constraint.", spec: worker(`{"minAvailable":2,"rollingUpdate":{"progressDeadline":"30m"},"topologyConstraint":{"pack":{"required":"rack"}}}`)},
		"Typed": {
			reason: "Only a constraint contradicts constraints in the form of the API.",
			spec: `{"topologyConstraint":{"topologyProfile":"t","packDomain":"zone"},"services":{"Frontend":{"componentType":"frontend",` + image + "," +
				override(`{"rollingUpdate":{"maxUnavailable":1}}`) + `}}}`,
		},
		"Misplaced": {
			reason: "The minimum of a scaling group is no minimum of a clique, and all else follows from the graph.", spec: frontend(`{"minAvailable":2,"spec":{"replicas":3}}`),
			want: []string{
				clique + ".minAvailable" + only + "spec.minAvailable, rollingUpdate and topologyConstraint can be",
				clique + ".spec.replicas" + only + "spec.minAvailable, rollingUpdate and topologyConstraint can be",
			},
		},
		"MisplacedInGroup": {
			reason: "A scaling group has no spec.", spec: worker(`{"spec":{"minAvailable":2}}`),
			want: []string{group + ".spec" + only + "minAvailable, rollingUpdate and topologyConstraint can be"},
		},
		"EmptySpec": {
			reason: "A spec without a minimum is a mistake.", spec: frontend(`{"spec":"2"}`),
			want: []string{clique + ".spec: Required value: specify an object with minAvailable, or remove it"},
		},
		"MinimumOfText":     {reason: "A minimum is a number.", spec: worker(`{"minAvailable":"2"}`), want: []string{group + `.minAvailable: Invalid value: must be an integer of at least 1`}},
		"MinimumOfFraction": {reason: "A minimum has no fraction.", spec: worker(`{"minAvailable":1.5}`), want: []string{group + `.minAvailable: Invalid value: 1.5: must be an integer of at least 1`}},
		"MinimumOfNone":     {reason: "A gang of no replicas is none.", spec: worker(`{"minAvailable":0}`), want: []string{group + `.minAvailable: Invalid value: 0: must be at least 1`}},
		"MinimumTooLarge":   {reason: "A gang cannot need more replicas than there are.", spec: worker(`{"minAvailable":4}`), want: []string{group + `.minAvailable: Invalid value: 4: must be at most replicas, which is 3`}},
		"BothForms": {
			reason: "All services of a graph have one form.", spec: frontend(`{"spec":{"minAvailable":2}}`, `"minAvailable":2`),
			want: []string{"spec.services[Frontend].minAvailable: Forbidden: cannot be combined with minAvailable in providerOverride of service Frontend; use one of the two forms for all services"},
		},
		"WrongTypes": {
			reason: "A value of the wrong type may be a secret that was written in the wrong place.", spec: worker(`{"minAvailable":{"value":"hf_aBcDeF"},"rollingUpdate":{"maxUnavailable":["hf_aBcDeF"],"progressDeadline":{"token":"hf_aBcDeF"}}}`),
			want: []string{
				group + `.minAvailable: Invalid value: must be an integer of at least 1`,
				group + `.rollingUpdate.maxUnavailable: Invalid value: must be an integer of at least 1`,
				group + `.rollingUpdate.progressDeadline: Invalid value: must be a duration of more than 0, such as 30m`,
			},
		},
		"LimitsOfNothing": {reason: "Limits without a limit are a mistake.", spec: worker(`{"rollingUpdate":{}}`), want: []string{group + ".rollingUpdate: Required value: specify an object with maxUnavailable or progressDeadline, or remove it"}},
		"LimitsUnknown":   {reason: "Grove has no other limits.", spec: worker(`{"rollingUpdate":{"maxSurge":1}}`), want: []string{group + ".rollingUpdate.maxSurge: Forbidden: is not known; only maxUnavailable and progressDeadline are"}},
		"Limits": {
			reason: "Limits are a positive number and a positive duration.", spec: worker(`{"rollingUpdate":{"maxUnavailable":0,"progressDeadline":"soon"}}`),
			want: []string{
				group + ".rollingUpdate.maxUnavailable: Invalid value: 0: must be at least 1",
				group + `.rollingUpdate.progressDeadline: Invalid value: "soon": must be a duration of more than 0, such as 30m`,
			},
		},
		"LimitOfShare": {
			reason: "Grove knows no percentages.", spec: worker(`{"rollingUpdate":{"maxUnavailable":"25%"}}`),
			want: []string{group + `.rollingUpdate.maxUnavailable: Invalid value: must be an integer of at least 1`},
		},
		"Coherent": {
			reason: "A coherent update replaces at least as many replicas as serve together.", strategy: "Coherent", spec: worker(`{"minAvailable":2,"rollingUpdate":{"maxUnavailable":1}}`),
			want: []string{group + ".rollingUpdate.maxUnavailable: Invalid value: 1: must be at least minAvailable, which is 2, with strategy Coherent"},
		},
		"TooMany": {
			reason: "No more replicas can be unavailable than there are.", spec: worker(`{"rollingUpdate":{"maxUnavailable":4}}`),
			want: []string{group + ".rollingUpdate.maxUnavailable: Invalid value: 4: must be at most replicas, which is 3"},
		},
		"All":           {reason: "All replicas may be unavailable.", spec: worker(`{"rollingUpdate":{"maxUnavailable":3}}`)},
		"Autoscaled":    {reason: "An autoscaler may add replicas.", spec: worker(`{"rollingUpdate":{"maxUnavailable":4}}`, `"autoscaling":{"enabled":true,"minReplicas":1,"maxReplicas":4}`)},
		"Adapted":       {reason: "Whoever scales an adapter may add replicas.", spec: worker(`{"rollingUpdate":{"maxUnavailable":4}}`, `"scalingAdapter":{"enabled":true}`)},
		"CoherentEqual": {reason: "A coherent update may replace exactly as many replicas as serve together.", strategy: "Coherent", spec: worker(`{"minAvailable":2,"rollingUpdate":{"maxUnavailable":2}}`)},
		"OnDelete": {
			reason: "Grove refuses limits of updates that it does not make.", strategy: "OnDelete", spec: worker(`{"rollingUpdate":{"maxUnavailable":1}}`),
			want: []string{group + ".rollingUpdate: Forbidden: has no meaning with strategy OnDelete, with which Grove replaces no pods; remove it, or annotation nvidia.com/grove-update-strategy"},
		},
		"Role": {
			reason: "A clique of a scaling group is updated with the group, and all of its pods are needed.",
			spec:   worker(`{"minAvailable":1}`, `"roles":[{"name":"leader"},{"name":"worker",`+override(`{"topologyConstraint":{"pack":{"required":"rack"}},"spec":{"minAvailable":1},"rollingUpdate":{"maxUnavailable":1}}`)+`}]`),
			want: []string{
				"spec.services[Worker].roles[1].providerOverride.value.rollingUpdate: Forbidden: is not supported for a clique that belongs to a scaling group; set it in providerOverride of the service",
				"spec.services[Worker].roles[1].providerOverride.value.spec: Forbidden: cannot be overridden, because all nodes of a replica are needed; set minAvailable in providerOverride of the service",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			annotations := `{}`
			if tc.strategy != "" {
				annotations = `{"nvidia.com/grove-update-strategy":"` + tc.strategy + `"}`
			}
			g := plantest.Decoded(t, plantest.AnnotatedJSON(tc.spec, annotations))
			got := validate.Spec(g, validate.Options{Grove: true}).Texts(g)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
