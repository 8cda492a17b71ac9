package main

import (
	"slices"
	"strings"
)

// serviceRules are the rules on the map of services and on each service as a whole.
func serviceRules() []rule {
	const service = "spec.services.*"
	return append(replicaRules(service), []rule{
		{
			path:    "spec.services",
			cel:     `size(self) == size(oldSelf) && self.all(name, name in oldSelf)`,
			message: "services cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			// The lower-case name is part of the names of objects.
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
			// A service without a type may get one. A worker for one phase of inference is written in two ways.
			path:    service,
			field:   "componentType",
			cel:     promotedType("oldSelf") + ` == '' || ` + promotedType("self") + ` == ` + promotedType("oldSelf") + ` || ` + sameType,
			message: typeFixed("componentType"),
		},
		checkpointTypeRule(service, "componentType", "checkpoint"),
		{
			path:    service,
			field:   "topologyConstraint",
			cel:     `has(self.topologyConstraint) == has(oldSelf.topologyConstraint)`,
			message: topologyFixed,
			reason:  forbidden,
		},
		{
			path:    service,
			field:   "multinode",
			cel:     `!has(self.componentType) || self.componentType != 'epp' || !has(self.multinode)`,
			message: "multinode may not be set when componentType is epp; the Endpoint Picker runs on one node",
			reason:  forbidden,
		},
		{
			path:    service,
			field:   "replicas",
			cel:     `!has(self.eppConfig) || !has(self.replicas) || self.replicas == 1`,
			message: "replicas must be 1 with eppConfig",
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
			// A published manifest requests failover between pods without the GPU memory service. Step plan handles it.
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
	}...)
}

// sameType is whether the type of a service is written as before.
const sameType = `(has(self.componentType) && has(oldSelf.componentType) && self.componentType == oldSelf.componentType)`

// promotedType is the type of a service as a component has it, or empty.
func promotedType(service string) string {
	const promoted = `(has(SERVICE.componentType) && SERVICE.componentType == 'worker' && has(SERVICE.subComponentType) &&
		SERVICE.subComponentType in ['prefill', 'decode'] ? SERVICE.subComponentType :
		has(SERVICE.componentType) ? SERVICE.componentType : '')`
	return strings.ReplaceAll(promoted, "SERVICE", service)
}

// serviceFieldRules are the rules on the fields of a service, and of the claims that services mount.
func serviceFieldRules() []rule {
	const service = "spec.services.*."
	return slices.Concat(pickerRules(service+"eppConfig"), memoryServiceRules(service+"gpuMemoryService", "intraPod"), []rule{
		{
			path: "spec.pvcs.[]",
			cel: `!has(self.create) || !self.create || (has(self.size) &&
				has(self.storageClass) && self.storageClass != '' &&
				has(self.volumeAccessMode) && self.volumeAccessMode != '')`,
			message: "size, storageClass and volumeAccessMode are required when create is true",
			reason:  required,
		},
		executorRule(service + "annotations"),
		discoveryModeRule(service + "annotations"),
		componentTopologyRule(service + "topologyConstraint"),
		checkpointRule(service + "checkpoint"),
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
			cel:     `(has(self.disabled) && self.disabled) || has(self.size)`,
			message: "size is required unless disabled is true; set size, or remove sharedMemory to use the default of 8Gi",
			reason:  required,
		},
		{
			path:    service + "failover",
			field:   "numShadows",
			cel:     `!self.enabled || !has(self.numShadows) || self.numShadows == 1 || (has(self.mode) && self.mode == 'interPod')`,
			message: "numShadows must be 1 when mode is intraPod",
		},
	})
}
