package main

import "slices"

// componentRules are the rules on the list of components and on each component as a whole.
func componentRules() []rule {
	const component = "spec.components.[]"
	return append(replicaRules(component), []rule{
		{
			path:    "spec.components",
			cel:     `size(self) == size(oldSelf) && self.all(c, oldSelf.exists(old, old.name == c.name))`,
			message: "components cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			// The lower-case name is part of the names of objects.
			path:    "spec.components",
			cel:     `self.all(c, self.exists_one(other, other.name.lowerAscii() == c.name.lowerAscii()))`,
			message: "component names must be unique regardless of case; rename one of the two components",
		},
		{
			path:    "spec.components",
			cel:     `self.filter(c, has(c.type) && c.type == 'epp').size() <= 1`,
			message: "at most one component may have type epp; remove the others",
		},
		{
			path:    component,
			field:   "multinode",
			cel:     `has(self.multinode) == has(oldSelf.multinode)`,
			message: "a component cannot change between single-node and multinode after creation" + recreate,
			reason:  forbidden,
		},
		{
			// A component without a type may get one.
			path:    component,
			field:   "type",
			cel:     `!has(oldSelf.type) || oldSelf.type == '' || (has(self.type) && self.type == oldSelf.type)`,
			message: typeFixed("type"),
		},
		checkpointTypeRule(component, "type", "experimental", "experimental.checkpoint"),
		{
			path:    component,
			field:   "topologyConstraint",
			cel:     `has(self.topologyConstraint) == has(oldSelf.topologyConstraint)`,
			message: topologyFixed,
			reason:  forbidden,
		},
		{
			path:  component,
			field: "experimental.grove.forceScalingGroup",
			cel: `(has(self.experimental) && has(self.experimental.grove) && has(self.experimental.grove.forceScalingGroup) &&
				self.experimental.grove.forceScalingGroup) == (has(oldSelf.experimental) && has(oldSelf.experimental.grove) &&
				has(oldSelf.experimental.grove.forceScalingGroup) && oldSelf.experimental.grove.forceScalingGroup)`,
			message: "forceScalingGroup (default false) cannot be changed after creation" + recreate,
			reason:  forbidden,
		},
		{
			path:    component,
			field:   "eppConfig",
			cel:     `!has(self.eppConfig) || (has(self.type) && self.type == 'epp')`,
			message: "eppConfig may only be set when type is epp; remove it, or set type to epp",
			reason:  forbidden,
		},
		{
			path:    component,
			field:   "multinode",
			cel:     `!has(self.type) || self.type != 'epp' || !has(self.multinode)`,
			message: "multinode may not be set when type is epp; the Endpoint Picker runs on one node",
			reason:  forbidden,
		},
		{
			path:    component,
			field:   "replicas",
			cel:     `!has(self.eppConfig) || !has(self.replicas) || self.replicas == 1`,
			message: "replicas must be 1 with eppConfig",
		},
		{
			path:  component,
			field: "frontendSidecar",
			cel: `!has(self.frontendSidecar) || (has(self.podTemplate) && has(self.podTemplate.spec) &&
				self.podTemplate.spec.containers.exists(container, container.name == self.frontendSidecar)) ||
				(has(self.roles) && self.roles.size() > 0 && has(self.roles[0].podTemplate))`,
			message: "frontendSidecar is not the name of a container in podTemplate.spec.containers; add the container, or remove frontendSidecar",
		},
		{
			path:  component,
			field: "experimental.gpuMemoryService",
			cel: `!has(self.experimental) || !has(self.experimental.gpuMemoryService) || (has(self.type) &&
				self.type in ['worker', 'prefill', 'decode'])`,
			message: "gpuMemoryService requires type worker, prefill or decode; remove it, or change type",
			reason:  forbidden,
		},
	}...)
}

// componentFieldRules are the rules on the fields of a component.
func componentFieldRules() []rule {
	const (
		component    = "spec.components.[]."
		experimental = component + "experimental"
		pod          = component + "podTemplate.spec."
	)
	return slices.Concat(pickerRules(component+"eppConfig"), memoryServiceRules(experimental+".gpuMemoryService", "IntraPod"), []rule{
		executorRule(component + "podTemplate.metadata.annotations"),
		discoveryModeRule(component + "podTemplate.metadata.annotations"),
		componentTopologyRule(component + "topologyConstraint"),
		checkpointRule(experimental + ".checkpoint"),
		{
			path:    pod + "containers.[]",
			field:   "image",
			cel:     `self.name == 'main' || (has(self.image) && self.image != '')`,
			message: "image is required for every container but main",
			reason:  required,
		},
		{
			path:    pod + "initContainers.[]",
			field:   "image",
			cel:     `has(self.image) && self.image != ''`,
			message: "image is required for an init container",
			reason:  required,
		},
		{
			path:    component + "sharedMemorySize",
			cel:     `type(self) == int ? self >= 0 : !self.startsWith('-')`,
			message: "sharedMemorySize may not be negative; use 0 for none",
		},
		{
			path:    experimental,
			field:   "failover",
			cel:     `!has(self.failover) || has(self.gpuMemoryService)`,
			message: "failover requires the GPU memory service; add gpuMemoryService with the same mode",
		},
		{
			path:  experimental,
			field: "failover.mode",
			cel: `!has(self.failover) || !has(self.gpuMemoryService) ||
				(has(self.failover.mode) ? self.failover.mode : 'IntraPod') ==
				(has(self.gpuMemoryService.mode) ? self.gpuMemoryService.mode : 'IntraPod')`,
			message: "failover.mode must equal gpuMemoryService.mode",
		},
	})
}
