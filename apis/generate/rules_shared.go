package main

import "strings"

// The rules in this file apply to both services and components. Each takes the path of its field.

// executorRule applies to annotations that are copied to pods. It ignores case. All spellings are listed, because the cost of lowerAscii
// depends on the length of the value, and values of annotations have no maximum length.
func executorRule(path string) rule {
	return rule{
		path: path,
		cel: `!('nvidia.com/vllm-distributed-executor-backend' in self) ||
			self['nvidia.com/vllm-distributed-executor-backend'] in
			['mp', 'mP', 'Mp', 'MP', 'ray', 'raY', 'rAy', 'rAY', 'Ray', 'RaY', 'RAy', 'RAY']`,
		message: "annotation nvidia.com/vllm-distributed-executor-backend must be mp or ray",
	}
}

func discoveryModeRule(path string) rule {
	return rule{
		path: path,
		cel: `!('nvidia.com/dynamo-kube-discovery-mode' in self) ||
			self['nvidia.com/dynamo-kube-discovery-mode'] in ['pod', 'container']`,
		message: "annotation nvidia.com/dynamo-kube-discovery-mode must be pod or container",
	}
}

// componentTopologyRule applies to the topologyConstraint of a component.
func componentTopologyRule(path string) rule {
	return rule{
		path:    path,
		field:   "packDomain",
		cel:     `self.packDomain == oldSelf.packDomain`,
		message: "packDomain cannot be changed after creation" + recreate,
	}
}

// replicaRules apply to a component as a whole.
func replicaRules(path string) []rule {
	return []rule{
		{
			path:  path,
			field: "minAvailable",
			cel: `!has(self.minAvailable) || (has(self.replicas) && self.replicas == 0) ||
				self.minAvailable <= (has(self.replicas) ? self.replicas : 1)`,
			message: "minAvailable may not be greater than replicas (default 1); lower minAvailable, or raise replicas",
		},
		{
			// The default is 1, so setting 1 changes nothing. The number may move into providerOverride, which no rule can read, and back:
			// step plan compares it with the number that runs.
			path:  path,
			field: "minAvailable",
			cel: `(has(self.minAvailable) ? self.minAvailable : 1) ==
				(has(oldSelf.minAvailable) ? oldSelf.minAvailable : 1) ||
				(has(self.providerOverride) && !has(self.minAvailable)) ||
				(has(oldSelf.providerOverride) && !has(oldSelf.minAvailable))`,
			message: minAvailableFixed,
		},
	}
}

// Rules for immutable fields, which apply whether or not the form of the graph changes.
const (
	minAvailableFixed = "minAvailable (default 1) cannot be changed after creation" + recreate
	topologyFixed     = "topologyConstraint cannot be added or removed after creation" + recreate
)

// typeFixed is the message about a type in a field that has another value than before.
func typeFixed(field string) string {
	return field + " cannot be changed or removed once it is set" + recreate
}

// checkpointTypeRule applies to the checkpoint of a component as a whole, given the field of its type and each field on the way to the
// checkpoint. Only a change can break it: graphs may have been created before there was this rule, and step plan refuses new ones.
func checkpointTypeRule(path, typeField string, fields ...string) rule {
	enabled := func(self string) string {
		checkpoint := self + "." + fields[len(fields)-1]
		terms := make([]string, 0, len(fields))
		for _, field := range fields {
			terms = append(terms, "has("+self+"."+field+")")
		}
		return strings.Join(append(terms, "has("+checkpoint+".enabled)", checkpoint+".enabled"), " && ")
	}
	return rule{
		path:  path,
		field: fields[len(fields)-1],
		cel: "!(" + enabled("self") + ") || (" + enabled("oldSelf") + ") || !has(self." + typeField + ") || self." + typeField +
			" in ['', 'worker', 'prefill', 'decode']",
		message: "checkpoint requires " + typeField + " worker, prefill or decode; disable it, or set " + typeField,
		reason:  forbidden,
	}
}

// pickerRules apply to the configuration of an Endpoint Picker.
func pickerRules(path string) []rule {
	return []rule{
		{
			path:    path,
			cel:     `has(self.configMapRef) != has(self.config)`,
			message: "exactly one of configMapRef and config is required",
		},
		{
			path:    path + ".configMapRef",
			cel:     `has(self.name) && self.name != ''`,
			message: "the name of the ConfigMap is required",
			field:   "name",
			reason:  required,
		},
	}
}

// checkpointRule applies to a checkpoint. A checkpoint that is referred to by name is not created, so its job has no effect.
func checkpointRule(path string) rule {
	return rule{
		path:    path,
		field:   "job",
		cel:     `!has(self.job) || !has(self.checkpointRef) || self.checkpointRef == ''`,
		message: "job may not be set together with checkpointRef, which names an existing checkpoint; remove one of the two",
		reason:  forbidden,
	}
}

// memoryServiceRules apply to a GPU memory service, whose mode within pods is named intraPod.
func memoryServiceRules(path, intraPod string) []rule {
	return []rule{
		{
			path:    path,
			field:   "extraClientContainers",
			cel:     `!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || !has(self.mode) || self.mode == '` + intraPod + `'`,
			message: "extraClientContainers requires mode " + intraPod + "; remove it, or use mode " + intraPod,
			reason:  forbidden,
		},
		{
			path:    path,
			field:   "extraClientPods",
			cel:     `!has(self.extraClientPods) || size(self.extraClientPods) == 0`,
			message: "extraClientPods is reserved and has no effect yet; remove it",
			reason:  forbidden,
		},
	}
}
