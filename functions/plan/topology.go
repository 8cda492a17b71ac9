package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

const (
	requirementTopology       = "topology"
	requirementTopologySchema = "schema-clustertopologybinding"
)

// packDomain is a constraint with where it stands in the spec.
type packDomain struct {
	path   *field.Path
	domain string
}

// packDomains of a graph: the graph's own first, then the services' by name.
func packDomains(g *graph.Graph) []packDomain {
	var domains []packDomain
	if tc := g.Spec.TopologyConstraint; tc != nil && tc.PackDomain != "" {
		domains = append(domains, packDomain{field.NewPath("spec", "topologyConstraint", "packDomain"), tc.PackDomain})
	}
	for _, name := range g.ServiceNames() {
		if tc := g.Spec.Services[name].TopologyConstraint; tc != nil {
			domains = append(domains, packDomain{field.NewPath("spec", "services").Key(name).Child("topologyConstraint", "packDomain"), tc.PackDomain})
		}
	}
	return domains
}

// planTopology decides how the graph's constraints are written. For a new graph the topology and all its domains must
// exist; for one that runs already, what is missing is only reported.
func planTopology(g *graph.Graph, c cluster, m *memory, in *v1alpha1.Input, r *require.Requirements) (*graphplan.Topology, field.ErrorList) {
	tc := g.Spec.TopologyConstraint
	if tc == nil || len(packDomains(g)) == 0 {
		return nil, nil
	}
	path := field.NewPath("spec", "topologyConstraint")
	if !c.kai && !in.Topology.AllowWithoutKAI && !m.exists() {
		return nil, field.ErrorList{field.Forbidden(path, "topology constraints on Grove need the KAI scheduler (API group scheduling.run.ai), which is not installed: install it, remove the constraints, or let the platform set topology.allowWithoutKAI in the input of step plan")}
	}
	t, _, errs := findTopology(g, m, in, r)
	return t, errs
}

// findTopology looks up the topology of a graph. It returns none while it is not looked up yet, and where it must exist
// and does not.
func findTopology(g *graph.Graph, m *memory, in *v1alpha1.Input, r *require.Requirements) (*graphplan.Topology, *grovev1alpha1.Topology, field.ErrorList) {
	tc := g.Spec.TopologyConstraint
	path := field.NewPath("spec", "topologyConstraint")
	// Looking up an object without a proper name would fail the request, and with it this message.
	if tc.TopologyProfile == "" {
		return nil, nil, field.ErrorList{field.Required(path.Child("topologyProfile"), "name the topology whose levels the packDomains are")}
	}
	if errs := objectName(path.Child("topologyProfile"), tc.TopologyProfile); len(errs) > 0 {
		return nil, nil, errs
	}
	dialect, resolved := dialectOf(in, r)
	if !resolved {
		return nil, nil, nil
	}
	t := &graphplan.Topology{Name: tc.TopologyProfile, Dialect: string(dialect)}
	kind := topologyKind(dialect)
	object, resolved := r.Get(require.Object{
		Name: requirementTopology, APIVersion: grovev1alpha1.APIVersion, Kind: kind, ObjectName: tc.TopologyProfile,
	})
	if !resolved {
		return nil, nil, nil
	}
	if object == nil {
		t.NotFound = true
		if m.exists() {
			return t, &grovev1alpha1.Topology{}, nil
		}
		return nil, nil, field.ErrorList{field.Invalid(path.Child("topologyProfile"), tc.TopologyProfile, fmt.Sprintf("there is no %s of this name; create it, or name one that exists", kind))}
	}
	topology := &grovev1alpha1.Topology{}
	if err := require.Into(object, topology); err != nil {
		return nil, nil, field.ErrorList{field.InternalError(path.Child("topologyProfile"), err)}
	}
	levels := levelsOf(topology)
	t.Missing = missingDomains(g, levels)
	if m.exists() {
		return t, topology, nil
	}
	return t, topology, checkDomains(g, kind+" "+tc.TopologyProfile, levels)
}

// dialectOf is the form in which the installed Grove takes constraints.
func dialectOf(in *v1alpha1.Input, r *require.Requirements) (dialect v1alpha1.TopologyDialect, resolved bool) {
	if in.Grove.TopologyDialect != v1alpha1.DialectAuto {
		return in.Grove.TopologyDialect, true
	}
	served, known, resolved := r.HasSchema(requirementTopologySchema, grovev1alpha1.APIVersion, grovev1alpha1.KindClusterTopologyBinding)
	if known && !served {
		return v1alpha1.DialectPackDomain, resolved
	}
	return v1alpha1.DialectPack, resolved
}

func topologyKind(dialect v1alpha1.TopologyDialect) string {
	if dialect == v1alpha1.DialectPackDomain {
		return grovev1alpha1.KindClusterTopology
	}
	return grovev1alpha1.KindClusterTopologyBinding
}

// levelsOf are the domains of a topology, broadest first.
func levelsOf(t *grovev1alpha1.Topology) []string {
	levels := make([]string, 0, len(t.Spec.Levels))
	for _, level := range t.Spec.Levels {
		levels = append(levels, level.Domain)
	}
	return levels
}

func missingDomains(g *graph.Graph, levels []string) []string {
	var missing []string
	for _, d := range packDomains(g) {
		if !slices.Contains(levels, d.domain) {
			missing = append(missing, d.domain)
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

// checkDomains refuses domains that the topology does not have, and a service that is packed more broadly than its
// graph: the scheduler could not honour both.
func checkDomains(g *graph.Graph, topology string, levels []string) field.ErrorList {
	var errs field.ErrorList
	available := strings.Join(slices.Sorted(slices.Values(levels)), ", ")
	for _, d := range packDomains(g) {
		if !slices.Contains(levels, d.domain) {
			errs = append(errs, field.Invalid(d.path, d.domain, fmt.Sprintf("is not a domain of %s; available domains: %s", topology, available)))
		}
	}
	if len(errs) > 0 || g.Spec.TopologyConstraint.PackDomain == "" {
		return errs
	}
	own := slices.Index(levels, g.Spec.TopologyConstraint.PackDomain)
	for _, d := range packDomains(g)[1:] {
		if slices.Index(levels, d.domain) < own {
			errs = append(errs, field.Invalid(d.path, d.domain, fmt.Sprintf("is broader than %s of spec.topologyConstraint; the levels of %s are, broadest first: %s",
				g.Spec.TopologyConstraint.PackDomain, topology, strings.Join(levels, ", "))))
		}
	}
	return errs
}
