package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

const (
	requirementTopology       = "topology"
	requirementTopologySchema = "schema-clustertopologybinding"
)

func profilePath() *field.Path { return field.NewPath("spec", "topologyConstraint", "topologyProfile") }

// topology of a graph: what the plan says of it, and its levels. Without a plan it has no constraint, or is not known yet,
// or is refused.
type topology struct {
	plan   *graphplan.Topology
	levels *grovev1alpha1.Topology
}

// planTopology decides how the graph's constraints are written on Grove. For a new graph the topology and all its domains
// must exist; for one that runs already, what is missing is only reported.
func (d *decider) planTopology() (topology, field.ErrorList) {
	if !d.hasTopology() {
		return topology{}, nil
	}
	var errs field.ErrorList
	if !d.cluster.kai && !d.input.Topology.AllowWithoutKAI && !d.memory.exists() {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "topologyConstraint"), "topology constraints on Grove need the KAI scheduler (API group scheduling.run.ai), which is not installed: install it, remove the constraints, or let the platform set topology.allowWithoutKAI in the input of step plan"))
	}
	t, problems := d.findTopology()
	errs = append(errs, problems...)
	if t.plan == nil {
		return t, errs
	}
	d.preferOnGrove(t)
	t.plan.Unwritten = len(packDomains(d.graph)) == 0 && t.plan.Preferred == "" && len(t.plan.PreferredDomains) == 0
	t.plan.RecordName = recordsName(t.plan, d.memory)
	if !d.memory.exists() {
		errs = append(errs, checkPreferredHierarchy(d.graph, t.levels)...)
	}
	return t, errs
}

// defineTopology looks up the levels of a graph that does not run on Grove: a profile of the platform, else the topology
// object of Grove, which may be there all the same.
func (d *decider) defineTopology() (topology, field.ErrorList) {
	if !d.hasTopology() {
		return topology{}, nil
	}
	name := d.graph.Spec.TopologyConstraint.TopologyProfile
	if levels := profileOf(d.input, name); levels != nil {
		return d.judge(topology{&graphplan.Topology{Name: name}, levels}, "profile "+name+" of the platform")
	}
	if d.cluster.grove {
		return d.findTopology()
	}
	return topology{&graphplan.Topology{Name: name, NotFound: true, Undefined: true}, &grovev1alpha1.Topology{}}, nil
}

// hasTopology reports whether a graph has constraints and says of which topology. Looking up an object without a proper name
// would fail the request, and with it the message that says so.
func (d *decider) hasTopology() bool {
	tc := d.graph.Spec.TopologyConstraint
	return tc != nil && tc.TopologyProfile != "" && len(constraints(d.graph)) > 0 && len(checkProfile(d.graph)) == 0
}

// checkProfile refuses a name that no topology can have.
func checkProfile(g *graph.Graph) field.ErrorList {
	if g.Spec.TopologyConstraint == nil || len(constraints(g)) == 0 {
		return nil
	}
	return validate.ObjectName(profilePath(), g.Spec.TopologyConstraint.TopologyProfile)
}

// profileOf the platform as a topology; nil when there is none of this name.
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

// findTopology looks up the topology object of Grove. It returns none while it is not looked up yet, and where it must
// exist and does not.
func (d *decider) findTopology() (topology, field.ErrorList) {
	name := d.graph.Spec.TopologyConstraint.TopologyProfile
	dialect, resolved := dialectOf(d.input, d.requirements)
	if !resolved {
		return topology{}, nil
	}
	kind := topologyKind(dialect)
	object, resolved := d.requirements.Get(require.Object{
		Name: requirementTopology, APIVersion: grovev1alpha1.APIVersion, Kind: kind, ObjectName: name,
	})
	if !resolved {
		return topology{}, nil
	}
	t := topology{&graphplan.Topology{Name: name, Dialect: keptDialect(dialect, d.memory.podCliqueSet)}, &grovev1alpha1.Topology{}}
	if object == nil {
		t.plan.NotFound = true
		if d.memory.exists() {
			return t, nil
		}
		return topology{}, field.ErrorList{field.Invalid(profilePath(), name, fmt.Sprintf("there is no %s of this name; create it, or name one that exists", kind))}
	}
	if err := require.Into(object, t.levels); err != nil {
		return topology{}, field.ErrorList{field.InternalError(profilePath(), err)}
	}
	return d.judge(t, kind+" "+name)
}

// judge the domains of a graph by the levels of its topology.
func (d *decider) judge(t topology, called string) (topology, field.ErrorList) {
	t.plan.Missing = missingDomains(d.graph, t.levels.Domains())
	if d.memory.exists() {
		return t, nil
	}
	return t, checkDomains(d.graph, called, t.levels)
}

// dialectOf is the form in which the installed Grove takes constraints.
func dialectOf(in *v1alpha1.Input, r *require.Requirements) (dialect graphplan.TopologyDialect, resolved bool) {
	if in.Grove.TopologyDialect != v1alpha1.DialectAuto {
		return graphplan.TopologyDialect(in.Grove.TopologyDialect), true
	}
	served, known, resolved := r.HasSchema(requirementTopologySchema, grovev1alpha1.APIVersion, grovev1alpha1.KindClusterTopologyBinding)
	if known && !served {
		return graphplan.DialectPackDomain, resolved
	}
	return graphplan.DialectPack, resolved
}

// keptDialect is the dialect in which the constraints of a live set are written: Grove lets them move to a later one, and
// never back.
func keptDialect(installed graphplan.TopologyDialect, set *grovev1alpha1.PodCliqueSet) graphplan.TopologyDialect {
	if set == nil {
		return installed
	}
	written := slices.Collect(maps.Values(topologyConstraintsOf(set)))
	switch {
	case slices.ContainsFunc(written, func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.Pack != nil }):
		return graphplan.DialectPack
	case installed == graphplan.DialectPackDomain && slices.ContainsFunc(written, func(tc *grovev1alpha1.TopologyConstraint) bool { return tc.TopologyName != "" }):
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

// checkDomains refuses domains that the topology does not have, and a service that is packed more broadly than its
// graph: the scheduler could not honour both.
func checkDomains(g *graph.Graph, called string, levels *grovev1alpha1.Topology) field.ErrorList {
	var errs field.ErrorList
	domains := levels.Domains()
	available := strings.Join(slices.Sorted(slices.Values(domains)), ", ")
	for _, c := range constraints(g) {
		// A constraint without a proper domain is refused elsewhere.
		if len(validate.Domain(c.domain)) == 0 && !slices.Contains(domains, c.domain) {
			errs = append(errs, field.Invalid(c.path, c.domain, fmt.Sprintf("is not a domain of %s; available domains: %s", called, available)))
		}
	}
	own := packDomain(g, "")
	for _, c := range packDomains(g) {
		if levels.Broader(c.domain, own) {
			errs = append(errs, field.Invalid(c.path, c.domain, fmt.Sprintf("is broader than %s of spec.topologyConstraint; the levels of %s are, broadest first: %s",
				own, called, strings.Join(domains, ", "))))
		}
	}
	return errs
}

// recordsName reports whether the PodCliqueSet is marked with the name of its topology: constraints of the oldest dialect
// do not hold it. What runs already is not touched for that.
func recordsName(t *graphplan.Topology, m *memory) bool {
	if m.podCliqueSet != nil {
		return m.podCliqueSet.Annotations[metadata.AnnotationTopologyProfile] != ""
	}
	return t.Dialect == graphplan.DialectPackDomain
}
