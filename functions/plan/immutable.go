package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

const recreate = "put it back as it was, or delete and recreate the graph"

// checkImmutable compares a graph with the PodCliqueSet that runs it. The API server's rules on the old spec say the
// same first; here they hold too for a graph that was changed while those rules were not in force.
func checkImmutable(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) field.ErrorList {
	if set == nil {
		return nil
	}
	errs := checkServiceSet(g, set)
	if len(errs) > 0 {
		return errs
	}
	return append(checkTopologyUnchanged(g, set), checkMinAvailableUnchanged(g, set)...)
}

// checkServiceSet refuses services that were added, removed, or turned from single-node to multinode or back: Grove's
// set of cliques is fixed.
func checkServiceSet(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) field.ErrorList {
	single, multi := sets.New[string](), sets.New[string]()
	for _, group := range set.Spec.Template.ScalingGroups {
		multi.Insert(group.Name)
	}
	for _, clique := range set.Spec.Template.Cliques {
		if !memberOf(clique.Name, set) {
			single.Insert(clique.Name)
		}
	}
	path := field.NewPath("spec", "services")
	var errs field.ErrorList
	wanted := sets.New[string]()
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		lower := names.Lower(name)
		wanted.Insert(lower)
		switch {
		case !single.Has(lower) && !multi.Has(lower):
			errs = append(errs, field.Forbidden(path.Key(name), "services cannot be added after creation: remove it, or delete and recreate the graph"))
		case multi.Has(lower) != pod.IsMultinode(&service):
			errs = append(errs, field.Forbidden(path.Key(name).Child("multinode"), "a service cannot turn from single-node to multinode or back after creation: "+recreate))
		}
	}
	if removed := single.Union(multi).Difference(wanted); removed.Len() > 0 {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("services cannot be removed after creation: put back %s, or delete and recreate the graph", strings.Join(sets.List(removed), ", "))))
	}
	return errs
}

func memberOf(clique string, set *grovev1alpha1.PodCliqueSet) bool {
	for _, group := range set.Spec.Template.ScalingGroups {
		for _, member := range group.CliqueNames {
			if member == clique {
				return true
			}
		}
	}
	return false
}

func checkTopologyUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) field.ErrorList {
	var errs field.ErrorList
	var own string
	if g.Spec.TopologyConstraint != nil {
		own = g.Spec.TopologyConstraint.PackDomain
	}
	errs = append(errs, unchanged(field.NewPath("spec", "topologyConstraint", "packDomain"), own, domainOf(set.Spec.Template.TopologyConstraint))...)
	observed := map[string]string{}
	for _, clique := range set.Spec.Template.Cliques {
		observed[clique.Name] = domainOf(clique.TopologyConstraint)
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		observed[group.Name] = domainOf(group.TopologyConstraint)
	}
	for _, name := range g.ServiceNames() {
		var wanted string
		if tc := g.Spec.Services[name].TopologyConstraint; tc != nil {
			wanted = tc.PackDomain
		}
		errs = append(errs, unchanged(field.NewPath("spec", "services").Key(name).Child("topologyConstraint", "packDomain"), wanted, observed[names.Lower(name)])...)
	}
	return errs
}

func unchanged(path *field.Path, wanted, observed string) field.ErrorList {
	if wanted == observed {
		return nil
	}
	return field.ErrorList{field.Invalid(path, wanted, fmt.Sprintf("cannot change after creation; it was %q: %s", observed, recreate))}
}

// domainOf a constraint in any dialect.
func domainOf(tc *grovev1alpha1.TopologyConstraint) string {
	switch {
	case tc == nil:
		return ""
	case tc.Pack != nil:
		return tc.Pack.Required
	default:
		return tc.PackDomain
	}
}

func checkMinAvailableUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) field.ErrorList {
	observed := map[string]int32{}
	for _, clique := range set.Spec.Template.Cliques {
		observed[clique.Name] = clique.Spec.MinAvailable
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		observed[group.Name] = group.MinAvailable
	}
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		wanted := pod.MinAvailable(&service)
		if before := observed[names.Lower(name)]; before != 0 && wanted != before {
			errs = append(errs, field.Invalid(field.NewPath("spec", "services").Key(name).Child("minAvailable"), wanted,
				fmt.Sprintf("cannot change after creation; it was %d: %s", before, recreate)))
		}
	}
	return errs
}
