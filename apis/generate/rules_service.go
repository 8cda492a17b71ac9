package main

// serviceRules are the rules on the map of services and on each service as a whole.
func serviceRules() []rule {
	const service = "spec.services.*"
	return []rule{
		{
			path:    "spec.services",
			cel:     `size(self) == size(oldSelf) && self.all(name, name in oldSelf)`,
			message: "services cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			// Object names are made of the lower-cased service name.
			path:    "spec.services",
			cel:     `self.all(name, self.exists_one(other, other.lowerAscii() == name.lowerAscii()))`,
			message: "service names must be unique regardless of case; rename one of the two services",
		},
		{
			path: "spec.services",
			cel: `self.all(name, !has(self[name].serviceName) || self[name].serviceName == '' ||
				self[name].serviceName == name)`,
			message: "serviceName must equal the service's key in services; remove it",
		},
		{
			path:    service,
			field:   "multinode",
			cel:     `has(self.multinode) == has(oldSelf.multinode)`,
			message: "a service cannot change between single-node and multinode after creation" + recreate,
			reason:  forbidden,
		},
		{
			path:    service,
			field:   "topologyConstraint",
			cel:     `has(self.topologyConstraint) == has(oldSelf.topologyConstraint)`,
			message: "topologyConstraint cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			path:  service,
			field: "minAvailable",
			cel: `!has(self.minAvailable) || (has(self.replicas) && self.replicas == 0) ||
				self.minAvailable <= (has(self.replicas) ? self.replicas : 1)`,
			message: "minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas",
		},
		{
			// Absent means 1, so writing the 1 down changes nothing.
			path:  service,
			field: "minAvailable",
			cel: `(has(self.minAvailable) ? self.minAvailable : 1) ==
				(has(oldSelf.minAvailable) ? oldSelf.minAvailable : 1)`,
			message: "minAvailable (default 1) cannot be changed after creation" + recreate,
		},
		{
			path:    service,
			field:   "eppConfig",
			cel:     `!has(self.componentType) || self.componentType != 'epp' || has(self.eppConfig)`,
			message: "eppConfig is required when componentType is epp",
			reason:  required,
		},
		{
			path:    service,
			field:   "multinode",
			cel:     `!has(self.componentType) || self.componentType != 'epp' || !has(self.multinode)`,
			message: "multinode may not be set when componentType is epp; the Endpoint Picker runs on one node",
			reason:  forbidden,
		},
		{
			path:  service,
			field: "replicas",
			cel: `!has(self.componentType) || self.componentType != 'epp' || !has(self.replicas) ||
				self.replicas == 1`,
			message: "replicas must be 1 when componentType is epp",
		},
		{
			path:  service,
			field: "gpuMemoryService",
			cel: `!has(self.gpuMemoryService) || !self.gpuMemoryService.enabled || (has(self.componentType) &&
				self.componentType in ['worker', 'prefill', 'decode'])`,
			message: "gpuMemoryService requires componentType worker, prefill or decode; disable it, or change componentType",
			reason:  forbidden,
		},
		{
			// A real manifest asks for failover between pods without the GPU memory service: step plan answers that one.
			path:  service,
			field: "failover",
			cel: `!has(self.failover) || !self.failover.enabled ||
				(has(self.failover.mode) && self.failover.mode == 'interPod') ||
				(has(self.gpuMemoryService) && self.gpuMemoryService.enabled)`,
			message: "failover with mode intraPod requires the GPU memory service; set gpuMemoryService.enabled to true",
		},
		{
			path:  service,
			field: "failover.mode",
			cel: `!has(self.failover) || !self.failover.enabled ||
				!has(self.gpuMemoryService) || !self.gpuMemoryService.enabled ||
				(has(self.failover.mode) ? self.failover.mode : 'intraPod') ==
				(has(self.gpuMemoryService.mode) ? self.gpuMemoryService.mode : 'intraPod')`,
			message: "failover.mode must equal gpuMemoryService.mode",
		},
		{
			path:  service,
			field: "frontendSidecar",
			cel: `!has(self.frontendSidecar) || !has(self.extraPodSpec) || !has(self.extraPodSpec.containers) ||
				self.extraPodSpec.containers.all(container, container.name != 'sidecar-frontend')`,
			message: "frontendSidecar adds a container named sidecar-frontend, and extraPodSpec.containers already has a container of that name; rename yours",
		},
	}
}

// serviceFieldRules are the rules on the fields of a service.
func serviceFieldRules() []rule {
	const service = "spec.services.*."
	return []rule{
		executorRule(service + "annotations"),
		discoveryModeRule(service + "annotations"),
		{
			path:    service + "topologyConstraint",
			field:   "packDomain",
			cel:     `self.packDomain == oldSelf.packDomain`,
			message: "packDomain cannot be changed after creation" + recreate,
		},
		{
			path: service + "autoscaling",
			cel: `!has(self.enabled) || !self.enabled || !has(self.maxReplicas) || !has(self.minReplicas) ||
				self.maxReplicas >= self.minReplicas`,
			field:   "maxReplicas",
			message: "maxReplicas may not be less than minReplicas; raise maxReplicas, or lower minReplicas",
		},
		{
			path: service + "volumeMounts.[]",
			cel: `(has(self.mountPoint) && self.mountPoint != '') ||
				(has(self.useAsCompilationCache) && self.useAsCompilationCache)`,
			field:   "mountPoint",
			message: "mountPoint is required unless useAsCompilationCache is true",
			reason:  required,
		},
		{
			path:    service + "ingress",
			field:   "host",
			cel:     `!has(self.enabled) || !self.enabled || (has(self.host) && self.host != '')`,
			message: "host is required when enabled is true",
			reason:  required,
		},
		{
			path:    service + "sharedMemory",
			field:   "size",
			cel:     `!has(self.disabled) || !self.disabled || !has(self.size)`,
			message: "size may not be set when disabled is true; remove one of the two",
			reason:  forbidden,
		},
		{
			path:    service + "sharedMemory",
			field:   "size",
			cel:     `(has(self.disabled) && self.disabled) || has(self.size)`,
			message: "size is required unless disabled is true; set size, or remove sharedMemory to use the default of 8Gi",
			reason:  required,
		},
		{
			path:    service + "eppConfig",
			cel:     `has(self.configMapRef) != has(self.config)`,
			message: "exactly one of configMapRef and config is required",
		},
		{
			path:    service + "eppConfig.configMapRef",
			cel:     `has(self.name) && self.name != ''`,
			message: "the name of the ConfigMap is required",
			field:   "name",
			reason:  required,
		},
		{
			path: service + "checkpoint",
			cel: `!has(self.enabled) || !self.enabled || has(self.identity) ||
				(has(self.checkpointRef) && self.checkpointRef != '')`,
			message: "checkpointRef, or identity with model and backendFramework, is required when enabled is true",
			reason:  required,
		},
		{
			path:    service + "checkpoint",
			field:   "job",
			cel:     `!has(self.job) || !has(self.checkpointRef) || self.checkpointRef == ''`,
			message: "job may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two",
			reason:  forbidden,
		},
		{
			path:    service + "gpuMemoryService",
			field:   "mode",
			cel:     `!self.enabled || !has(self.mode) || self.mode == 'intraPod'`,
			message: "mode interPod is not supported; use intraPod",
		},
		{
			path:    service + "gpuMemoryService",
			field:   "extraClientContainers",
			cel:     `!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || !has(self.mode) || self.mode == 'intraPod'`,
			message: "extraClientContainers requires mode intraPod; remove it, or use mode intraPod",
			reason:  forbidden,
		},
		{
			path:    service + "gpuMemoryService",
			field:   "extraClientPods",
			cel:     `!has(self.extraClientPods) || size(self.extraClientPods) == 0`,
			message: "extraClientPods is reserved and has no effect yet; remove it",
			reason:  forbidden,
		},
		{
			path:    service + "failover",
			field:   "numShadows",
			cel:     `!self.enabled || !has(self.numShadows) || self.numShadows == 1 || (has(self.mode) && self.mode == 'interPod')`,
			message: "numShadows must be 1 when mode is intraPod",
		},
	}
}
