package validate_test

import (
	"testing"
)

func TestWarningsOfProbes(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"ProbesTwice": {
			reason: "The container's probes replace the service's.",
			patch: `spec: {services: {decode: {livenessProbe: {tcpSocket: {port: 1}}, readinessProbe: {tcpSocket: {port: 1}},
				extraPodSpec: {mainContainer: {livenessProbe: {tcpSocket: {port: 2}}, readinessProbe: {tcpSocket: {port: 2}}}}}}}`,
			want: []string{
				"spec.services[decode].livenessProbe: has no effect; it is replaced by extraPodSpec.mainContainer.livenessProbe",
				"spec.services[decode].readinessProbe: has no effect; it is replaced by extraPodSpec.mainContainer.readinessProbe",
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
			want: []string{"spec.services[decode].extraPodSpec.mainContainer.startupProbe: probes port metrics, which is not in mainContainer.ports; the probe fails until the port is added"},
		},
		"OwnPortsOfOtherType": {
			reason: "A component type without probes asks no port.",
			patch:  `spec: {services: {decode: {componentType: other, extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}}}`,
		},
	})
}
