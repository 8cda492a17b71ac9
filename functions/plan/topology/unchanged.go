package topology

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Unchanged refuses constraints that differ from those with which a live graph was created: the scheduler has placed its pods by them, and
// Grove refuses to change them. t is the topology whose levels are used for the comparison.
func Unchanged(f *subject.Facts, t Decision) message.List {
	set := f.Observed.PodCliqueSet
	if set == nil {
		return checkPlacementsUnchanged(f.Graph, f.Memory)
	}
	// Beside an override, typed constraints are a mistake of their own, and compared as if it were corrected.
	if overrides := override.Constraints(f.Graph); len(overrides) > 0 && !override.HasTyped(f.Graph) {
		return checkOverridesUnchanged(overrides, set)
	}
	return append(checkRequiredUnchanged(f.Graph, set, observed.ComponentsOf(set)), checkPreferredUnchanged(f.Graph, set, t)...)
}

// checkRequiredUnchanged refuses changed constraints of the graph, and of the components with which it was created.
func checkRequiredUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, components observed.Components) message.List {
	before := constraintsOf(set)
	var errs message.List
	for _, component := range append([]string{""}, g.ComponentNames()...) {
		if _, ok := components[names.Lower(component)]; component != "" && !ok {
			continue
		}
		wanted := packDomain(g, component)
		errs = append(errs, unchanged(wanted.path, wanted.domain, before[names.Lower(component)].required)...)
	}
	// The oldest dialect does not contain the name, and older PodCliqueSets are not annotated with it.
	if profile := recordedProfile(set); profile != "" {
		own := ptr.Deref(g.Spec.TopologyConstraint, v1beta1.SpecTopologyConstraint{})
		errs = append(errs, unchanged(profilePath(), own.ClusterTopologyName, profile)...)
	}
	return errs
}

// checkOverridesUnchanged refuses constraints in Grove's own form that differ from those of a PodCliqueSet, as far as this version knows
// them, and places that no longer have one.
func checkOverridesUnchanged(overrides []override.Override, set *grovev1alpha1.PodCliqueSet) message.List {
	before := topologyConstraintsOf(set)
	var errs message.List
	for _, o := range overrides {
		var wanted grovev1alpha1.TopologyConstraint
		if err := require.Into(o.Wanted(), &wanted); err != nil {
			errs = append(errs, message.Internal(o.Path.Child("value"), err))
			continue
		}
		if was := ptr.Deref(before[o.Name], grovev1alpha1.TopologyConstraint{}); !reflect.DeepEqual(was, wanted) {
			errs = append(errs, message.Forbidden(o.Path.Child("value"), "%s: %s", subject.NoChange, subject.PutBack))
		}
		delete(before, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		errs = append(errs, message.Forbidden(overrides[0].Path,
			"%s of %s cannot be removed after creation: %s", override.Constraint, cmp.Or(name, "the graph"), subject.PutBack))
	}
	return errs
}

// recordedProfile is the name in the constraints of a PodCliqueSet, or in its annotation.
func recordedProfile(set *grovev1alpha1.PodCliqueSet) string {
	constraints := constraintsOf(set)
	for _, place := range slices.Sorted(maps.Keys(constraints)) {
		if profile := constraints[place].profile; profile != "" {
			return profile
		}
	}
	return set.Annotations[metadata.AnnotationTopologyProfile]
}

// checkPlacementsUnchanged compares a graph with the placement of its LeaderWorkerSets.
func checkPlacementsUnchanged(g *graph.Graph, m *memory.Memory) message.List {
	var errs message.List
	for _, name := range g.ComponentNames() {
		record, recorded := m.Gangs.Records[names.Lower(name)]
		if !recorded {
			continue
		}
		own := ptr.Deref(g.Spec.TopologyConstraint, v1beta1.SpecTopologyConstraint{})
		errs = append(errs, placedBefore(requiredOf(g, name), record.Required, name)...)
		errs = append(errs, unchanged(profilePath(), own.ClusterTopologyName, record.Profile)...)
		if record.Preferred != "" {
			errs = append(errs, placedBefore(preferredOf(g, name), record.Preferred, name)...)
		}
	}
	return errs
}

// placedBefore is unchanged for a domain of a component. A domain of the graph may have been that of the component before, so the message names
// the component.
func placedBefore(wanted constraint, before, component string) message.List {
	if wanted.component != "" || wanted.domain == before {
		return unchanged(wanted.path, wanted.domain, before)
	}
	return message.List{message.Invalid(wanted.path, wanted.domain,
		"%s; it was %q for {{component}} %s: %s", subject.NoChange, before, component, subject.PutBack)}
}

func unchanged(path *field.Path, wanted, before string) message.List {
	if wanted == before {
		return nil
	}
	return message.List{message.Invalid(path, wanted, "%s; it was %q: %s", subject.NoChange, before, subject.PutBack)}
}

// checkPreferredUnchanged refuses preferred domains that differ from those with which a PodCliqueSet was created. A preferred domain that
// is not written because it is broader than the required one can be added and removed.
func checkPreferredUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, t Decision) message.List {
	if t.Plan == nil || !takesPreferred(t, set) {
		return nil
	}
	known, components := len(t.Levels.Spec.Levels) > 0, observed.ComponentsOf(set)
	var errs message.List
	for _, component := range append([]string{""}, g.ComponentNames()...) {
		if _, ok := components[names.Lower(component)]; component != "" && !ok {
			continue
		}
		wanted, before := preferredDomain(g, component), constraintsOf(set)[names.Lower(component)].preferred
		required := requiredOf(g, component).domain
		if before == "" && required != "" && (!known || !useful(wanted.domain, required, t.Levels)) {
			continue
		}
		errs = append(errs, unchanged(wanted.path, wanted.domain, before)...)
	}
	return errs
}
