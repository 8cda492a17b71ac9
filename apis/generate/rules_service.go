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
			message: "two services have the same name but for upper and lower case; rename one",
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
			message: "a service cannot turn from single-node to multinode or back after creation" + recreate,
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
			message: "minAvailable must not be greater than replicas (1 when absent); lower it, or raise replicas",
		},
		{
			// Absent means 1, so writing the 1 down changes nothing.
			path:  service,
			field: "minAvailable",
			cel: `(has(self.minAvailable) ? self.minAvailable : 1) ==
				(has(oldSelf.minAvailable) ? oldSelf.minAvailable : 1)`,
			message: "minAvailable (1 when absent) cannot change after creation" + recreate,
		},
		{
			path:    service,
			field:   "eppConfig",
			cel:     `!has(self.componentType) || self.componentType != 'epp' || has(self.eppConfig)`,
			message: "eppConfig is required with componentType epp",
			reason:  required,
		},
		{
			path:    service,
			field:   "multinode",
			cel:     `!has(self.componentType) || self.componentType != 'epp' || !has(self.multinode)`,
			message: "a service with componentType epp runs on one node; remove multinode",
			reason:  forbidden,
		},
		{
			path:  service,
			field: "replicas",
			cel: `!has(self.componentType) || self.componentType != 'epp' || !has(self.replicas) ||
				self.replicas == 1`,
			message: "a service with componentType epp has exactly one replica; set replicas to 1",
		},
		{
			path:  service,
			field: "gpuMemoryService",
			cel: `!has(self.gpuMemoryService) || !self.gpuMemoryService.enabled || (has(self.componentType) &&
				self.componentType in ['worker', 'prefill', 'decode'])`,
			message: "gpuMemoryService is for componentType worker, prefill and decode only; disable it, or set the componentType",
			reason:  forbidden,
		},
		{
			// A real manifest asks for failover between pods without the GPU memory service: step plan answers that one.
			path:  service,
			field: "failover",
			cel: `!has(self.failover) || !self.failover.enabled ||
				(has(self.failover.mode) && self.failover.mode == 'interPod') ||
				(has(self.gpuMemoryService) && self.gpuMemoryService.enabled)`,
			message: "failover with mode intraPod needs the GPU memory service; set gpuMemoryService.enabled to true",
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
			message: "frontendSidecar makes a container sidecar-frontend, and extraPodSpec.containers has one of that name; rename it",
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
			message: "packDomain cannot change after creation" + recreate,
		},
		{
			path: service + "autoscaling",
			cel: `!has(self.enabled) || !self.enabled || !has(self.maxReplicas) || !has(self.minReplicas) ||
				self.maxReplicas >= self.minReplicas`,
			field:   "maxReplicas",
			message: "maxReplicas must not be less than minReplicas; raise it, or lower minReplicas",
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
			message: "size has no meaning when disabled is true; remove one of the two",
			reason:  forbidden,
		},
		{
			path:    service + "sharedMemory",
			field:   "size",
			cel:     `(has(self.disabled) && self.disabled) || has(self.size)`,
			message: "size is required unless disabled is true; set it, or remove sharedMemory for the default of 8Gi",
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
			message: "name of the ConfigMap is required",
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
			message: "job has no meaning with checkpointRef, which names a checkpoint that exists; remove one of the two",
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
			message: "extraClientContainers needs mode intraPod; remove it, or use mode intraPod",
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
			message: "mode intraPod has one shadow; set numShadows to 1",
		},
	}
}
