package validate_test

import (
	"testing"
)

func TestBadScheduling(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"BadProtocol": {
			reason: "Protocols are in capitals.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 80, protocol: tcp}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"; did you mean "TCP"?`,
			},
		},
		"BadHostPort": {
			reason: "A host port must be a valid port number.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 80, hostPort: 70000}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.ports[0].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
			},
		},
		"BadDNSPolicy": {
			reason: "The DNS policy must be one that exists.",
			patch:  `spec: {services: {decode: {extraPodSpec: {dnsPolicy: Cluster}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.dnsPolicy: Unsupported value: "Cluster": supported values: "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"`,
			},
		},
		"Deadline": {
			reason: "A service has no end.",
			patch:  `spec: {services: {decode: {extraPodSpec: {activeDeadlineSeconds: 60}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.activeDeadlineSeconds: Forbidden: may not be set, because services run until they are removed; remove it",
			},
		},
		"BadTolerationOperator": {
			reason: "The operator of a toleration must be one that exists.",
			patch:  `spec: {services: {decode: {extraPodSpec: {tolerations: [{key: a, operator: exists}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.tolerations[0].operator: Unsupported value: "exists": supported values: "Equal", "Exists", "Gt", "Lt"; did you mean "Exists"?`,
			},
		},
		"BadTolerationEffect": {
			reason: "The effect of a toleration must be one that exists.",
			patch:  `spec: {services: {decode: {extraPodSpec: {tolerations: [{key: a, operator: Exists, effect: NoRun}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.tolerations[0].effect: Unsupported value: "NoRun": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"`,
			},
		},
		"TolerationOfNothing": {
			reason: "A toleration without a key needs operator Exists.",
			patch:  `spec: {services: {decode: {extraPodSpec: {tolerations: [{value: a}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.tolerations[0].key: Required value: specify the key of the taint, or set operator: Exists to tolerate all taints",
			},
		},
		"TolerationSeconds": {
			reason: "Only a toleration with effect NoExecute may have tolerationSeconds.",
			patch:  `spec: {services: {decode: {extraPodSpec: {tolerations: [{key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.tolerations[0].tolerationSeconds: Forbidden: may only be set when effect is NoExecute; remove it",
			},
		},
	})
}
