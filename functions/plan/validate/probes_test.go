package validate_test

import (
	"testing"
)

func TestWarningsOfProbes(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ProbesTwice": {
			reason: "The service's probes replace the container's.",
			patch: `spec: {services: {decode: {livenessProbe: {tcpSocket: {port: 1}}, readinessProbe: {tcpSocket: {port: 1}},
				extraPodSpec: {mainContainer: {livenessProbe: {tcpSocket: {port: 2}}, readinessProbe: {tcpSocket: {port: 2}}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.livenessProbe: has no effect; livenessProbe of the service replaces it",
				"spec.services[decode].extraPodSpec.mainContainer.readinessProbe: has no effect; readinessProbe of the service replaces it",
			},
		},
		"OwnPorts": {
			reason: "Where the ports of the user replace those that the component type's probes ask, the probes ask by number.",
			patch:  `spec: {services: {Frontend: {extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}, decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}}}`,
		},
		"OwnPortsAndProbes": {
			reason: "Probes of the user ask ports of the user.",
			patch: `spec: {services: {decode: {livenessProbe: {tcpSocket: {port: api}}, extraPodSpec: {mainContainer: {ports: [{containerPort: 9000, name: api}],
				readinessProbe: {httpGet: {port: 9000}}, startupProbe: {httpGet: {port: metrics}}}}}}}`,
			want: []string{"spec.services[decode].extraPodSpec.mainContainer.startupProbe: asks port metrics, which mainContainer.ports does not have; the probe fails until it does"},
		},
		"OwnPortsOfOtherType": {
			reason: "A component type without probes asks no port.",
			patch:  `spec: {services: {decode: {componentType: other, extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}}}`,
		},
	})
}
