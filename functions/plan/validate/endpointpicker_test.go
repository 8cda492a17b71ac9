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
				"spec.services[decode].eppConfig: Forbidden: only a service of componentType epp has a picker to configure",
			},
		},
		"PickerWithoutConfig": {
			reason: "A picker needs a configuration, one node and one replica.",
			patch:  `spec: {services: {decode: {componentType: epp, replicas: 2, multinode: {nodeCount: 2}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Required value: the Endpoint Picker needs configMapRef or config",
				"spec.services[decode].multinode: Forbidden: the Endpoint Picker runs on one node; remove it",
				"spec.services[decode].replicas: Invalid value: 2: the Endpoint Picker has exactly 1 replica",
			},
		},
		"PickerWithTwoConfigs": {
			reason: "A picker cannot have both configMapRef and config.",
			patch:  `spec: {services: {decode: {componentType: epp, eppConfig: {configMapRef: {name: a, key: b}, config: {plugins: [], schedulingProfiles: []}}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Forbidden: has both configMapRef and config; remove one",
			},
		},
	})
}
