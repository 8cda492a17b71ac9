package releases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func TestSkewWarnings(t *testing.T) {
	// spec of a graph with a frontend and workers, one of which has a frontend beside it, in JSON.
	spec := func(frontend, worker, sidecar string) string {
		return `{"components":[{"name":"Frontend","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"r:` + frontend + `"}]}}},
			{"name":"Decode","type":"decode","frontendSidecar":"beside","podTemplate":{"spec":{"containers":[{"name":"main","image":"r:` + worker + `"},{"name":"beside","image":"r:` + sidecar + `"}]}}},
			{"name":"Prefill","type":"prefill","podTemplate":{"spec":{"containers":[{"name":"main","image":"r:` + worker + `"}]}}},
			{"name":"Planner","type":"planner","podTemplate":{"spec":{"containers":[{"name":"main","image":"r:0.1.0"}]}}}]}`
	}
	const only = ", and workers that are more than 2 minor releases older or newer may not understand it: "
	cases := map[string]struct {
		reason, spec string
		want         []string
	}{
		"Supported": {reason: "Frontends work with workers that are two releases older or newer.", spec: spec("1.2.0", "1.4.9", "1.6.0")},
		"Unknown":   {reason: "A release that is not known may be close.", spec: spec("mine", "1.6.0", "latest")},
		"Older": {
			reason: "A frontend may be too old for its workers.", spec: spec("1.2.0", "1.5.0", "1.5.0"),
			want: []string{"spec.components[Frontend]: the frontend has Dynamo 1.2.0" + only + "Decode (1.5.0), Prefill (1.5.0); use images of releases that are closer to each other"},
		},
		"Sidecar": {
			reason: "The frontend beside a worker calls all workers.", spec: spec("1.4.0", "1.2.0", "1.6.0"),
			want: []string{"spec.components[Decode].frontendSidecar: the frontend has Dynamo 1.6.0" + only + "Decode (1.2.0), Prefill (1.2.0); use images of releases that are closer to each other"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			if diff := cmp.Diff(tc.want, SkewWarnings(f).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nSkewWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
