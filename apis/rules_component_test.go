package apis_test

// componentCases break the rules on a component as a whole at its creation.
func componentCases() map[string]ruleCase {
	return map[string]ruleCase{
		"OneComponent": {
			reason: "A component needs its name only.",
			spec:   `components: [{name: frontend}]`,
		},
		"ComponentsAlike": {
			reason: "Components whose names differ only in case would make objects of the same name.",
			spec:   `components: [{name: Worker}, {name: worker}, {name: frontend}]`,
			want:   []string{`spec.components: Invalid value: component names must be unique regardless of case; rename one of the two components`},
		},
		"ComponentMinAvailableAboveReplicas": {
			reason: "A gang that is larger than the component is never complete; absent replicas are one.",
			spec: `
components:
- {name: decode, replicas: 2, minAvailable: 3}
- {name: prefill, minAvailable: 2}
- {name: idle, replicas: 0, minAvailable: 3}
- {name: good, replicas: 2, minAvailable: 2}`,
			want: []string{
				`spec.components[0].minAvailable: Invalid value: minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas`,
				`spec.components[1].minAvailable: Invalid value: minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas`,
			},
		},
		"ComponentEndpointPickerAllMistakes": {
			reason: "A picker with a configuration is one pod.",
			spec:   `components: [{name: epp, type: epp, replicas: 2, multinode: {}, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}]`,
			want: []string{
				`spec.components[0].multinode: Forbidden: multinode may not be set when type is epp; the Endpoint Picker runs on one node`,
				`spec.components[0].replicas: Invalid value: replicas must be 1 with eppConfig`,
			},
		},
		"ComponentEndpointPickerWithoutConfig": {
			reason: "A picker of the frontend image has no configuration, and may have several pods.",
			spec:   `components: [{name: epp, type: epp, replicas: 2}]`,
		},
		"ComponentEndpointPickerOnNodes": {
			reason: "A picker runs on one node.",
			spec:   `components: [{name: epp, type: epp, multinode: {}}]`,
			want: []string{
				`spec.components[0].multinode: Forbidden: multinode may not be set when type is epp; the Endpoint Picker runs on one node`,
			},
		},
		"ComponentEndpointPickers": {
			reason: "A graph has one Endpoint Picker, and only an Endpoint Picker has its configuration.",
			spec: `
components:
- {name: epp, type: epp, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}
- {name: other, type: epp, eppConfig: {config: {plugins: [{type: queue, parameters: {any: [1, two]}}], schedulingProfiles: [{name: default, plugins: [{pluginRef: queue}]}], unknown: kept}}}
- {name: worker, type: worker, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}
- {name: untyped, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}`,
			want: []string{
				`spec.components: Invalid value: at most one component may have type epp; remove the others`,
				`spec.components[2].eppConfig: Forbidden: eppConfig may only be set when type is epp; remove it, or set type to epp`,
				`spec.components[3].eppConfig: Forbidden: eppConfig may only be set when type is epp; remove it, or set type to epp`,
			},
		},
		"ComponentEndpointPickerConfigs": {
			reason: "An Endpoint Picker with two configurations, or with a reference to no ConfigMap, is refused.",
			spec: `
components:
- {name: both, type: epp, eppConfig: {configMapRef: {key: a}, config: {plugins: [], schedulingProfiles: []}}}`,
			want: []string{
				`spec.components[0].eppConfig.configMapRef.name: Required value: the name of the ConfigMap is required`,
				`spec.components[0].eppConfig: Invalid value: exactly one of configMapRef and config is required`,
			},
		},
		"ComponentMemoryServiceOfFrontend": {
			reason: "Only engines share GPU memory.",
			spec: `
components:
- {name: frontend, type: frontend, experimental: {gpuMemoryService: {}}}
- {name: untyped, experimental: {gpuMemoryService: {}}}
- {name: worker, type: decode, experimental: {gpuMemoryService: {mode: InterPod}}}`,
			want: []string{
				`spec.components[0].experimental.gpuMemoryService: Forbidden: gpuMemoryService requires type worker, prefill or decode; remove it, or change type`,
				`spec.components[1].experimental.gpuMemoryService: Forbidden: gpuMemoryService requires type worker, prefill or decode; remove it, or change type`,
			},
		},
		"ComponentSidecar": {
			reason: "The frontend sidecar is one of the containers.",
			spec: `
components:
- {name: bare, frontendSidecar: frontend}
- {name: other, frontendSidecar: frontend, podTemplate: {spec: {containers: [{name: main}, {name: proxy, image: proxy}]}}}
- {name: good, frontendSidecar: frontend, podTemplate: {spec: {containers: [{name: main}, {name: frontend, image: frontend}]}}}`,
			want: []string{
				`spec.components[0].frontendSidecar: Invalid value: frontendSidecar is not the name of a container in podTemplate.spec.containers; add the container, or remove frontendSidecar`,
				`spec.components[1].frontendSidecar: Invalid value: frontendSidecar is not the name of a container in podTemplate.spec.containers; add the container, or remove frontendSidecar`,
			},
		},
	}
}

// componentFieldCases break the rules on single fields of a component at its creation.
func componentFieldCases() map[string]ruleCase {
	return map[string]ruleCase{
		"ComponentImages": {
			reason: "Only the main container can get its image from elsewhere.",
			spec: `
components:
- name: worker
  podTemplate:
    spec:
      initContainers: [{name: main}, {name: load, image: ""}, {name: good, image: loader}]
      containers: [{name: main}, {name: proxy}, {name: empty, image: ""}, {name: good, image: proxy}]`,
			want: []string{
				`spec.components[0].podTemplate.spec.containers[1].image: Required value: image is required for every container but main`,
				`spec.components[0].podTemplate.spec.containers[2].image: Required value: image is required for every container but main`,
				`spec.components[0].podTemplate.spec.initContainers[0].image: Required value: image is required for an init container`,
				`spec.components[0].podTemplate.spec.initContainers[1].image: Required value: image is required for an init container`,
			},
		},
		"ComponentAnnotations": {
			reason: "An annotation of a pod template that chooses between two ways is one of the two, and case does not matter for the executor.",
			spec: `
components:
- {name: bad, podTemplate: {metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: mpi, nvidia.com/dynamo-kube-discovery-mode: Pod}}, spec: {containers: []}}}
- {name: good, podTemplate: {metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: Ray, nvidia.com/dynamo-kube-discovery-mode: pod}}, spec: {containers: []}}}`,
			want: []string{
				`spec.components[0].podTemplate.metadata.annotations: Invalid value: annotation nvidia.com/dynamo-kube-discovery-mode must be pod or container`,
				`spec.components[0].podTemplate.metadata.annotations: Invalid value: annotation nvidia.com/vllm-distributed-executor-backend must be mp or ray`,
			},
		},
		"ComponentSharedMemory": {
			reason: "The size of shared memory is not negative, as a string or a number.",
			spec: `
components:
- {name: string, sharedMemorySize: -1Gi}
- {name: number, sharedMemorySize: -1}
- {name: none, sharedMemorySize: "0"}
- {name: zero, sharedMemorySize: 0}
- {name: good, sharedMemorySize: 16Gi}`,
			want: []string{
				`spec.components[0].sharedMemorySize: Invalid value: "-1Gi": sharedMemorySize may not be negative; use 0 for none`,
				`spec.components[1].sharedMemorySize: Invalid value: -1: sharedMemorySize may not be negative; use 0 for none`,
			},
		},
		"ComponentCheckpoint": {
			reason: "A named checkpoint is not made, so its job has no meaning.",
			spec: `
components:
- {name: job, experimental: {checkpoint: {enabled: true, checkpointRef: warm, job: {}}}}
- {name: managed, experimental: {checkpoint: {enabled: true, job: {}}}}`,
			want: []string{`spec.components[0].experimental.checkpoint.job: Forbidden: job may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two`},
		},
		"ComponentMemoryServiceClients": {
			reason: "Containers are clients of a service in their pod, and pods are no clients yet.",
			spec: `
components:
- {name: worker, type: worker, experimental: {gpuMemoryService: {mode: InterPod, extraClientContainers: [other], extraClientPods: [{name: other, podTemplate: {}}]}}}
- {name: good, type: worker, experimental: {gpuMemoryService: {extraClientContainers: [other], extraClientPods: []}}}`,
			want: []string{
				`spec.components[0].experimental.gpuMemoryService.extraClientContainers: Forbidden: extraClientContainers requires mode IntraPod; remove it, or use mode IntraPod`,
				`spec.components[0].experimental.gpuMemoryService.extraClientPods: Forbidden: extraClientPods is reserved and has no effect yet; remove it`,
			},
		},
		"ComponentFailover": {
			reason: "Standby engines share the GPUs through a GPU memory service of the same mode.",
			spec: `
components:
- {name: alone, type: worker, experimental: {failover: {}}}
- {name: other, type: worker, experimental: {failover: {mode: InterPod}, gpuMemoryService: {}}}
- {name: good, type: worker, experimental: {failover: {}, gpuMemoryService: {mode: IntraPod}}}`,
			want: []string{
				`spec.components[0].experimental.failover: Invalid value: failover requires the GPU memory service; add gpuMemoryService with the same mode`,
				`spec.components[1].experimental.failover.mode: Invalid value: failover.mode must equal gpuMemoryService.mode`,
			},
		},
	}
}

// componentUpdateCases break the rules on what of components may not change after creation.
func componentUpdateCases() map[string]ruleCase {
	const (
		plain    = `components: [{name: frontend}, {name: worker}]`
		topology = `
topologyConstraint: {clusterTopologyName: cluster, packDomain: block}
components: [{name: frontend}, {name: worker, topologyConstraint: {packDomain: rack}}]`
	)
	return map[string]ruleCase{
		"ComponentsReordered": {
			reason: "The order of components may change, and so may what they do.",
			old:    `components: [{name: frontend}, {name: worker, multinode: {}, type: worker, replicas: 3, minAvailable: 1}]`,
			spec:   `components: [{name: worker, multinode: {nodeCount: 4}, type: worker, replicas: 5}, {name: frontend, podTemplate: {spec: {containers: [{name: main, image: frontend:2}]}}}]`,
		},
		"ComponentAdded": {
			reason: "Grove cannot add a clique to a running PodCliqueSet.",
			old:    plain,
			spec:   `components: [{name: frontend}, {name: worker}, {name: planner}]`,
			want:   []string{`spec.components: Forbidden: components cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ComponentRenamed": {
			reason: "Renaming a component changes the set of components, although their number stays the same.",
			old:    plain,
			spec:   `components: [{name: frontend}, {name: decode}]`,
			want:   []string{`spec.components: Forbidden: components cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ComponentMultinodeAdded": {
			reason: "A single-node component is another kind of object than a multinode one.",
			old:    plain,
			spec:   `components: [{name: frontend}, {name: worker, multinode: {nodeCount: 2}}]`,
			want:   []string{`spec.components[1].multinode: Forbidden: a component cannot change between single-node and multinode after creation; delete the graph and create it again`},
		},
		"ComponentMinAvailableChanged": {
			reason: "Grove takes minAvailable at creation only.",
			old:    `components: [{name: worker, replicas: 3, minAvailable: 2}]`,
			spec:   `components: [{name: worker, replicas: 3}]`,
			want:   []string{`spec.components[0].minAvailable: Invalid value: minAvailable (default 1) cannot be changed after creation; delete the graph and create it again`},
		},
		"ComponentMinAvailableToOverride": {
			reason: "The number may move into Grove's own form, and back. Step plan compares it.",
			old: `components: [{name: worker, replicas: 3, minAvailable: 2},
  {name: prefill, replicas: 3, providerOverride: {apiVersion: grove.io/v1alpha1, value: {spec: {minAvailable: 2}}}}]`,
			spec: `components: [{name: prefill, replicas: 3, minAvailable: 2},
  {name: worker, replicas: 3, providerOverride: {apiVersion: grove.io/v1alpha1, value: {spec: {minAvailable: 2}}}}]`,
		},
		"ComponentScalingGroupForced": {
			reason: "A PodClique is another kind of object than a PodCliqueScalingGroup.",
			old:    `components: [{name: worker}, {name: other, experimental: {grove: {forceScalingGroup: true}}}, {name: same}]`,
			spec:   `components: [{name: worker, experimental: {grove: {forceScalingGroup: true}}}, {name: other}, {name: same, experimental: {grove: {forceScalingGroup: false}}}]`,
			want: []string{
				`spec.components[0].experimental.grove.forceScalingGroup: Forbidden: forceScalingGroup (default false) cannot be changed after creation; delete the graph and create it again`,
				`spec.components[1].experimental.grove.forceScalingGroup: Forbidden: forceScalingGroup (default false) cannot be changed after creation; delete the graph and create it again`,
			},
		},
		"ComponentTopologyRemoved": {
			reason: "A component does not lose its topology constraint.",
			old:    topology,
			spec: `
topologyConstraint: {clusterTopologyName: cluster, packDomain: block}
components: [{name: frontend}, {name: worker}]`,
			want: []string{`spec.components[1].topologyConstraint: Forbidden: topologyConstraint cannot be added or removed after creation; delete the graph and create it again`},
		},
		"ComponentTopologyChanged": {
			reason: "Neither the topology nor the domains change.",
			old:    topology,
			spec: `
topologyConstraint: {clusterTopologyName: other, packDomain: zone}
components: [{name: frontend}, {name: worker, topologyConstraint: {packDomain: host}}]`,
			want: []string{
				`spec.components[1].topologyConstraint.packDomain: Invalid value: packDomain cannot be changed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.clusterTopologyName: Invalid value: clusterTopologyName cannot be changed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.packDomain: Invalid value: packDomain cannot be added, removed or changed after creation; delete the graph and create it again`,
			},
		},
	}
}
