package grove

import (
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// claimTemplates of a component whose pods share the GPUs of their node with other pods: one for each node. Grove creates a claim from each for
// every replica, and adds it to the containers of the cliques that share it.
func (b *builder) claimTemplates(name string) []grovev1alpha1.ResourceClaimTemplate {
	if !b.graph.Component(name).RunsWeightServers() {
		return nil
	}
	component := b.graph.Component(name)
	var all []grovev1alpha1.ResourceClaimTemplate
	for rank := range component.Nodes() {
		all = append(all, grovev1alpha1.ResourceClaimTemplate{
			Name: names.GPUClaimOfRank(name, rank), TemplateSpec: grovev1alpha1.ResourceClaimSpec{Spec: pod.WeightsClaim(component)},
		})
	}
	return all
}

// resourceSharing of these claims.
func (b *builder) resourceSharing(name string) []grovev1alpha1.ResourceSharing {
	if !b.graph.Component(name).RunsWeightServers() {
		return nil
	}
	var all []grovev1alpha1.ResourceSharing
	for _, c := range pod.Cliques(b.graph.Component(name)) {
		claim := names.GPUClaimOfRank(name, c.Rank)
		if last := len(all) - 1; last >= 0 && all[last].Name == claim {
			all[last].Filter.ChildCliqueNames = append(all[last].Filter.ChildCliqueNames, c.Name)
			continue
		}
		all = append(all, grovev1alpha1.ResourceSharing{
			Name: claim, Scope: grovev1alpha1.SharingPerReplica, Filter: grovev1alpha1.ResourceSharingFilter{ChildCliqueNames: []string{c.Name}},
		})
	}
	return all
}
