package health

import "testing"

func TestComputeDomain(t *testing.T) {
	compare(t, map[string]healthCase{
		"NoStatus": {reason: "A domain that the driver has not seen yet is ready.", observed: `{"kind":"ComputeDomain"}`, want: Health{Ready: true}},
		"NotReady": {reason: "The status of a domain is not believed when it says no.", observed: `{"kind":"ComputeDomain","status":{"status":"NotReady"}}`, want: Health{Ready: true}},
		"Condition": {
			reason:   "A condition of a domain, which a later version of the driver may have, is not believed when it says no.",
			observed: `{"kind":"ComputeDomain","status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
			want:     Health{Ready: true},
		},
	})
}

func TestUsage(t *testing.T) {
	compare(t, map[string]healthCase{
		"NoStatus": {reason: "A Usage that Crossplane has not seen yet is ready.", observed: `{"kind":"Usage"}`, want: Health{Ready: true}},
		"NotReady": {
			reason:   "A graph is ready before the last of its protections is.",
			observed: `{"kind":"Usage","status":{"conditions":[{"type":"Ready","status":"False"}]}}`,
			want:     Health{Ready: true},
		},
	})
}
