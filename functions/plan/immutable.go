package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

const recreate = "put it back as it was, or delete and recreate the graph"

// checkImmutable compares a graph with the workloads that run it. The API server's rules on the old spec say the same
// first; here they hold too for a graph that was changed while those rules were not in force.
func checkImmutable(g *graph.Graph, m *memory) field.ErrorList {
	set := m.podCliqueSet
	if set == nil {
		return checkServicesKept(g, m.services)
	}
	running := servicesOf(set)
	return slices.Concat(
		checkServicesKept(g, running), checkNoneAdded(g, running),
		checkTopologyUnchanged(g, set, running), checkMinAvailableUnchanged(g, set), checkNodeCountUnchanged(g, set),
	)
}

// running are the services of a graph's observed workloads, by lower-cased name; true for a multinode service.
type running map[string]bool

// servicesOf a PodCliqueSet: each scaling group is a multinode service, each clique outside of one a single-node one.
func servicesOf(set *grovev1alpha1.PodCliqueSet) running {
	services := running{}
	for _, clique := range set.Spec.Template.Cliques {
		if !memberOf(clique.Name, set) {
			services[clique.Name] = false
		}
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		services[group.Name] = true
	}
	return services
}

// checkServicesKept refuses to remove a service, or to turn it from single-node to multinode or back: its workload would
// be deleted.
func checkServicesKept(g *graph.Graph, services running) field.ErrorList {
	path := field.NewPath("spec", "services")
	wanted := map[string]string{}
	for _, name := range g.ServiceNames() {
		wanted[names.Lower(name)] = name
	}
	var errs field.ErrorList
	var removed []string
	for _, lower := range slices.Sorted(maps.Keys(services)) {
		name, ok := wanted[lower]
		if !ok {
			removed = append(removed, lower)
			continue
		}
		if service := g.Spec.Services[name]; services[lower] != pod.IsMultinode(&service) {
			errs = append(errs, field.Forbidden(path.Key(name).Child("multinode"), "a service cannot turn from single-node to multinode or back after creation: "+recreate))
		}
	}
	if len(removed) > 0 {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("services cannot be removed after creation: put back %s, or delete and recreate the graph", strings.Join(removed, ", "))))
	}
	return errs
}

// checkNoneAdded refuses new services on Grove, whose set of cliques is fixed.
func checkNoneAdded(g *graph.Graph, services running) field.ErrorList {
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		if _, ok := services[names.Lower(name)]; !ok {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "services").Key(name), "services cannot be added after creation: remove it, or delete and recreate the graph"))
		}
	}
	return errs
}

func memberOf(clique string, set *grovev1alpha1.PodCliqueSet) bool {
	return slices.ContainsFunc(set.Spec.Template.ScalingGroups, func(group grovev1alpha1.ScalingGroup) bool {
		return slices.Contains(group.CliqueNames, clique)
	})
}

// checkTopologyUnchanged refuses other constraints of the graph, and of the services that it was created with.
func checkTopologyUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, services running) field.ErrorList {
	observed := constraintsOf(set)
	var errs field.ErrorList
	for _, service := range append([]string{""}, g.ServiceNames()...) {
		if _, ok := services[names.Lower(service)]; service != "" && !ok {
			continue
		}
		errs = append(errs, unchanged(packDomainPath(service), packDomain(g, service), observed[names.Lower(service)].required)...)
	}
	// The oldest dialect has no name to compare with, and older sets are not marked with it.
	if profile := recordedProfile(set); profile != "" {
		own := ptr.Deref(g.Spec.TopologyConstraint, v1alpha1.SpecTopologyConstraint{})
		errs = append(errs, unchanged(profilePath(), own.TopologyProfile, profile)...)
	}
	return errs
}

// recordedProfile is the name that the constraints of a set hold, or that it is marked with.
func recordedProfile(set *grovev1alpha1.PodCliqueSet) string {
	constraints := constraintsOf(set)
	for _, place := range slices.Sorted(maps.Keys(constraints)) {
		if profile := constraints[place].profile; profile != "" {
			return profile
		}
	}
	return set.Annotations[metadata.AnnotationTopologyProfile]
}

// checkPlacementsUnchanged compares a graph with how its LeaderWorkerSets are packed. Those from before they were marked
// only tell the node label, and that may have changed in the topology instead.
func checkPlacementsUnchanged(g *graph.Graph, m *memory, levels *grovev1alpha1.Topology) field.ErrorList {
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		wanted := requiredOf(g, name)
		record, recorded := m.gangs.records[names.Lower(name)]
		if !recorded {
			label := m.gangs.placements[names.Lower(name)].RequiredLabel
			if label == "" || wanted.domain != "" && (levels == nil || levels.DomainOf(label) == "") {
				continue
			}
			record.required = label
			if levels != nil {
				record.required = cmp.Or(levels.DomainOf(label), label)
			}
		}
		errs = append(errs, placedBefore(wanted, record.required, name)...)
		if record.profile != "" {
			own := ptr.Deref(g.Spec.TopologyConstraint, v1alpha1.SpecTopologyConstraint{})
			errs = append(errs, unchanged(profilePath(), own.TopologyProfile, record.profile)...)
		}
		if record.preferred != "" {
			errs = append(errs, placedBefore(preferredOf(g, name), record.preferred, name)...)
		}
	}
	return errs
}

// placedBefore is unchanged for a domain of a service. One that comes from the graph may have been the service's own, so the
// message says which service it is about.
func placedBefore(wanted constraint, observed, service string) field.ErrorList {
	if wanted.service != "" || wanted.domain == observed {
		return unchanged(wanted.path, wanted.domain, observed)
	}
	return field.ErrorList{field.Invalid(wanted.path, wanted.domain, fmt.Sprintf("cannot change after creation; it was %q for service %s: %s", observed, service, recreate))}
}

func unchanged(path *field.Path, wanted, observed string) field.ErrorList {
	if wanted == observed {
		return nil
	}
	return field.ErrorList{field.Invalid(path, wanted, fmt.Sprintf("cannot change after creation; it was %q: %s", observed, recreate))}
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

// checkNodeCountUnchanged refuses another number of nodes: all workers of a replica are placed together, so it is the
// minAvailable of their clique, which Grove refuses to change.
func checkNodeCountUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) field.ErrorList {
	workers := map[string]int32{}
	for _, clique := range set.Spec.Template.Cliques {
		workers[clique.Name] = clique.Spec.MinAvailable
	}
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		before := workers[names.WorkerClique(name)] + 1
		if wanted := pod.NodeCount(&service); pod.IsMultinode(&service) && before > 1 && wanted != before {
			errs = append(errs, field.Invalid(field.NewPath("spec", "services").Key(name).Child("multinode", "nodeCount"), wanted,
				fmt.Sprintf("cannot change after creation on Grove; it was %d: %s", before, recreate)))
		}
	}
	return errs
}

// checkPlacement is the part of what cannot change that is told by the levels of the topology.
func (d *decider) checkPlacement(t topology) field.ErrorList {
	if set := d.memory.podCliqueSet; set != nil {
		return checkPreferredUnchanged(d.graph, set, t)
	}
	return checkPlacementsUnchanged(d.graph, d.memory, t.levels)
}
