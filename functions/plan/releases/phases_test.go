package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func TestPhaseWarnings(t *testing.T) {
	// spec of a graph with a frontend, a prefill worker and a decode worker, in JSON.
	spec := func(frontend, prefill, decode string) string {
		return `{"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"r:` + frontend + `"}}},
			"Prefill":{"componentType":"worker","subComponentType":"prefill","extraPodSpec":{"mainContainer":{"image":"r:` + prefill + `"}}},
			"Decode":{"componentType":"decode","extraPodSpec":{"mainContainer":{"image":"r:` + decode + `"}}}}}`
	}
	cases := map[string]struct {
		reason, spec string
		want         []string
	}{
		"Different": {
			reason: "No release promises that prefill works with decode of another one.", spec: spec("1.6.0", "1.6.0", "1.5.1"),
			want: []string{"spec.services: the workers for prefill and decode have Dynamo 1.5.1 (Decode) and 1.6.0 (Prefill), and Dynamo does not promise that different releases work together; " +
				"use images of one release for all of them"},
		},
		"Same":     {reason: "Those of one release do.", spec: spec("1.6.0", "1.6.0", "1.6.0")},
		"Frontend": {reason: "A frontend works with workers of the releases around its own.", spec: spec("1.6.0", "1.5.1", "1.5.1")},
		"Unknown":  {reason: "A release that is not known may be the same.", spec: spec("1.6.0", "1.6.0", "mine")},
		"OnePhase": {
			reason: "Workers of one phase do not talk to each other.",
			spec: `{"services":{"A":{"componentType":"decode","extraPodSpec":{"mainContainer":{"image":"r:1.5.0"}}},
				"B":{"componentType":"decode","extraPodSpec":{"mainContainer":{"image":"r:1.6.0"}}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			if diff := cmp.Diff(tc.want, PhaseWarnings(f).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nPhaseWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
