package validate_test

import (
	"testing"
)

func TestBadEndpointPickers(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"PickerConfigOfWorker": {
			reason: "Only an Endpoint Picker can have a configuration.",
			patch:  `spec: {services: {decode: {eppConfig: {configMapRef: {name: a, key: b}}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Forbidden: may only be set when componentType is epp",
			},
		},
		"PickerWithoutConfig": {
			reason: "A picker needs a configuration, one node and one replica.",
			patch:  `spec: {services: {decode: {componentType: epp, replicas: 2, multinode: {nodeCount: 2}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Required value: the Endpoint Picker requires configMapRef or config",
				"spec.services[decode].multinode: Forbidden: may not be set for the Endpoint Picker, which runs on one node; remove it",
				"spec.services[decode].replicas: Invalid value: 2: must be 1 for the Endpoint Picker",
			},
		},
		"PickerWithTwoConfigs": {
			reason: "A picker cannot have both configMapRef and config.",
			patch:  `spec: {services: {decode: {componentType: epp, eppConfig: {configMapRef: {name: a, key: b}, config: {plugins: [], schedulingProfiles: []}}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Forbidden: may not have both configMapRef and config; remove one of the two",
			},
		},
	})
}
