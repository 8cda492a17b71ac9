package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// Unchanged refuses other constraints than those that a live graph was created with: the scheduler has placed its pods by
// them, and Grove refuses to change them. t is the topology by whose levels they are compared.
func Unchanged(f *subject.Facts, t Topology) field.ErrorList {
	set := f.Observed.PodCliqueSet
	if set == nil {
		return checkPlacementsUnchanged(f.Graph, f.Memory, t.Levels)
	}
	return append(checkRequiredUnchanged(f.Graph, set, observed.ServicesOf(set)), checkPreferredUnchanged(f.Graph, set, t)...)
}

// checkRequiredUnchanged refuses other constraints of the graph, and of the services that it was created with.
func checkRequiredUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, services observed.Services) field.ErrorList {
	before := constraintsOf(set)
	var errs field.ErrorList
	for _, service := range append([]string{""}, g.ServiceNames()...) {
		if _, ok := services[names.Lower(service)]; service != "" && !ok {
			continue
		}
		errs = append(errs, unchanged(packDomainPath(service), packDomain(g, service), before[names.Lower(service)].required)...)
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
func checkPlacementsUnchanged(g *graph.Graph, m *memory.Memory, levels *grovev1alpha1.Topology) field.ErrorList {
	var errs field.ErrorList
	for _, name := range g.ServiceNames() {
		wanted := requiredOf(g, name)
		record, recorded := m.Gangs.Records[names.Lower(name)]
		if !recorded {
			label := m.Gangs.Placements[names.Lower(name)].RequiredLabel
			if label == "" || wanted.domain != "" && (levels == nil || levels.DomainOf(label) == "") {
				continue
			}
			record.Required = label
			if levels != nil {
				record.Required = cmp.Or(levels.DomainOf(label), label)
			}
		}
		errs = append(errs, placedBefore(wanted, record.Required, name)...)
		if record.Profile != "" {
			own := ptr.Deref(g.Spec.TopologyConstraint, v1alpha1.SpecTopologyConstraint{})
			errs = append(errs, unchanged(profilePath(), own.TopologyProfile, record.Profile)...)
		}
		if record.Preferred != "" {
			errs = append(errs, placedBefore(preferredOf(g, name), record.Preferred, name)...)
		}
	}
	return errs
}

// placedBefore is unchanged for a domain of a service. One that comes from the graph may have been the service's own, so the
// message says which service it is about.
func placedBefore(wanted constraint, before, service string) field.ErrorList {
	if wanted.service != "" || wanted.domain == before {
		return unchanged(wanted.path, wanted.domain, before)
	}
	return field.ErrorList{field.Invalid(wanted.path, wanted.domain,
		fmt.Sprintf(subject.NoChange+"; it was %q for service %s: %s", before, service, subject.PutBack))}
}

func unchanged(path *field.Path, wanted, before string) field.ErrorList {
	if wanted == before {
		return nil
	}
	return field.ErrorList{field.Invalid(path, wanted, fmt.Sprintf(subject.NoChange+"; it was %q: %s", before, subject.PutBack))}
}

// checkPreferredUnchanged refuses other preferred domains than those that a PodCliqueSet was created with. One that is not
// written because it is broader than what is required may come and go.
func checkPreferredUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, t Topology) field.ErrorList {
	if t.Plan == nil || !takesPreferred(t, set) {
		return nil
	}
	known, services := len(t.Levels.Spec.Levels) > 0, observed.ServicesOf(set)
	var errs field.ErrorList
	for _, service := range append([]string{""}, g.ServiceNames()...) {
		if _, ok := services[names.Lower(service)]; service != "" && !ok {
			continue
		}
		wanted, before := preferredDomain(g, service), constraintsOf(set)[names.Lower(service)].preferred
		required := requiredOf(g, service).domain
		if before == "" && required != "" && (!known || !useful(wanted, required, t.Levels)) {
			continue
		}
		errs = append(errs, unchanged(preferredPath(service), wanted, before)...)
	}
	return errs
}
