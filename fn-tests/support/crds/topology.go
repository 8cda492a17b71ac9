package crds

import (
	"cmp"
	"slices"
)

// Topology is the topology of a cluster, as a version of Grove knows it.
type Topology struct {
	// Name of the object with the levels. Versions that support topologyName require it in constraints.
	Name string
	// Levels from broad to narrow.
	Levels []string
	// TakesName is true if the version takes and wants topologyName: alpha.9 and later.
	TakesName bool
	// TakesPack is true if the version takes pack, and packDomain no more: alpha.10 and later.
	TakesPack bool
}

func (c *checker) topology(set *podCliqueSet, t Topology) {
	template := set.Spec.Template
	c.constraint("PodCliqueSet", template.TopologyConstraint, nil, t)
	for _, group := range template.ScalingGroups {
		c.constraint("scaling group "+group.Name, group.TopologyConstraint, []*topologyConstraint{template.TopologyConstraint}, t)
	}
	for _, clique := range template.Cliques {
		parents := []*topologyConstraint{template.TopologyConstraint}
		if group := set.groupOf(clique.Name); group != nil {
			parents = append(parents, group.TopologyConstraint)
		}
		c.constraint("clique "+clique.Name, clique.TopologyConstraint, parents, t)
	}
}

// constraint checks a constraint against the version of Grove and against the constraints of its parents, from broad to narrow.
func (c *checker) constraint(where string, constraint *topologyConstraint, parents []*topologyConstraint, t Topology) {
	if constraint == nil {
		return
	}
	if t.TakesPack {
		c.requiref(constraint.PackDomain == "", "%s: packDomain is deprecated and refused on new workloads", where)
		c.requiref(constraint.Pack != nil && cmp.Or(constraint.Pack.Required, constraint.Pack.Preferred) != "", "%s: the constraint has no pack.required or pack.preferred", where)
	} else {
		c.requiref(constraint.Pack == nil, "%s: this version does not know pack", where)
		c.requiref(constraint.PackDomain != "", "%s: the constraint has no packDomain", where)
	}
	c.topologyName(where, constraint, parents, t)
	for _, kind := range []func(*topologyConstraint) string{required, preferred} {
		domain := kind(constraint)
		if domain == "" {
			continue
		}
		level := slices.Index(t.Levels, domain)
		c.requiref(level >= 0, "%s: there is no topology domain %q", where, domain)
		for _, parent := range parents {
			c.requiref(slices.Index(t.Levels, kind(parent)) <= level, "%s: domain %s is broader than its parent's, %s", where, domain, kind(parent))
		}
	}
}

func (c *checker) topologyName(where string, constraint *topologyConstraint, parents []*topologyConstraint, t Topology) {
	if !t.TakesName {
		c.requiref(constraint.TopologyName == "", "%s: this version does not know topologyName", where)
		return
	}
	name := constraint.TopologyName
	for _, parent := range parents {
		if parent != nil {
			name = cmp.Or(name, parent.TopologyName)
		}
	}
	c.requiref(name != "", "%s: topologyName is required, and there is none to inherit", where)
	c.requiref(name == "" || name == t.Name, "%s: there is no topology %q", where, name)
}

func required(c *topologyConstraint) string {
	switch {
	case c == nil:
		return ""
	case c.Pack != nil:
		return cmp.Or(c.Pack.Required, c.PackDomain)
	default:
		return c.PackDomain
	}
}

func preferred(c *topologyConstraint) string {
	if c == nil || c.Pack == nil {
		return ""
	}
	return c.Pack.Preferred
}
