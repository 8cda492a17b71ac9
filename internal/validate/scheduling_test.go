package validate_test

import (
	"testing"
)

func TestBadScheduling(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"BadNodeAffinity": {
			reason: "The API server refuses pods whose node affinity it cannot evaluate.",
			patch: `spec: {services: {decode: {extraPodSpec: {affinity: {nodeAffinity: {
				requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: In}, {key: gpu, operator: Exists, values: ["true"]}, {key: gpu, operator: Is, values: [a]}, {key: gpu, operator: Gt, values: ["1", "2"]}]}]},
				preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, preference: {matchExpressions: [{key: disk, operator: NotIn, values: [a]}]}}]}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be from 1 to 100",
				"spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: specify values for operator In, or use operator Exists",
				"spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Forbidden: may not be set with operator Exists; remove them, or use operator In",
				`spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].operator: Unsupported value: "Is": supported values: "DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"`,
				"spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values: Forbidden: must be one number with operator Gt, but has 2 values",
			},
		},
		"NoTerms": {
			reason: "A required node affinity without terms matches no node, and is refused.",
			patch:  `spec: {services: {decode: {extraPodSpec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: []}}}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: specify a term, or remove the affinity"},
		},
		"NoNameservers": {
			reason: "A pod without the DNS of the cluster needs servers of its own.",
			patch:  `spec: {services: {decode: {extraPodSpec: {dnsPolicy: None}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.dnsConfig.nameservers: Required value: specify a nameserver, or another dnsPolicy"},
		},
		"SharedProcesses": {
			reason: "Two fields that contradict each other are refused with the pod.",
			patch: `spec: {services: {decode: {extraPodSpec: {hostPID: true, shareProcessNamespace: true,
				mainContainer: {securityContext: {privileged: true, allowPrivilegeEscalation: false}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.securityContext.allowPrivilegeEscalation: Forbidden: may not be false for a privileged container; remove one of the two",
				"spec.services[decode].extraPodSpec.shareProcessNamespace: Forbidden: may not be set together with hostPID; remove one of the two",
			},
		},
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

func TestWarningsOfNames(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"NetworkOfTheNode": {
			reason: "Pods on the network of their node use the DNS of the cluster only if they say so, and the nodes of a replica need it.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}, resources: {limits: {gpu: "8"}}, extraPodSpec: {hostNetwork: true, mainContainer: {command: [python3, -m, dynamo.vllm], args: [--model, m, --tensor-parallel-size, "16"]}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.dnsPolicy: the pods do not use the DNS of the cluster, so the nodes of a replica do not find each other; set it to ClusterFirstWithHostNet"},
		},
		"DNSOfTheNode": {
			reason: "The DNS of the node does not know the names of pods.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}, resources: {limits: {gpu: "8"}}, extraPodSpec: {dnsPolicy: Default, mainContainer: {command: [python3, -m, dynamo.vllm], args: [--model, m, --tensor-parallel-size, "16"]}}}}}`,
			want:   []string{"spec.services[decode].extraPodSpec.dnsPolicy: the pods do not use the DNS of the cluster, so the nodes of a replica do not find each other; set it to ClusterFirst"},
		},
		"DNSOfTheCluster": {
			reason: "The policy for pods on the network of their node, and engines on one node, need nothing.",
			patch: `spec: {services: {decode: {multinode: {nodeCount: 2}, resources: {limits: {gpu: "8"}}, extraPodSpec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet, mainContainer: {command: [python3, -m, dynamo.vllm], args: [--model, m, --tensor-parallel-size, "16"]}}},
				Frontend: {extraPodSpec: {hostNetwork: true}}}}`,
		},
	})
}
