package main

import (
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// rule is a CEL rule on the schema at a path (see edit). The API server evaluates it with self, and with oldSelf on
// update.
//
// What may not change is written without ever comparing whole services, whose size the API server cannot bound: equal
// leaves, and on their parent that a leaf is neither added nor removed, because a rule on a field is skipped when the
// field comes or goes.
type rule struct {
	path string
	// field below path that the error names.
	field   string
	cel     string
	message string
	// reason is FieldValueInvalid where it is empty. Never FieldValueDuplicate, whose errors do not show the message.
	reason extv1.FieldValueErrorReason
}

func (r rule) add(schema *extv1.JSONSchemaProps) error {
	validation := extv1.ValidationRule{Rule: strings.Join(strings.Fields(r.cel), " "), Message: r.message}
	if r.field != "" {
		validation.FieldPath = "." + r.field
	}
	if r.reason != "" {
		validation.Reason = &r.reason
	}
	schema.XValidations = append(schema.XValidations, validation)
	return nil
}

const (
	required  = extv1.FieldValueRequired
	forbidden = extv1.FieldValueForbidden
)

const recreate = "; delete the graph and create it again"

// specRules are the rules on the graph as a whole.
func specRules() []rule {
	return []rule{
		{
			path:    "spec",
			field:   "services",
			cel:     `has(self.services) && size(self.services) > 0`,
			message: "at least one service is required",
			reason:  required,
		},
		{
			path: "spec",
			// Absent means detected, which cannot change either.
			cel: `(has(self.backendFramework) ? self.backendFramework : '') ==
				(has(oldSelf.backendFramework) ? oldSelf.backendFramework : '')`,
			field:   "backendFramework",
			message: "backendFramework cannot be added, removed or changed after creation" + recreate,
		},
		{
			path:    "spec",
			field:   "topologyConstraint",
			cel:     `has(self.topologyConstraint) == has(oldSelf.topologyConstraint)`,
			message: "topologyConstraint cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			path:  "spec",
			field: "topologyConstraint",
			cel: `has(self.topologyConstraint) || !has(self.services) ||
				self.services.all(name, !has(self.services[name].topologyConstraint))`,
			message: "topologyConstraint with a topologyProfile is required when a service has a topologyConstraint",
			reason:  required,
		},
		{
			path: "spec",
			cel: `!has(self.restart) || !has(self.restart.strategy) || !has(self.restart.strategy.order) ||
				size(self.restart.strategy.order) == 0 || !has(self.services) ||
				self.restart.strategy.order.all(name, name in self.services)`,
			field:   "restart.strategy.order",
			message: "order names a service that is not in services; use the names of services",
		},
		{
			path: "spec",
			cel: `!has(self.restart) || !has(self.restart.strategy) || !has(self.restart.strategy.order) ||
				size(self.restart.strategy.order) == 0 || !has(self.services) ||
				self.services.all(name, name in self.restart.strategy.order)`,
			field:   "restart.strategy.order",
			message: "order must name every service exactly once; add the missing services, or remove order",
		},
		{
			path: "spec.restart.strategy",
			cel: `!has(self.order) || size(self.order) == 0 || !has(self.type) ||
				self.type != 'Parallel'`,
			field:   "order",
			message: "order may not be set when type is Parallel; remove it, or use type Sequential",
			reason:  forbidden,
		},
		{
			path:    "spec.restart.strategy",
			cel:     `!has(self.order) || self.order.all(name, self.order.exists_one(other, other == name))`,
			field:   "order",
			message: "order must name every service exactly once; remove the duplicate",
		},
		{
			path:    "spec.topologyConstraint",
			field:   "topologyProfile",
			cel:     `self.topologyProfile == oldSelf.topologyProfile`,
			message: "topologyProfile cannot be changed after creation" + recreate,
		},
		{
			path: "spec.topologyConstraint",
			cel: `(has(self.packDomain) ? self.packDomain : '') ==
				(has(oldSelf.packDomain) ? oldSelf.packDomain : '')`,
			field:   "packDomain",
			message: "packDomain cannot be added, removed or changed after creation" + recreate,
		},
		{
			path: "spec.pvcs.[]",
			cel: `!has(self.create) || !self.create || (has(self.size) &&
				has(self.storageClass) && self.storageClass != '' &&
				has(self.volumeAccessMode) && self.volumeAccessMode != '')`,
			message: "size, storageClass and volumeAccessMode are required when create is true",
			reason:  required,
		},
		{
			path:    "spec.experimental.kvTransferPolicy",
			cel:     `has(self.labelKey) != has(self.clusterTopologyName)`,
			message: "exactly one of labelKey and clusterTopologyName is required",
		},
		{
			path: "spec.experimental.kvTransferPolicy",
			cel: `!has(self.enforcement) || self.enforcement != 'preferred' ||
				has(self.preferredWeight)`,
			field:   "preferredWeight",
			message: "preferredWeight is required when enforcement is preferred",
			reason:  required,
		},
		{
			path: "spec.experimental.kvTransferPolicy",
			cel: `!has(self.preferredWeight) || (has(self.enforcement) &&
				self.enforcement == 'preferred')`,
			field:   "preferredWeight",
			message: "preferredWeight may not be set when enforcement is required; remove it, or set enforcement to preferred",
			reason:  forbidden,
		},
		{
			path:    "spec.experimental.kvTransferPolicy.labelKey",
			cel:     `!self.contains('/') || self.indexOf('/') <= 253`,
			message: "the prefix of labelKey, before the slash, must be no longer than 253 characters",
		},
		executorRule("spec.annotations"),
		discoveryModeRule("spec.annotations"),
	}
}

// executorRule holds for annotations of the graph and of a service alike.
func executorRule(path string) rule {
	return rule{
		path: path,
		cel: `!('nvidia.com/vllm-distributed-executor-backend' in self) ||
			self['nvidia.com/vllm-distributed-executor-backend'] in ['mp', 'ray']`,
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
