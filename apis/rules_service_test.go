package apis_test

// serviceCases break the rules on a service as a whole at its creation.
func serviceCases() map[string]ruleCase {
	return map[string]ruleCase{
		"ServicesAlike": {
			reason: "Services whose names differ only in case would make objects of the same name.",
			spec:   `services: {Worker: {}, worker: {}, frontend: {}}`,
			want:   []string{`spec.services: Invalid value: service names must be unique regardless of case; rename one of the two services`},
		},
		"ServiceNameDiffers": {
			reason: "The field serviceName says what the key says, or nothing.",
			spec: `
services:
  frontend: {serviceName: Frontend}
  worker: {serviceName: worker}
  prefill: {serviceName: ""}`,
			want: []string{`spec.services: Invalid value: serviceName must equal the service's key in services; remove it`},
		},
		"MinAvailableAboveReplicas": {
			reason: "A gang that is larger than the service is never complete; absent replicas are one.",
			spec: `
services:
  decode: {replicas: 2, minAvailable: 3}
  prefill: {minAvailable: 2}`,
			want: []string{
				`spec.services[decode].minAvailable: Invalid value: minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas`,
				`spec.services[prefill].minAvailable: Invalid value: minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas`,
			},
		},
		"MinAvailable": {
			reason: "A service scaled to zero keeps its minAvailable for later.",
			spec: `
services:
  decode: {replicas: 2, minAvailable: 2}
  prefill: {replicas: 0, minAvailable: 3}
  worker: {minAvailable: 1}`,
		},
		"EndpointPickerAllMistakes": {
			reason: "A picker with a configuration is one pod.",
			spec: `
services:
  epp: {componentType: epp, replicas: 2, multinode: {nodeCount: 2}, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}`,
			want: []string{
				`spec.services[epp].multinode: Forbidden: multinode may not be set when componentType is epp; the Endpoint Picker runs on one node`,
				`spec.services[epp].replicas: Invalid value: replicas must be 1 with eppConfig`,
			},
		},
		"EndpointPicker": {
			reason: "Either source of the Endpoint Picker's configuration is accepted.",
			spec: `
services:
  epp: {componentType: epp, replicas: 1, eppConfig: {configMapRef: {name: picker, key: config.yaml}}}
  other: {componentType: epp, eppConfig: {config: {plugins: [{type: queue, parameters: {any: [1, two]}}], schedulingProfiles: [{name: default, plugins: [{pluginRef: queue}]}], unknown: kept}}}`,
		},
		"EndpointPickerConfigs": {
			reason: "An Endpoint Picker with two configurations, with none, or with a reference to no ConfigMap is refused.",
			spec: `
services:
  none: {componentType: epp, eppConfig: {}}
  both: {componentType: epp, eppConfig: {configMapRef: {name: picker, key: a}, config: {plugins: [], schedulingProfiles: []}}}
  nameless: {componentType: epp, eppConfig: {configMapRef: {key: a}}}`,
			want: []string{
				`spec.services[both].eppConfig: Invalid value: exactly one of configMapRef and config is required`,
				`spec.services[nameless].eppConfig.configMapRef.name: Required value: the name of the ConfigMap is required`,
				`spec.services[none].eppConfig: Invalid value: exactly one of configMapRef and config is required`,
			},
		},
		"MemoryServiceOfFrontend": {
			reason: "Only engines share GPU memory.",
			spec: `
services:
  frontend: {componentType: frontend, gpuMemoryService: {enabled: true}}
  untyped: {gpuMemoryService: {enabled: true}}
  off: {gpuMemoryService: {enabled: false}}
  worker: {componentType: decode, gpuMemoryService: {enabled: true}}`,
			want: []string{
				`spec.services[frontend].gpuMemoryService: Forbidden: gpuMemoryService requires componentType worker, prefill or decode; disable it, or change componentType`,
				`spec.services[untyped].gpuMemoryService: Forbidden: gpuMemoryService requires componentType worker, prefill or decode; disable it, or change componentType`,
			},
		},
		"FailoverWithoutMemoryService": {
			reason: "A standby in the same pod shares the GPUs through the GPU memory service.",
			spec: `
services:
  disabled: {componentType: worker, failover: {enabled: true}, gpuMemoryService: {enabled: false}}
  missing: {componentType: worker, failover: {enabled: true}}
  between: {componentType: worker, failover: {enabled: true, mode: interPod}}
  off: {failover: {enabled: false}}`,
			want: []string{
				`spec.services[disabled].failover: Invalid value: failover with mode intraPod requires the GPU memory service; set gpuMemoryService.enabled to true`,
				`spec.services[missing].failover: Invalid value: failover with mode intraPod requires the GPU memory service; set gpuMemoryService.enabled to true`,
			},
		},
		"FailoverOtherMode": {
			reason: "Failover and memory service are in the same pods.",
			spec: `
services:
  worker: {componentType: worker, failover: {enabled: true, mode: interPod}, gpuMemoryService: {enabled: true}}`,
			want: []string{`spec.services[worker].failover.mode: Invalid value: failover.mode must equal gpuMemoryService.mode`},
		},
		"Failover": {
			reason: "Failover and the GPU memory service default to one shadow in the same pod.",
			spec: `
services:
  worker: {componentType: worker, failover: {enabled: true}, gpuMemoryService: {enabled: true, mode: intraPod}}`,
		},
		"SidecarNameTaken": {
			reason: "The frontend sidecar's container name is fixed.",
			spec: `
services:
  worker: {frontendSidecar: {image: frontend}, extraPodSpec: {containers: [{name: proxy}, {name: sidecar-frontend}]}}
  other: {extraPodSpec: {containers: [{name: sidecar-frontend}]}}
  third: {frontendSidecar: {image: frontend}, extraPodSpec: {containers: [{name: proxy}]}}`,
			want: []string{`spec.services[worker].frontendSidecar: Invalid value: frontendSidecar adds a container named sidecar-frontend, and extraPodSpec.containers already has a container of that name; rename yours`},
		},
	}
}

// fieldCases break the rules on single fields of a service at its creation.
func fieldCases() map[string]ruleCase {
	return map[string]ruleCase{
		"AutoscalingMaxBelowMin": {
			reason: "An autoscaler cannot have fewer at most than at least, once it is on.",
			spec: `
services:
  worker: {autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 2}}
  off: {autoscaling: {enabled: false, minReplicas: 3, maxReplicas: 2}}
  equal: {autoscaling: {enabled: true, minReplicas: 3, maxReplicas: 3}}`,
			want: []string{`spec.services[worker].autoscaling.maxReplicas: Invalid value: maxReplicas may not be less than minReplicas; raise maxReplicas, or lower minReplicas`},
		},
		"MountWithoutPath": {
			reason: "Only a compilation cache has a path of its own.",
			spec: `
services:
  worker: {volumeMounts: [{name: cache, useAsCompilationCache: true}, {name: models}, {name: data, mountPoint: ""}, {name: logs, mountPoint: /logs}]}`,
			want: []string{
				`spec.services[worker].volumeMounts[1].mountPoint: Required value: mountPoint is required unless useAsCompilationCache is true`,
				`spec.services[worker].volumeMounts[2].mountPoint: Required value: mountPoint is required unless useAsCompilationCache is true`,
			},
		},
		"IngressWithoutHost": {
			reason: "An ingress for every host would catch the traffic of others.",
			spec: `
services:
  frontend: {ingress: {enabled: true}}
  empty: {ingress: {enabled: true, host: ""}}
  off: {ingress: {}}
  good: {ingress: {enabled: true, host: models}}`,
			want: []string{
				`spec.services[empty].ingress.host: Required value: host is required when enabled is true`,
				`spec.services[frontend].ingress.host: Required value: host is required when enabled is true`,
			},
		},
		"SharedMemory": {
			reason: "The block is either off or has a size, as a string or a number.",
			spec: `
services:
  unused: {sharedMemory: {disabled: true, size: 1Gi}}
  neither: {sharedMemory: {}}
  off: {sharedMemory: {disabled: true}}
  string: {sharedMemory: {size: 16Gi}}
  number: {sharedMemory: {disabled: false, size: 1073741824}}`,
			want: []string{
				`spec.services[neither].sharedMemory.size: Required value: size is required unless disabled is true; set size, or remove sharedMemory to use the default of 8Gi`,
			},
		},
		"Checkpoint": {
			reason: "A named checkpoint is not made, so its job has no meaning. One without a name is made for the graph.",
			spec: `
services:
  bare: {checkpoint: {enabled: true}}
  empty: {checkpoint: {enabled: true, checkpointRef: ""}}
  job: {checkpoint: {enabled: true, checkpointRef: warm, job: {}}}
  off: {checkpoint: {}}
  named: {checkpoint: {enabled: true, checkpointRef: warm}}
  described: {checkpoint: {enabled: true, identity: {model: m, backendFramework: vllm}, job: {}}}`,
			want: []string{
				`spec.services[job].checkpoint.job: Forbidden: job may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two`,
			},
		},
		"MemoryServiceBetweenPods": {
			reason: "Containers are clients of a service in their pod, and pods are no clients yet.",
			spec: `
services:
  worker: {componentType: worker, gpuMemoryService: {enabled: true, mode: interPod, extraClientContainers: [other], extraClientPods: [{name: other, podTemplate: {}}]}}
  good: {componentType: worker, gpuMemoryService: {enabled: true, extraClientContainers: [other], extraClientPods: []}}`,
			want: []string{
				`spec.services[worker].gpuMemoryService.extraClientContainers: Forbidden: extraClientContainers requires mode intraPod; remove it, or use mode intraPod`,
				`spec.services[worker].gpuMemoryService.extraClientPods: Forbidden: extraClientPods is reserved and has no effect yet; remove it`,
			},
		},
		"FailoverShadows": {
			reason: "A pod holds one standby engine.",
			spec: `
services:
  worker: {componentType: worker, failover: {enabled: true, numShadows: 2}, gpuMemoryService: {enabled: true}}`,
			want: []string{`spec.services[worker].failover.numShadows: Invalid value: numShadows must be 1 when mode is intraPod`},
		},
	}
}
