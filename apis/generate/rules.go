package main

import (
	"slices"
	"strings"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// rules are all rules. Both versions have all of them, because Crossplane writes a graph at the referenceable version, regardless of
// the version that its user wrote.
func rules() []rule {
	return slices.Concat(specRules(), formRules(), serviceRules(), serviceFieldRules(), componentRules(), componentFieldRules())
}

// rule is a CEL rule on the schema at a path (see edit). The API server evaluates it with self, and with oldSelf on
// update.
//
// Rules for immutable fields do not compare whole services, because the API server cannot limit their size. They compare leaves. A
// rule on the parent requires that the leaf is neither added nor removed, because a rule on a field is skipped in that case.
type rule struct {
	path string
	// field below path that the error names.
	field   string
	cel     string
	message string
	// reason defaults to FieldValueInvalid. It must not be FieldValueDuplicate, whose errors do not contain the message.
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

const transferFixed = "kvTransferPolicy cannot be added, removed or changed after creation" + recreate

const recreate = "; delete the graph and create it again"

// specRules are the rules on the graph as a whole that do not depend on its form.
func specRules() []rule {
	return []rule{
		{
			path: "spec",
			// If the field is absent, the value is detected. It is immutable as well.
			cel: `(has(self.backendFramework) ? self.backendFramework : '') ==
				(has(oldSelf.backendFramework) ? oldSelf.backendFramework : '')`,
			field:   "backendFramework",
			message: "backendFramework cannot be added, removed or changed after creation" + recreate,
		},
		{
			path:    "spec",
			field:   "topologyConstraint",
			cel:     `has(self.topologyConstraint) == has(oldSelf.topologyConstraint)`,
			message: topologyFixed,
			reason:  forbidden,
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
			message: "order names something twice; remove the duplicate",
		},
		{
			path: "spec.topologyConstraint",
			cel: `(has(self.packDomain) ? self.packDomain : '') ==
				(has(oldSelf.packDomain) ? oldSelf.packDomain : '')`,
			field:   "packDomain",
			message: "packDomain cannot be added, removed or changed after creation" + recreate,
		},
		{
			path: "spec",
			cel: `(has(self.experimental) && has(self.experimental.kvTransferPolicy)) ==
				(has(oldSelf.experimental) && has(oldSelf.experimental.kvTransferPolicy))`,
			field:   "experimental",
			message: transferFixed,
			reason:  forbidden,
		},
		{
			path:    "spec.experimental.kvTransferPolicy",
			cel:     `self == oldSelf`,
			message: transferFixed,
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
