package validate_test

import (
	"testing"
)

func TestWarningsOfProbes(t *testing.T) {
	const elsewhere = "spec.services[decode].extraPodSpec.mainContainer.env: the value of variable DYN_SYSTEM_PORT is not in the graph, so the default probes check port 9090; " +
		"write the port as value, or set probes of your own"
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
		"OwnSystemPort": {
			reason: "Default ports and probes follow the port of the program.",
			patch:  `spec: {envs: [{name: DYN_SYSTEM_PORT, value: none}], services: {decode: {envs: [{name: DYN_SYSTEM_PORT, value: "8081"}]}}}`,
		},
		"OtherSystemPort": {
			reason: "The declared port is not the one on which the program listens.",
			patch:  `spec: {services: {decode: {envs: [{name: DYN_SYSTEM_PORT, value: "8081"}], extraPodSpec: {mainContainer: {ports: [{name: system, containerPort: 9090}]}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.mainContainer.ports: port system is 9090, but variable DYN_SYSTEM_PORT is 8081, the port where the program listens, and to which the default probes and the Service lead; use the same number for both"},
		},
		"FrontendElsewhere": {
			reason: "The Service of a frontend leads to its port, whoever probes it.",
			patch:  `spec: {services: {frontend: {componentType: frontend, envs: [{name: DYN_HTTP_PORT, valueFrom: {secretKeyRef: {name: s, key: k}}}]}}}`,
			want:   []string{"spec.services[frontend].extraPodSpec.mainContainer.env: the value of variable DYN_HTTP_PORT is not in the graph, so the default probes check port 8000, to which the Service leads; write the port as value, or declare port http with it in ports"},
		},
		"NoSystemPort": {
			reason: "A value that turns the server off leaves nothing for the probes.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_PORT, value: "-1"}]}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.mainContainer.env: variable DYN_SYSTEM_PORT is no port, so the default probes check port 9090, at which nothing answers; set a port"},
		},
		"NoSystemPortAndOwnProbes": {
			reason: "Probes of the user need no server.",
			patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_PORT, value: "-1"}], livenessProbe: {tcpSocket: {port: 1}},
				readinessProbe: {tcpSocket: {port: 1}}, startupProbe: {tcpSocket: {port: 1}}}}}}}`,
		},
		"SystemPortElsewhere": {
			reason: "What a reference refers to is not in the graph, so default probes cannot follow it.",
			patch:  `spec: {services: {decode: {envs: [{name: PORT, valueFrom: {fieldRef: {fieldPath: "metadata.annotations['port']"}}}, {name: DYN_SYSTEM_PORT, value: $(PORT)}]}}}`,
			want:   []string{elsewhere},
		},
		"SystemPortByReference": {
			reason: "Neither can they follow a ConfigMap.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_PORT, valueFrom: {configMapKeyRef: {name: a, key: b}}}]}}}}}`,
			want:   []string{elsewhere},
		},
		"SystemPortElsewhereAndOwnPort": {
			reason: "Default probes check the port that the user declares under their name.",
			patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_PORT, valueFrom: {configMapKeyRef: {name: a, key: b}}}],
				ports: [{name: system, containerPort: 8081}]}}}}}`,
		},
		"SystemPortElsewhereAndOwnProbes": {
			reason: "Probes of the user check what they say.",
			patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: DYN_SYSTEM_PORT, valueFrom: {configMapKeyRef: {name: a, key: b}}}],
				livenessProbe: {tcpSocket: {port: 1}}, readinessProbe: {tcpSocket: {port: 1}}, startupProbe: {tcpSocket: {port: 1}}}}}}}`,
		},
		"PathElsewhere": {
			reason: "Default probes follow a path that is in the graph, and no other.",
			patch: `spec: {services: {decode: {envs: [{name: DYN_SYSTEM_LIVE_PATH, value: /alive}, {name: DYN_SYSTEM_HEALTH_PATH, valueFrom: {secretKeyRef: {name: s, key: k}}}]},
				frontend: {componentType: frontend, envs: [{name: DYN_HTTP_SVC_LIVE_PATH, valueFrom: {secretKeyRef: {name: s, key: k}}}]}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.env: the value of variable DYN_SYSTEM_HEALTH_PATH is not in the graph, so the default probes ask for /health; write the path as value, or set probes of your own",
				"spec.services[frontend].extraPodSpec.mainContainer.env: the value of variable DYN_HTTP_SVC_LIVE_PATH is not in the graph, so the default probes ask for /live; write the path as value, or set probes of your own",
			},
		},
		"Loopback": {
			reason: "Nothing outside of the pod reaches a program that listens on its loopback interface.",
			patch:  `spec: {services: {decode: {envs: [{name: DYN_SYSTEM_HOST, value: localhost}]}, frontend: {componentType: frontend, extraPodSpec: {mainContainer: {args: [--http-host=127.0.0.1]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.env: variable DYN_SYSTEM_HOST is localhost, where neither the kubelet nor other pods reach the program; remove it",
				"spec.services[frontend].extraPodSpec.mainContainer.args: --http-host is 127.0.0.1, where neither the kubelet nor other pods reach the program; remove it",
			},
		},
		"OtherHost": {
			reason: "All other addresses are those of the pod.",
			patch:  `spec: {services: {decode: {envs: [{name: DYN_SYSTEM_HOST, value: "::"}]}}}`,
		},
		"ClientCertificates": {
			reason: "The kubelet has no certificate for a frontend that demands one.",
			patch:  `spec: {services: {frontend: {componentType: frontend, extraPodSpec: {mainContainer: {args: [--tls-cert-path, /tls/a, --tls-key-path, /tls/b, --tls-client-ca-cert-path, /tls/c]}}}}}`,
			want:   []string{"spec.services[frontend].extraPodSpec.mainContainer.args: --tls-client-ca-cert-path makes the frontend refuse the default probes, because the kubelet has no certificate; set probes of your own, such as tcpSocket"},
		},
		"ClientCertificatesAndOwnProbes": {
			reason: "Probes of the user need no certificate, and frontends have no default startup probe.",
			patch: `spec: {services: {frontend: {componentType: frontend, envs: [{name: DYN_TLS_CLIENT_CA_CERT_PATH, value: /tls/c}], extraPodSpec: {mainContainer: {livenessProbe: {tcpSocket: {port: 1}},
				readinessProbe: {tcpSocket: {port: 1}}}}}}}`,
		},
		"OwnPortsOfOtherType": {
			reason: "A component type without probes asks no port.",
			patch:  `spec: {services: {decode: {componentType: other, extraPodSpec: {mainContainer: {command: [serve], ports: [{containerPort: 9000}]}}}}}`,
		},
	})
}
