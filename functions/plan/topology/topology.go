// Package topology decides how the topology constraints of a graph are written: by Grove for the graph as a whole, by the gang scheduler
// for each replica on LeaderWorkerSets, and not at all on Deployments.
package topology

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

const requirementTopology = "topology"

func profilePath() *field.Path {
	return field.NewPath("spec", "topologyConstraint", "clusterTopologyName")
}

// Decision about the topology of a graph: its part of the plan, and its levels. Without a plan the graph has no constraint, or the
// topology is not known yet, or the graph is refused.
type Decision struct {
	Plan   *graphplan.Topology
	Levels *grovev1alpha1.Topology
}

// OnGrove decides how the constraints of a graph are written on Grove, where a scheduler places its pods. For a new graph, the topology and
// all its domains must exist. For a live graph, missing ones are only reported.
func OnGrove(f *subject.Facts, scheduler string) (Decision, subject.Outcome) {
	if !isConstrained(f.Graph) {
		return Decision{}, subject.Outcome{}
	}
	t, o := findTopology(f)
	if !f.Input.Topology.AllowWithoutKAI && !f.Live() {
		o.Refuse(subject.Mistake, checkScheduler(f, scheduler)...)
	}
	if t.Plan == nil {
		return t, o
	}
	t.Plan.Preferred, t.Plan.PreferredDomains = preferencesOnGrove(f, t)
	t.Plan.Unwritten = len(packDomains(f.Graph)) == 0 && t.Plan.Preferred == "" && len(t.Plan.PreferredDomains) == 0
	t.Plan.RecordName = recordsName(t.Plan, f.Observed.PodCliqueSet)
	if !f.Live() {
		o.Refuse(subject.Mistake, checkPreferredHierarchy(f.Graph, t.Levels)...)
	}
	return t, o
}

// checkScheduler refuses constraints that no scheduler would obey. Grove's backend for Volcano refuses a PodCliqueSet with constraints
// (v0.1.0-alpha.10).
func checkScheduler(f *subject.Facts, scheduler string) message.List {
	path := field.NewPath("spec", "topologyConstraint")
	switch {
	case scheduler == graphplan.VolcanoScheduler:
		return message.List{message.Forbidden(path, "topology constraints on Grove require the KAI scheduler, but Volcano schedules the pods; remove the constraints, or set {{podTemplate.spec.schedulerName}}: kai-scheduler for all {{components}}")}
	case scheduler == graphplan.KueueScheduler:
		return message.List{message.Forbidden(path, "topology constraints on Grove are not supported in a queue of Kueue; remove the constraints")}
	case !f.Cluster.KAI:
		return message.List{message.Forbidden(path, "topology constraints on Grove require the KAI scheduler (API group scheduling.run.ai), which is not installed; install it, remove the constraints, or let the platform set topology.allowWithoutKAI %s", f.Sources.In("topology.allowWithoutKAI"))}
	default:
		return nil
	}
}

// Elsewhere looks up the levels of a graph that does not run on Grove: a profile of the platform, otherwise the topology object of Grove,
// which can exist without Grove.
func Elsewhere(f *subject.Facts) (Decision, subject.Outcome) {
	if !isConstrained(f.Graph) {
		return Decision{}, subject.Outcome{}
	}
	name := f.Graph.Spec.TopologyConstraint.ClusterTopologyName
	if levels := profileOf(f.Input, name); levels != nil {
		t := Decision{&graphplan.Topology{Name: name}, levels}
		return t, subject.Refused(subject.Mistake, checkLevels(f, t, "profile "+name+" of the platform")...)
	}
	if f.Cluster.Grove {
		return findTopology(f)
	}
	return Decision{&graphplan.Topology{Name: name, NotFound: true, Undefined: true}, &grovev1alpha1.Topology{}}, subject.Outcome{}
}

// isConstrained reports whether a graph has constraints and a topology for them. Looking up an object with an invalid name would fail the
// request, and the error message would be lost.
func isConstrained(g *graph.Graph) bool {
	tc := g.Spec.TopologyConstraint
	return tc != nil && tc.ClusterTopologyName != "" && len(constraints(g)) > 0 && len(CheckProfile(g)) == 0
}

// CheckProfile refuses a name that no topology can have.
func CheckProfile(g *graph.Graph) message.List {
	if g.Spec.TopologyConstraint == nil || len(constraints(g)) == 0 {
		return nil
	}
	return validate.ObjectName(profilePath(), g.Spec.TopologyConstraint.ClusterTopologyName)
}

// profileOf the platform as a topology. nil if there is none with this name.
func profileOf(in *v1alpha1.Input, name string) *grovev1alpha1.Topology {
	for _, profile := range in.Topology.Profiles {
		if profile.Name != name {
			continue
		}
		levels := &grovev1alpha1.Topology{}
		for _, level := range profile.Levels {
			levels.Spec.Levels = append(levels.Spec.Levels, grovev1alpha1.TopologyLevel(level))
		}
		return levels
	}
	return nil
}

// findTopology looks up the topology object of Grove. It returns none if it is not looked up yet, or if it is required and does not exist.
func findTopology(f *subject.Facts) (Decision, subject.Outcome) {
	name := f.Graph.Spec.TopologyConstraint.ClusterTopologyName
	var o subject.Outcome
	found, err := lookUp(f, &o.Requirements, requirementTopology, profilePath(), name)
	if err != nil {
		o.Refuse(subject.Mistake, err)
		return Decision{}, o
	}
	if !found.resolved {
		return Decision{}, o
	}
	t := Decision{&graphplan.Topology{Name: name, Dialect: dialectOf(found.dialect, f.Observed.PodCliqueSet)}, found.levels}
	if found.levels == nil {
		t.Plan.NotFound, t.Levels = true, &grovev1alpha1.Topology{}
		if f.Live() {
			return t, o
		}
		o.Refuse(subject.Mistake, missingObject(profilePath(), found.kind, name))
		return Decision{}, o
	}
	o.Refuse(subject.Mistake, checkLevels(f, t, found.kind+" "+name)...)
	return t, o
}

// found is what is known about a topology object of Grove.
type found struct {
	// resolved says that it is looked up.
	resolved bool

	dialect graphplan.TopologyDialect
	kind    string

	// levels of the object. It is nil if there is none.
	levels *grovev1alpha1.Topology
}

// lookUp a topology object of Grove by its name, which is at a path in the graph.
func lookUp(f *subject.Facts, r *require.Requirements, requirement string, path *field.Path, name string) (found, *message.Message) {
	dialect, resolved := f.GroveDialect(r)
	if !resolved {
		return found{}, nil
	}
	kind := topologyKind(dialect)
	object, resolved := r.Get(f.Answers, require.Object{
		Name: requirement, APIVersion: grovev1alpha1.APIVersion, Kind: kind, ObjectName: name,
	})
	t := found{resolved: resolved, dialect: dialect, kind: kind}
	if !resolved || object == nil {
		return t, nil
	}
	t.levels = &grovev1alpha1.Topology{}
	if err := require.Into(object, t.levels); err != nil {
		return found{}, message.Internal(path, err)
	}
	return t, nil
}

func missingObject(path *field.Path, kind, name string) *message.Message {
	return message.Invalid(path, name, "there is no %[1]s of this name; create it, or specify an existing %[1]s", kind)
}

// checkLevels checks the domains of a graph by the levels of its topology.
func checkLevels(f *subject.Facts, t Decision, called string) message.List {
	t.Plan.Missing = missingDomains(f.Graph, t.Levels.Domains())
	if f.Live() {
		return nil
	}
	return checkDomains(f.Graph, called, t.Levels)
}

// dialectOf is the dialect of the constraints of a live PodCliqueSet. Grove allows a change to a later dialect, but never back.
func dialectOf(installed graphplan.TopologyDialect, set *grovev1alpha1.PodCliqueSet) graphplan.TopologyDialect {
	if set == nil {
		return installed
	}
	written := slices.Collect(maps.Values(topologyConstraintsOf(set)))
	hasName := func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.TopologyName != "" }
	switch {
	case slices.ContainsFunc(written, func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.Pack != nil }):
		return graphplan.DialectPack
	case installed == graphplan.DialectPackDomain && slices.ContainsFunc(written, hasName):
		return graphplan.DialectPackDomainWithTopologyName
	default:
		return installed
	}
}

func topologyKind(dialect graphplan.TopologyDialect) string {
	if dialect == graphplan.DialectPackDomain {
		return grovev1alpha1.KindClusterTopology
	}
	return grovev1alpha1.KindClusterTopologyBinding
}

func missingDomains(g *graph.Graph, domains []string) []string {
	var missing []string
	for _, c := range constraints(g) {
		if !slices.Contains(domains, c.domain) {
			missing = append(missing, c.domain)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// checkDomains refuses domains that the topology does not have, and a component with a broader domain than its graph, because the scheduler
// could not satisfy both.
func checkDomains(g *graph.Graph, called string, levels *grovev1alpha1.Topology) message.List {
	var errs message.List
	domains, own := levels.Domains(), packDomain(g, "").domain
	for _, c := range constraints(g) {
		// A constraint with an invalid domain is refused elsewhere.
		if len(validate.Domain(c.domain)) == 0 && !slices.Contains(domains, c.domain) {
			errs = append(errs, notADomain(c.path, c.domain, called, domains[max(0, slices.Index(domains, own)):]))
		}
	}
	for _, c := range packDomains(g) {
		if levels.Broader(c.domain, own) {
			errs = append(errs, message.Invalid(c.path, c.domain, "is broader than %s of spec.topologyConstraint; the levels of %s are, broadest first: %s", own, called, strings.Join(domains, ", ")))
		}
	}
	return errs
}

// recordsName reports whether the PodCliqueSet is annotated with the name of its topology, which constraints of the oldest dialect do not
// contain. Live PodCliqueSets do not get the annotation later.
func recordsName(t *graphplan.Topology, set *grovev1alpha1.PodCliqueSet) bool {
	if set != nil {
		return set.Annotations[metadata.AnnotationTopologyProfile] != ""
	}
	return t.Dialect == graphplan.DialectPackDomain
}
