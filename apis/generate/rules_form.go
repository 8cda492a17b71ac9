package main

import (
	"slices"
	"strings"
)

// formRules are the rules on the graph as a whole that depend on its form: components, or services as in v1alpha1.
func formRules() []rule {
	return slices.Concat(oneFormRules(), formTopologyRules(), restartOrderRules(), changedFormRules())
}

// oneFormRules require that a graph has one form.
func oneFormRules() []rule {
	return []rule{
		{
			path:    "spec",
			field:   "components",
			cel:     `has(self.components) || has(self.services)`,
			message: "at least one component is required, or at least one service in the form of v1alpha1",
			reason:  required,
		},
		{
			path:    "spec",
			field:   "components",
			cel:     `!has(self.components) || size(self.components) > 0`,
			message: "at least one component is required",
			reason:  required,
		},
		{
			path:    "spec",
			field:   "services",
			cel:     `!has(self.services) || size(self.services) > 0`,
			message: "at least one service is required",
			reason:  required,
		},
		{
			path:    "spec",
			field:   "services",
			cel:     `!has(self.components) || !has(self.services)`,
			message: "services may not be set together with components; remove one of the two",
			reason:  forbidden,
		},
		{
			path:    "spec",
			field:   "envs",
			cel:     `!has(self.components) || !has(self.envs)`,
			message: "envs may not be set together with components; use env",
			reason:  forbidden,
		},
		{
			path:    "spec",
			field:   "env",
			cel:     `!has(self.services) || !has(self.env)`,
			message: "env may not be set together with services; use envs",
			reason:  forbidden,
		},
		{
			path:    "spec",
			field:   "pvcs",
			cel:     `!has(self.components) || !has(self.pvcs)`,
			message: "pvcs may not be set together with components; create the PersistentVolumeClaims separately, and mount them in podTemplate",
			reason:  forbidden,
		},
	}
}

// formTopologyRules are about the placement of the graph. The field that names the topology differs between the forms.
func formTopologyRules() []rule {
	const old = `(has(oldSelf.topologyProfile) ? oldSelf.topologyProfile :
		has(oldSelf.clusterTopologyName) ? oldSelf.clusterTopologyName : '')`
	return []rule{
		{
			path:    "spec",
			field:   "topologyConstraint.clusterTopologyName",
			cel:     `!has(self.components) || !has(self.topologyConstraint) || has(self.topologyConstraint.clusterTopologyName)`,
			message: "clusterTopologyName is required together with components",
			reason:  required,
		},
		{
			path:    "spec",
			field:   "topologyConstraint.topologyProfile",
			cel:     `!has(self.services) || !has(self.topologyConstraint) || has(self.topologyConstraint.topologyProfile)`,
			message: "topologyProfile is required together with services",
			reason:  required,
		},
		{
			path:    "spec.topologyConstraint",
			field:   "topologyProfile",
			cel:     `!has(self.clusterTopologyName) || !has(self.topologyProfile)`,
			message: "topologyProfile and clusterTopologyName may not be set together; components use clusterTopologyName, and services topologyProfile",
			reason:  forbidden,
		},
		{
			path:    "spec.topologyConstraint",
			field:   "clusterTopologyName",
			cel:     `!has(self.clusterTopologyName) || self.clusterTopologyName == ` + old,
			message: "clusterTopologyName cannot be changed after creation" + recreate,
		},
		{
			path:    "spec.topologyConstraint",
			field:   "topologyProfile",
			cel:     `!has(self.topologyProfile) || self.topologyProfile == ` + old,
			message: "topologyProfile cannot be changed after creation" + recreate,
		},
		{
			path:  "spec",
			field: "topologyConstraint",
			cel: `has(self.topologyConstraint) || !has(self.components) ||
				self.components.all(component, !has(component.topologyConstraint))`,
			message: "topologyConstraint with a clusterTopologyName is required when a component has a topologyConstraint",
			reason:  required,
		},
		{
			path:  "spec",
			field: "topologyConstraint",
			cel: `has(self.topologyConstraint) || !has(self.services) ||
				self.services.all(name, !has(self.services[name].topologyConstraint))`,
			message: "topologyConstraint with a topologyProfile is required when a service has a topologyConstraint",
			reason:  required,
		},
	}
}

// restartOrderRules require that the order of a restart names every component.
func restartOrderRules() []rule {
	const (
		field = "restart.strategy.order"
		none  = `!has(self.restart) || !has(self.restart.strategy) || !has(self.restart.strategy.order) ||
			size(self.restart.strategy.order) == 0 || `
	)
	return []rule{
		{
			path:  "spec",
			field: field,
			cel: none + `!has(self.components) ||
				self.restart.strategy.order.all(name, self.components.exists(component, component.name == name))`,
			message: "order names a component that is not in components; use the names of components",
		},
		{
			path:    "spec",
			field:   field,
			cel:     none + `!has(self.components) || self.components.all(component, component.name in self.restart.strategy.order)`,
			message: "order must name every component exactly once; add the missing components, or remove order",
		},
		{
			path:    "spec",
			field:   field,
			cel:     none + `!has(self.services) || self.restart.strategy.order.all(name, name in self.services)`,
			message: "order names a service that is not in services; use the names of services",
		},
		{
			path:    "spec",
			field:   field,
			cel:     none + `!has(self.services) || self.services.all(name, name in self.restart.strategy.order)`,
			message: "order must name every service exactly once; add the missing services, or remove order",
		},
	}
}

// changedFormRules are rules for immutable fields if components replace services or vice versa, because the rules on components and on
// services only see their own previous state.
func changedFormRules() []rule {
	rules := []rule{
		{
			path:  "spec",
			field: "components",
			cel: `!has(self.components) || !has(oldSelf.services) || (size(self.components) == size(oldSelf.services) &&
				self.components.all(component, component.name in oldSelf.services))`,
			message: "components must have the names of the services that they replace; components cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
		{
			path:  "spec",
			field: "services",
			cel: `!has(self.services) || !has(oldSelf.components) || (size(self.services) == size(oldSelf.components) &&
				oldSelf.components.all(component, component.name in self.services))`,
			message: "services must have the names of the components that they replace; services cannot be added or removed after creation" + recreate,
			reason:  forbidden,
		},
	}
	rules = append(rules, changedTypeRules()...)
	for _, fixed := range []struct{ cel, message string }{
		{
			cel:     `has(component.multinode) == has(SERVICE.multinode)`,
			message: "FORM cannot change between single-node and multinode after creation" + recreate,
		},
		{
			cel: `has(component.topologyConstraint) == has(SERVICE.topologyConstraint) && (!has(component.topologyConstraint) ||
				component.topologyConstraint.packDomain == SERVICE.topologyConstraint.packDomain)`,
			message: "topologyConstraint of FORM cannot be added, removed or changed after creation" + recreate,
		},
		{
			cel: `(has(component.minAvailable) ? component.minAvailable : 1) ==
				(has(SERVICE.minAvailable) ? SERVICE.minAvailable : 1)`,
			message: "minAvailable (default 1) of FORM cannot be changed after creation" + recreate,
		},
	} {
		rules = append(rules, changedForm("components", "self", "oldSelf", fixed.cel, fixed.message),
			changedForm("services", "oldSelf", "self", fixed.cel, fixed.message))
	}
	return rules
}

// changedTypeRules compare the types of components and services. A worker for one phase of inference has a subComponentType as a service. A type
// that components cannot have is removed or replaced when components take the place of services.
func changedTypeRules() []rule {
	const (
		written   = `(has(SERVICE.componentType) ? SERVICE.componentType : '')`
		component = `(has(component.type) ? component.type : '')`
	)
	promoted := promotedType("SERVICE")
	return []rule{
		changedForm("components", "self", "oldSelf",
			`!(`+written+` in ['frontend', 'worker', 'prefill', 'decode', 'planner', 'epp']) || `+component+` == `+promoted,
			"type of components must be that of the services that they replace; it cannot be changed or removed once it is set"+recreate),
		changedForm("services", "oldSelf", "self",
			component+` == '' || `+component+` == `+promoted,
			"componentType of services must be that of the components that they replace; it cannot be changed or removed once it is set"+recreate),
	}
}

// changedForm is a rule on each component and the service of the same name, if the graph changes to the given form. Components and
// services are the expressions for both lists. In the rule, SERVICE stands for the service. In the message, FORM stands for the form.
func changedForm(form, components, services, cel, message string) rule {
	return rule{
		path:  "spec",
		field: form,
		cel: `!has(` + components + `.components) || !has(` + services + `.services) || ` +
			components + `.components.all(component, !(component.name in ` + services + `.services) || (` +
			strings.ReplaceAll(cel, "SERVICE", services+".services[component.name]") + `))`,
		message: strings.ReplaceAll(message, "FORM", form),
		reason:  forbidden,
	}
}
