package apis_test

// specCases break the rules on the graph as a whole at its creation.
func specCases() map[string]ruleCase {
	return map[string]ruleCase{
		"OneService": {
			reason: "A service needs no field at all.",
			spec:   `services: {frontend: {}}`,
		},
		"TopologyOfServiceOnly": {
			reason: "A service's packDomain has no meaning without the topology it belongs to.",
			spec: `
services:
  worker: {topologyConstraint: {packDomain: rack}}`,
			want: []string{`spec.topologyConstraint: Required value: topologyConstraint with a topologyProfile is required when a service has a topologyConstraint`},
		},
		"TopologyOfServiceWithProfile": {
			reason: "A profile without packDomain is enough, also for the services that have no constraint.",
			spec: `
topologyConstraint: {topologyProfile: my-cluster-topology}
services:
  frontend: {}
  worker: {topologyConstraint: {packDomain: rack}}`,
		},
		"PVCCreateEmpty": {
			reason: "A claim cannot be created without size, class and access mode.",
			spec: `
pvcs: [{name: cache, create: true}]
services: {frontend: {}}`,
			want: []string{`spec.pvcs[0]: Required value: size, storageClass and volumeAccessMode are required when create is true`},
		},
		"PVCCreateEmptyStrings": {
			reason: "Empty strings count as absent, and the error names the entry.",
			spec: `
pvcs:
- {name: other}
- {name: cache, create: true, size: 1Gi, storageClass: "", volumeAccessMode: ""}
services: {frontend: {}}`,
			want: []string{`spec.pvcs[1]: Required value: size, storageClass and volumeAccessMode are required when create is true`},
		},
		"PVCCreate": {
			reason: "A complete claim is created; one that exists needs its name only.",
			spec: `
pvcs:
- {name: cache, create: true, size: 100, storageClass: fast, volumeAccessMode: ReadWriteMany}
- {name: models, create: false}
services: {frontend: {}}`,
		},
		"TransferPolicyNeither": {
			reason: "The domain of a transfer policy needs a source.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack}}
services: {frontend: {}}`,
			want: []string{`spec.experimental.kvTransferPolicy: Invalid value: exactly one of labelKey and clusterTopologyName is required`},
		},
		"TransferPolicyBoth": {
			reason: "Two sources of the domain could disagree.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack, labelKey: example.org/rack, clusterTopologyName: cluster}}
services: {frontend: {}}`,
			want: []string{`spec.experimental.kvTransferPolicy: Invalid value: exactly one of labelKey and clusterTopologyName is required`},
		},
		"TransferPolicyPreferredWithoutWeight": {
			reason: "A preference needs its strength.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack, labelKey: example.org/rack, enforcement: preferred}}
services: {frontend: {}}`,
			want: []string{`spec.experimental.kvTransferPolicy.preferredWeight: Required value: preferredWeight is required when enforcement is preferred`},
		},
		"TransferPolicyWeightWithoutPreferred": {
			reason: "The default enforcement is required, which has no strength.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack, labelKey: example.org/rack, preferredWeight: 0.5}}
services: {frontend: {}}`,
			want: []string{`spec.experimental.kvTransferPolicy.preferredWeight: Forbidden: preferredWeight may not be set when enforcement is required; remove it, or set enforcement to preferred`},
		},
		"TransferPolicyLongPrefix": {
			reason: "Kubernetes takes label prefixes of up to 253 characters.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack, labelKey: ` + label(254) + `/rack}}
services: {frontend: {}}`,
			want: []string{`spec.experimental.kvTransferPolicy.labelKey: Invalid value: "` + label(254) + `/rack": the prefix of labelKey, before the slash, must be no longer than 253 characters`},
		},
		"TransferPolicyLongestPrefix": {
			reason: "A label prefix of 253 characters is accepted.",
			spec: `
experimental: {kvTransferPolicy: {domain: rack, labelKey: ` + label(253) + `/rack, enforcement: preferred, preferredWeight: 1}}
services: {frontend: {}}`,
		},
		"Annotations": {
			reason: "An annotation that chooses between two ways is one of the two.",
			spec: `
annotations: {nvidia.com/vllm-distributed-executor-backend: multiprocessing, nvidia.com/dynamo-kube-discovery-mode: node, other: value}
services: {frontend: {}}`,
			want: []string{
				`spec.annotations: Invalid value: annotation nvidia.com/dynamo-kube-discovery-mode must be pod or container`,
				`spec.annotations: Invalid value: annotation nvidia.com/vllm-distributed-executor-backend must be mp or ray`,
			},
		},
		"AnnotationsOfService": {
			reason: "An annotation of a service that chooses between two ways is one of the two.",
			spec: `
annotations: {nvidia.com/vllm-distributed-executor-backend: mp, nvidia.com/dynamo-kube-discovery-mode: pod}
services:
  worker: {annotations: {nvidia.com/vllm-distributed-executor-backend: "", nvidia.com/dynamo-kube-discovery-mode: Pod}}
  prefill: {annotations: {nvidia.com/vllm-distributed-executor-backend: RAY, nvidia.com/dynamo-kube-discovery-mode: container}}`,
			want: []string{
				`spec.services[worker].annotations: Invalid value: annotation nvidia.com/dynamo-kube-discovery-mode must be pod or container`,
				`spec.services[worker].annotations: Invalid value: annotation nvidia.com/vllm-distributed-executor-backend must be mp or ray`,
			},
		},
	}
}

// label returns a DNS subdomain of n characters, at most 63 between two dots.
func label(n int) string {
	name := make([]byte, n)
	for i := range name {
		name[i] = 'a'
		if i%60 == 59 && i < n-1 {
			name[i] = '.'
		}
	}
	return string(name)
}

// restartCases break the rules on the order of a restart.
func restartCases() map[string]ruleCase {
	return map[string]ruleCase{
		"RestartOrder": {
			reason: "An order names every service once.",
			spec: `
restart: {id: one, strategy: {order: [worker, frontend]}}
services: {frontend: {}, worker: {}}`,
		},
		"RestartEmptyOrder": {
			reason: "An empty order means alphabetical, and none with Parallel.",
			spec: `
restart: {id: one, strategy: {type: Parallel, order: []}}
services: {frontend: {}, worker: {}}`,
		},
		"RestartOrderUnknown": {
			reason: "A service that does not exist cannot be restarted; names are compared as written.",
			spec: `
restart: {id: one, strategy: {order: [frontend, Worker, worker]}}
services: {frontend: {}, worker: {}}`,
			want: []string{`spec.restart.strategy.order: Invalid value: order names a service that is not in services; use the names of services`},
		},
		"RestartOrderIncomplete": {
			reason: "A service left out would never be restarted.",
			spec: `
restart: {id: one, strategy: {order: [frontend]}}
services: {frontend: {}, worker: {}}`,
			want: []string{`spec.restart.strategy.order: Invalid value: order must name every service exactly once; add the missing services, or remove order`},
		},
		"RestartOrderTwice": {
			reason: "A service is restarted once.",
			spec: `
restart: {id: one, strategy: {order: [frontend, worker, frontend]}}
services: {frontend: {}, worker: {}}`,
			want: []string{`spec.restart.strategy.order: Invalid value: order names something twice; remove the duplicate`},
		},
		"RestartOrderParallel": {
			reason: "A parallel restart has no order.",
			spec: `
restart: {id: one, strategy: {type: Parallel, order: [frontend, worker]}}
services: {frontend: {}, worker: {}}`,
			want: []string{`spec.restart.strategy.order: Forbidden: order may not be set when type is Parallel; remove it, or use type Sequential`},
		},
		"RestartAllMistakes": {
			reason: "All mistakes are reported at once.",
			spec: `
restart: {id: one, strategy: {type: Parallel, order: [planner, planner]}}
services: {frontend: {}, worker: {}}`,
			want: []string{
				`spec.restart.strategy.order: Forbidden: order may not be set when type is Parallel; remove it, or use type Sequential`,
				`spec.restart.strategy.order: Invalid value: order must name every service exactly once; add the missing services, or remove order`,
				`spec.restart.strategy.order: Invalid value: order names a service that is not in services; use the names of services`,
				`spec.restart.strategy.order: Invalid value: order names something twice; remove the duplicate`,
			},
		},
	}
}
