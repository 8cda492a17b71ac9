package topology

import (
	"cmp"
	"maps"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// constrained is what a PodCliqueSet contains for the graph or for one component.
type constrained struct{ required, preferred, profile string }

// constraintsOf a PodCliqueSet in any dialect: its own constraint with an empty name, and those of components by lower-cased name.
func constraintsOf(set *grovev1alpha1.PodCliqueSet) map[string]constrained {
	all := map[string]constrained{}
	for name, tc := range topologyConstraintsOf(set) {
		c := constrained{required: tc.PackDomain, profile: tc.TopologyName}
		if tc.Pack != nil {
			c.required, c.preferred = cmp.Or(tc.Pack.Required, tc.PackDomain), tc.Pack.Preferred
		}
		all[name] = c
	}
	return all
}

// topologyConstraintsOf a PodCliqueSet by the same names.
func topologyConstraintsOf(set *grovev1alpha1.PodCliqueSet) map[string]*grovev1alpha1.TopologyConstraint {
	all := map[string]*grovev1alpha1.TopologyConstraint{"": set.Spec.Template.TopologyConstraint}
	for _, clique := range set.Spec.Template.Cliques {
		all[clique.Name] = clique.TopologyConstraint
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		all[group.Name] = group.TopologyConstraint
	}
	maps.DeleteFunc(all, func(_ string, tc *grovev1alpha1.TopologyConstraint) bool { return tc == nil })
	return all
}
