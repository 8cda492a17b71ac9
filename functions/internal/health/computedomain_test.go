package health

import "testing"

func TestComputeDomain(t *testing.T) {
	compare(t, map[string]healthCase{
		"NoStatus": {reason: "The driver may not have seen it yet.", observed: `{"kind":"ComputeDomain"}`, want: Health{Ready: true}},
		"NotReady": {reason: "The status is not believed when it says no,", observed: `{"kind":"ComputeDomain","status":{"status":"NotReady"}}`, want: Health{Ready: true}},
		"Condition": {
			reason:   "nor would a condition be that a later version of the driver may have.",
			observed: `{"kind":"ComputeDomain","status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
			want:     Health{Ready: true},
		},
	})
}

func TestUsage(t *testing.T) {
	compare(t, map[string]healthCase{
		"NoStatus": {reason: "Crossplane may not have seen it yet.", observed: `{"kind":"Usage"}`, want: Health{Ready: true}},
		"NotReady": {
			reason:   "A graph is ready before the last of its protections is.",
			observed: `{"kind":"Usage","status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
			want:     Health{Ready: true},
		},
	})
}
