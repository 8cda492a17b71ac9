package apis_test

// updateCases break the rules on what may not change after creation.
func updateCases() map[string]ruleCase {
	const (
		plain    = `services: {frontend: {}, worker: {}}`
		topology = `
topologyConstraint: {topologyProfile: cluster, packDomain: block}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: rack}}}`
	)
	return map[string]ruleCase{
		"Same": {
			reason: "An update that changes nothing is accepted.",
			old:    topology,
			spec:   topology,
		},
		"Mutable": {
			reason: "What a graph does may change: replicas, images, nodes, a restart.",
			old: `
backendFramework: vllm
services:
  frontend: {replicas: 1}
  worker: {replicas: 2, minAvailable: 2, multinode: {nodeCount: 2}, resources: {limits: {gpu: "8"}}}`,
			spec: `
backendFramework: vllm
annotations: {team: search}
restart: {id: one}
services:
  frontend: {replicas: 3, extraPodSpec: {mainContainer: {image: frontend:2}}}
  worker: {replicas: 4, minAvailable: 2, multinode: {nodeCount: 4}, resources: {limits: {gpu: 4}}, componentType: decode}`,
		},
		"TypeKept": {
			reason: "A service may get a type once, and components are workers for one phase of inference in their own way.",
			old:    `services: {a: {}, b: {componentType: ""}, c: {componentType: worker, subComponentType: prefill}, d: {componentType: decode}, e: {componentType: main}}`,
			spec:   `components: [{name: a, type: worker}, {name: b, type: frontend}, {name: c, type: prefill}, {name: d, type: decode}, {name: e}]`,
		},
		"TypeKeptBack": {
			reason: "Components may get a type when they become services.",
			old:    `components: [{name: a, type: prefill}, {name: b, type: worker}, {name: c}]`,
			spec:   `services: {a: {componentType: worker, subComponentType: prefill}, b: {componentType: worker, subComponentType: encode}, c: {componentType: main}}`,
		},
		"TypeSpelled": {
			reason: "Both ways to write that a worker is for one phase of inference are the same type.",
			old:    `services: {a: {componentType: worker, subComponentType: prefill}, b: {componentType: decode}, c: {componentType: worker, subComponentType: prefill}}`,
			spec:   `services: {a: {componentType: prefill}, b: {componentType: worker, subComponentType: decode}, c: {componentType: worker}}`,
		},
		"TypeOfServiceChanged": {
			reason: "The pods of another type are others.",
			old:    `services: {frontend: {componentType: frontend}, worker: {componentType: decode}}`,
			spec:   `services: {frontend: {}, worker: {componentType: worker}}`,
			want: []string{
				`spec.services[frontend].componentType: Invalid value: componentType cannot be changed or removed once it is set; delete the graph and create it again`,
				`spec.services[worker].componentType: Invalid value: componentType cannot be changed or removed once it is set; delete the graph and create it again`,
			},
		},
		"TypeOfComponentChanged": {
			reason: "The pods of another type are others.",
			old:    `components: [{name: frontend, type: frontend}, {name: worker, type: decode}, {name: none}]`,
			spec:   `components: [{name: frontend}, {name: worker, type: worker}, {name: none, type: planner}]`,
			want: []string{
				`spec.components[0].type: Invalid value: type cannot be changed or removed once it is set; delete the graph and create it again`,
				`spec.components[1].type: Invalid value: type cannot be changed or removed once it is set; delete the graph and create it again`,
			},
		},
		"TypeChangedToComponents": {
			reason: "The form of a graph does not change its types.",
			old:    `services: {worker: {componentType: worker, subComponentType: decode}}`,
			spec:   `components: [{name: worker, type: worker}]`,
			want: []string{
				`spec.components: Forbidden: type of components must be that of the services that they replace; it cannot be changed or removed once it is set; delete the graph and create it again`,
			},
		},
		"TypeChangedToServices": {
			reason: "The form of a graph does not change its types.",
			old:    `components: [{name: worker, type: prefill}]`,
			spec:   `services: {worker: {componentType: worker}}`,
			want: []string{
				`spec.services: Forbidden: componentType of services must be that of the components that they replace; it cannot be changed or removed once it is set; delete the graph and create it again`,
			},
		},
		"CheckpointKept": {
			reason: "A graph keeps the checkpoint that it was created with, and workers may get one.",
			old:    `services: {a: {checkpoint: {enabled: true}}, b: {componentType: worker}, c: {}}`,
			spec:   `services: {a: {checkpoint: {enabled: true}, replicas: 2}, b: {componentType: worker, checkpoint: {enabled: true}}, c: {checkpoint: {enabled: false}}}`,
		},
		"CheckpointOfServiceEnabled": {
			reason: "Only workers are restored.",
			old:    `services: {a: {componentType: frontend}}`,
			spec:   `services: {a: {componentType: frontend, checkpoint: {enabled: true}}}`,
			want:   []string{`spec.services[a].checkpoint: Forbidden: checkpoint requires componentType worker, prefill or decode; disable it, or set componentType`},
		},
		"CheckpointOfComponentEnabled": {
			reason: "Only workers are restored.",
			old:    `components: [{name: a, type: frontend, experimental: {checkpoint: {enabled: false}}}]`,
			spec:   `components: [{name: a, type: frontend, experimental: {checkpoint: {enabled: true}}}]`,
			want:   []string{`spec.components[0].experimental.checkpoint: Forbidden: checkpoint requires type worker, prefill or decode; disable it, or set type`},
		},
		"ServiceAdded": {
			reason: "Grove cannot add a clique to a running PodCliqueSet.",
			old:    plain,
			spec:   `services: {frontend: {}, worker: {}, planner: {}}`,
			want:   []string{`spec.services: Forbidden: services cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ServiceRemoved": {
			reason: "Grove cannot remove a clique from a running PodCliqueSet.",
			old:    plain,
			spec:   `services: {frontend: {}}`,
			want:   []string{`spec.services: Forbidden: services cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ServiceRenamed": {
			reason: "Renaming a service changes the set of services, although their number stays the same.",
			old:    plain,
			spec:   `services: {frontend: {}, decode: {}}`,
			want:   []string{`spec.services: Forbidden: services cannot be added or removed after creation; delete the graph and create it again`},
		},
		"AllServicesRemoved": {
			reason: "Without services there is no graph.",
			old:    plain,
			spec:   `{}`,
			want:   []string{`spec.components: Required value: at least one component is required, or at least one service in the form of v1alpha1`},
		},
		"TransferPolicySame": {
			reason: "A policy that stays is accepted, with its default or without.",
			old:    "experimental: {kvTransferPolicy: {labelKey: zone, domain: zone}}\n" + plain,
			spec:   "experimental: {kvTransferPolicy: {labelKey: zone, domain: zone, enforcement: required}}\n" + plain,
		},
		"TransferPolicyAdded": {
			reason: "Workers with a policy and workers without one do not find each other.",
			old:    plain,
			spec:   "experimental: {kvTransferPolicy: {labelKey: zone, domain: zone}}\n" + plain,
			want:   []string{`spec.experimental: Forbidden: kvTransferPolicy cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"TransferPolicyRemoved": {
			reason: "Workers with a policy and workers without one do not find each other, whether the block is empty or gone.",
			old:    "experimental: {kvTransferPolicy: {labelKey: zone, domain: zone}}\n" + plain,
			spec:   "experimental: {}\n" + plain,
			want:   []string{`spec.experimental: Forbidden: kvTransferPolicy cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"TransferPolicyChanged": {
			reason: "Workers of two policies do not find each other.",
			old:    "experimental: {kvTransferPolicy: {labelKey: zone, domain: zone}}\n" + plain,
			spec:   "experimental: {kvTransferPolicy: {labelKey: rack, domain: rack}}\n" + plain,
			want:   []string{`spec.experimental.kvTransferPolicy: Invalid value: kvTransferPolicy cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"BackendAdded": {
			reason: "Naming the backend of a graph whose backend was detected could change it.",
			old:    plain,
			spec:   "backendFramework: vllm\n" + plain,
			want:   []string{`spec.backendFramework: Invalid value: backendFramework cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"BackendRemoved": {
			reason: "Detection could find another backend than the one that is removed from the spec.",
			old:    "backendFramework: vllm\n" + plain,
			spec:   plain,
			want:   []string{`spec.backendFramework: Invalid value: backendFramework cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"BackendChanged": {
			reason: "Another engine is another graph.",
			old:    "backendFramework: vllm\n" + plain,
			spec:   "backendFramework: sglang\n" + plain,
			want:   []string{`spec.backendFramework: Invalid value: backendFramework cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"MultinodeAdded": {
			reason: "A single-node service is another kind of object than a multinode one.",
			old:    plain,
			spec:   `services: {frontend: {}, worker: {multinode: {nodeCount: 2}}}`,
			want:   []string{`spec.services[worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation; delete the graph and create it again`},
		},
		"MultinodeRemoved": {
			reason: "A multinode service is another kind of object than a single-node one.",
			old:    `services: {frontend: {}, worker: {multinode: {nodeCount: 2}}}`,
			spec:   plain,
			want:   []string{`spec.services[worker].multinode: Forbidden: a service cannot change between single-node and multinode after creation; delete the graph and create it again`},
		},
		"MinAvailableChanged": {
			reason: "Grove takes minAvailable at creation only.",
			old:    `services: {worker: {replicas: 3, minAvailable: 2}}`,
			spec:   `services: {worker: {replicas: 3, minAvailable: 3}}`,
			want:   []string{`spec.services[worker].minAvailable: Invalid value: minAvailable (default 1) cannot be changed after creation; delete the graph and create it again`},
		},
		"MinAvailableRemoved": {
			reason: "Removing a minAvailable of 2 changes it, since absent is 1.",
			old:    `services: {worker: {replicas: 3, minAvailable: 2}}`,
			spec:   `services: {worker: {replicas: 3}}`,
			want:   []string{`spec.services[worker].minAvailable: Invalid value: minAvailable (default 1) cannot be changed after creation; delete the graph and create it again`},
		},
		"MinAvailableAdded": {
			reason: "Adding a minAvailable of 2 changes it, since absent was 1.",
			old:    `services: {worker: {replicas: 3}}`,
			spec:   `services: {worker: {replicas: 3, minAvailable: 2}}`,
			want:   []string{`spec.services[worker].minAvailable: Invalid value: minAvailable (default 1) cannot be changed after creation; delete the graph and create it again`},
		},
		"MinAvailableWrittenDown": {
			reason: "Writing down a minAvailable of 1 changes nothing, since absent was 1.",
			old:    `services: {worker: {replicas: 3}}`,
			spec:   `services: {worker: {replicas: 3, minAvailable: 1}}`,
		},
		"TopologyAdded": {
			reason: "Adding a topology constraint would not move running pods.",
			old:    plain,
			spec:   topology,
			want: []string{
				`spec.services[worker].topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`,
				`spec.topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`,
			},
		},
		"TopologyRemoved": {
			reason: "Removing a topology constraint would not move running pods.",
			old:    topology,
			spec:   plain,
			want: []string{
				`spec.services[worker].topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`,
				`spec.topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`,
			},
		},
		"TopologyChanged": {
			reason: "Neither the topology profile nor the domains change.",
			old:    topology,
			spec: `
topologyConstraint: {topologyProfile: other, packDomain: zone}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: host}}}`,
			want: []string{
				`spec.services[worker].topologyConstraint.packDomain: Invalid value: packDomain cannot be changed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.packDomain: Invalid value: packDomain cannot be added, removed or changed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.topologyProfile: Invalid value: topologyProfile cannot be changed after creation; delete the graph and create it again`,
			},
		},
		"PackDomainRemoved": {
			reason: "A packDomain of the graph is not removed.",
			old:    topology,
			spec: `
topologyConstraint: {topologyProfile: cluster}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: rack}}}`,
			want: []string{`spec.topologyConstraint.packDomain: Invalid value: packDomain cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"PackDomainAdded": {
			reason: "A packDomain is not added to a graph that has only a profile.",
			old: `
topologyConstraint: {topologyProfile: cluster}
services: {frontend: {}}`,
			spec: `
topologyConstraint: {topologyProfile: cluster, packDomain: rack}
services: {frontend: {}}`,
			want: []string{`spec.topologyConstraint.packDomain: Invalid value: packDomain cannot be added, removed or changed after creation; delete the graph and create it again`},
		},
		"ServiceTopologyRemoved": {
			reason: "A service does not lose its topology constraint.",
			old:    topology,
			spec: `
topologyConstraint: {topologyProfile: cluster, packDomain: block}
services: {frontend: {}, worker: {}}`,
			want: []string{`spec.services[worker].topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ServiceTopologyChanged": {
			reason: "A service does not get another topology constraint.",
			old:    topology,
			spec: `
topologyConstraint: {topologyProfile: cluster, packDomain: block}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: host}}}`,
			want: []string{`spec.services[worker].topologyConstraint.packDomain: Invalid value: packDomain cannot be changed after creation; delete the graph and create it again`},
		},
		"ProfileAdded": {
			reason: "A profile alone constrains nothing, and later constraints would need it.",
			old:    plain,
			spec:   "topologyConstraint: {topologyProfile: cluster}\n" + plain,
			want:   []string{`spec.topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ProfileRemoved": {
			reason: "A profile is not removed, even where it constrains nothing.",
			old:    "topologyConstraint: {topologyProfile: cluster}\n" + plain,
			spec:   plain,
			want:   []string{`spec.topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ProfileChanged": {
			reason: "Domains of another topology are other domains.",
			old:    topology,
			spec: `
topologyConstraint: {topologyProfile: other, packDomain: block}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: rack}}}`,
			want: []string{`spec.topologyConstraint.topologyProfile: Invalid value: topologyProfile cannot be changed after creation; delete the graph and create it again`},
		},
		"ServiceTopologyAdded": {
			reason: "A service cannot get a topology constraint after its creation.",
			old: `
topologyConstraint: {topologyProfile: cluster}
services: {frontend: {}, worker: {}}`,
			spec: `
topologyConstraint: {topologyProfile: cluster}
services: {frontend: {}, worker: {topologyConstraint: {packDomain: rack}}}`,
			want: []string{`spec.services[worker].topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`},
		},
	}
}
