package apis_test

// formCases break the rules on the form of a graph.
func formCases() map[string]ruleCase {
	return map[string]ruleCase{
		"NoForm": {
			reason: "A graph without components and services is refused.",
			spec:   `{}`,
			want:   []string{`spec.components: Required value: at least one component is required, or at least one service in the form of v1alpha1`},
		},
		"EmptyComponents": {
			reason: "An empty list of components is no better than none.",
			spec:   `components: []`,
			want:   []string{`spec.components: Required value: at least one component is required`},
		},
		"EmptyServices": {
			reason: "An empty map of services is no better than none.",
			spec:   `services: {}`,
			want:   []string{`spec.services: Required value: at least one service is required`},
		},
		"BothForms": {
			reason: "A graph has one form.",
			spec: `
components: [{name: frontend}]
services: {frontend: {}}`,
			want: []string{`spec.services: Forbidden: services may not be set together with components; remove one of the two`},
		},
		"ServicesOnlyFields": {
			reason: "What only services have is not ignored in a graph with components.",
			spec: `
envs: [{name: A, value: a}]
pvcs: [{name: cache}]
topologyConstraint: {topologyProfile: cluster}
components: [{name: frontend}]`,
			want: []string{
				`spec.envs: Forbidden: envs may not be set together with components; use env`,
				`spec.pvcs: Forbidden: pvcs may not be set together with components; create the PersistentVolumeClaims separately, and mount them in podTemplate`,
				`spec.topologyConstraint.clusterTopologyName: Required value: clusterTopologyName is required together with components`,
			},
		},
		"ComponentsOnlyFields": {
			reason: "What only components have is not ignored in a graph with services.",
			spec: `
env: [{name: A, value: a}]
topologyConstraint: {clusterTopologyName: cluster}
services: {frontend: {}}`,
			want: []string{
				`spec.env: Forbidden: env may not be set together with services; use envs`,
				`spec.topologyConstraint.topologyProfile: Required value: topologyProfile is required together with services`,
			},
		},
		"TwoTopologies": {
			reason: "Two names of the topology could disagree.",
			spec: `
topologyConstraint: {clusterTopologyName: cluster, topologyProfile: cluster}
components: [{name: frontend}]`,
			want: []string{`spec.topologyConstraint.topologyProfile: Forbidden: topologyProfile and clusterTopologyName may not be set together; components use clusterTopologyName, and services topologyProfile`},
		},
		"TopologyOfComponentOnly": {
			reason: "A component's packDomain has no meaning without the topology it belongs to.",
			spec:   `components: [{name: worker, topologyConstraint: {packDomain: rack}}]`,
			want:   []string{`spec.topologyConstraint: Required value: topologyConstraint with a clusterTopologyName is required when a component has a topologyConstraint`},
		},
		"RestartOrderOfComponents": {
			reason: "An order names every component once.",
			spec: `
restart: {id: one, strategy: {order: [worker, frontend]}}
components: [{name: frontend}, {name: worker}]`,
		},
		"RestartOrderOfOtherComponents": {
			reason: "A component that does not exist cannot be restarted, and one that is left out would never be.",
			spec: `
restart: {id: one, strategy: {order: [frontend, Worker]}}
components: [{name: frontend}, {name: worker}]`,
			want: []string{
				`spec.restart.strategy.order: Invalid value: order must name every component exactly once; add the missing components, or remove order`,
				`spec.restart.strategy.order: Invalid value: order names a component that is not in components; use the names of components`,
			},
		},
	}
}

// changedFormCases give a graph components for its services, and services for its components.
func changedFormCases() map[string]ruleCase {
	const (
		services = `
topologyConstraint: {topologyProfile: cluster, packDomain: block}
services: {frontend: {}, Worker: {multinode: {nodeCount: 2}, replicas: 3, minAvailable: 2, topologyConstraint: {packDomain: rack}}}`
		components = `
topologyConstraint: {clusterTopologyName: cluster, packDomain: block}
components: [{name: frontend, minAvailable: 1}, {name: Worker, multinode: {nodeCount: 2}, replicas: 3, minAvailable: 2, topologyConstraint: {packDomain: rack}}]`
	)
	return map[string]ruleCase{
		"ServicesToComponents": {reason: "Components may take the place of services that say the same.", old: services, spec: components},
		"ComponentsToServices": {reason: "Services may take the place of components that say the same.", old: components, spec: services},
		"ServicesToOtherComponents": {
			reason: "What cannot change after creation does not change with the form either: the names.",
			old:    services,
			spec: `
topologyConstraint: {clusterTopologyName: other, packDomain: block}
components: [{name: frontend}, {name: worker}]`,
			want: []string{
				`spec.components: Forbidden: components must have the names of the services that they replace; components cannot be added or removed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.clusterTopologyName: Invalid value: clusterTopologyName cannot be changed after creation; delete the graph and create it again`,
			},
		},
		"ServicesToChangedComponents": {
			reason: "What cannot change after creation does not change with the form either: the fields of a component.",
			old:    services,
			spec: `
topologyConstraint: {clusterTopologyName: cluster, packDomain: block}
components: [{name: frontend, topologyConstraint: {packDomain: rack}}, {name: Worker, replicas: 3, topologyConstraint: {packDomain: block}}]`,
			want: []string{
				`spec.components: Forbidden: components cannot change between single-node and multinode after creation; delete the graph and create it again`,
				`spec.components: Forbidden: minAvailable (default 1) of components cannot be changed after creation; delete the graph and create it again`,
				`spec.components: Forbidden: topologyConstraint of components cannot be added, removed or changed after creation; delete the graph and create it again`,
			},
		},
		"ComponentsToOtherServices": {
			reason: "What cannot change after creation does not change with the form on the way back: the names.",
			old:    components,
			spec: `
topologyConstraint: {topologyProfile: other, packDomain: block}
services: {frontend: {}}`,
			want: []string{
				`spec.services: Forbidden: services must have the names of the components that they replace; services cannot be added or removed after creation; delete the graph and create it again`,
				`spec.topologyConstraint.topologyProfile: Invalid value: topologyProfile cannot be changed after creation; delete the graph and create it again`,
			},
		},
		"ComponentsToChangedServices": {
			reason: "What cannot change after creation does not change with the form on the way back: the fields of a service.",
			old:    components,
			spec: `
topologyConstraint: {topologyProfile: cluster, packDomain: block}
services: {frontend: {multinode: {nodeCount: 2}, replicas: 2, minAvailable: 2}, Worker: {multinode: {nodeCount: 2}, replicas: 3, minAvailable: 2}}`,
			want: []string{
				`spec.services: Forbidden: minAvailable (default 1) of services cannot be changed after creation; delete the graph and create it again`,
				`spec.services: Forbidden: services cannot change between single-node and multinode after creation; delete the graph and create it again`,
				`spec.services: Forbidden: topologyConstraint of services cannot be added, removed or changed after creation; delete the graph and create it again`,
			},
		},
	}
}
