package why

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notAllowed is what Crossplane joins to the error of a write about a resource, as it is after line breaks are gone.
func notAllowed(resource string) string {
	return " system:serviceaccount:crossplane-system:crossplane is not allowed to [get, list, watch, create, update, patch, delete] resource " + resource + " in namespace inference"
}

// TestSyncedOfStatus shows what is left of what Crossplane joins to the error of a write.
func TestSyncedOfStatus(t *testing.T) {
	cases := map[string]struct {
		reason, resource string
		kept             bool
	}{
		"Status": {reason: "That Crossplane may not write the status of a kind is no cause, because it does not write it.", resource: "podcliquesets/status.grove.io/v1alpha1"},
		"Core":   {reason: "The same is true of kinds without a group.", resource: "services/status/v1"},
		"Kind":   {reason: "A permission for the kind itself that is missing is a cause.", resource: "podcliquesets.grove.io/v1alpha1", kept: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := "cannot compose resources: no"
			synced := want + notAllowed(tc.resource)
			if tc.kept {
				want = synced
			}
			d := Diagnose(&Facts{Graph: graphWith(t, "Accepted=True", "Synced=False: "+synced, "Ready=False")}, "kubectl")
			if diff := cmp.Diff([]string{want, "Crossplane cannot apply the graph: " + want + "."}, []string{d.condition("Synced").Message, d.Causes[0].Message}); diff != "" {
				t.Errorf("%s\nDiagnose(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

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
