package why

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApplyRefusal(t *testing.T) {
	const crossplane = `cannot compose resources: cannot apply composed resource "podcliqueset": `
	long := strings.Repeat(`{Name:"a:b}",Spec:PodSpec{Containers:[]Container{{Image:"i\"]"}}}} `, 80)
	cases := map[string]struct{ reason, message, want string }{
		"Short": {
			reason: "What is short is kept as it is.", message: crossplane + `resource name may not be empty`, want: crossplane + `resource name may not be empty`,
		},
		"ShortValue": {
			reason: "A short value tells what is wrong.", message: `spec.replicas: Invalid value: -1: must be positive`, want: `spec.replicas: Invalid value: -1: must be positive`,
		},
		"Webhook": {
			reason:  "Of what a webhook refuses, its answer is the cause, which Grove gives after the whole spec.",
			message: crossplane + `admission webhook "pcs.validating.webhooks.grove.io" denied the request: spec.template: Invalid value: [` + long + `]: topology-aware scheduling is disabled`,
			want:    `admission webhook "pcs.validating.webhooks.grove.io" denied the request: spec.template: Invalid value: (left out): topology-aware scheduling is disabled`,
		},
		"Several": {
			reason:  "Each long value is left out.",
			message: `[a: Invalid value: {` + long + `}: one, b: Invalid value: "` + strings.Repeat("x:", 200) + `": two]`,
			want:    `[a: Invalid value: (left out): one, b: Invalid value: (left out): two]`,
		},
		"Unended": {
			reason: "A value that was cut off is left out as well.", message: `a: Invalid value: {` + long, want: `a: Invalid value: (left out)`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, applyRefusal(tc.message)); diff != "" {
				t.Errorf("%s\napplyRefusal(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
