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
			reason: "A picker needs one node and a replica.",
			patch:  `spec: {services: {decode: {componentType: epp, replicas: 0, multinode: {nodeCount: 2}}}}`,
			want: []string{
				"spec.services[decode].multinode: Forbidden: may not be set for the Endpoint Picker, which runs on one node; remove it",
				"spec.services[decode].replicas: Invalid value: 0: must be at least 1 for an Endpoint Picker, without which no request is routed",
			},
		},
		"PickerWithEmptyConfig": {
			reason: "A configuration is not empty, and a picker with one does not know of others.",
			patch:  `spec: {services: {decode: {componentType: epp, replicas: 2, eppConfig: {}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Required value: must have configMapRef or config; add one of the two, or remove eppConfig if the release in the image does not need it",
				"spec.services[decode].replicas: Invalid value: 2: must be 1 for an Endpoint Picker with eppConfig",
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
