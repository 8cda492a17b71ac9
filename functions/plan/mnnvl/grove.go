package mnnvl

import (
	"fmt"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// chooseGrove for a new graph: Grove creates the domains.
func (m *planner) chooseGrove() (Decision, subject.Outcome) {
	if m.plan.Orchestrator != graphplan.Grove {
		return Decision{}, m.offGrove()
	}
	if m.switches.graph.value == disabled {
		return Decision{}, m.refuseGroupsOfDisabled()
	}
	var outcome subject.Outcome
	dialect, resolved := m.facts.GroveDialect(&outcome.Requirements)
	if !resolved {
		return Decision{}, outcome
	}
	components, annotations, takingPart := m.takingPart(dialect)
	outcome.Add(takingPart)
	if len(components) == 0 {
		outcome.Add(m.warnNoneTakesPart())
		return Decision{Annotations: annotations}, outcome
	}
	outcome.Add(m.requireDriver(graphplan.MNNVLGrove, components))
	return Decision{MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}, Annotations: annotations}, outcome
}

// offGrove reports which components get no domain because Grove does not run the graph.
func (m *planner) offGrove() subject.Outcome {
	why := fmt.Sprintf("NVLink domains are created by Grove (mnnvl.mode Grove %s), but %s runs the graph; remove the annotation, run the graph on Grove, or let the platform set mnnvl.mode to Auto",
		m.platformSets(), m.plan.Orchestrator)
	outcome := m.refuseEnabled(why)
	outcome.Add(m.refuseGroups(why))
	for _, s := range m.gpuComponents() {
		if !m.switches.disabled(s.name) {
			outcome.Warn(graph.ComponentPath(s.name), "the pods get no NVLink domain, because domains are created by Grove (mnnvl.mode Grove %s), but %s runs the graph; run it on Grove, or let the platform set mnnvl.mode to Auto", m.platformSets(), m.plan.Orchestrator)
		}
	}
	return outcome
}

// keepGrove keeps the decisions that Grove has applied to a graph.
func (m *planner) keepGrove() (Decision, subject.Outcome) {
	outcome := m.refuseOptOut()
	if outcome.Has(subject.ImmutableChange) {
		return Decision{}, outcome
	}
	decision := Decision{MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLGrove}}
	dialect, resolved := m.dialectOfSet(&outcome.Requirements)
	if !resolved {
		return decision, outcome
	}
	_, annotations, takingPart := m.takingPart(dialect)
	decision.Annotations = annotations
	outcome.Add(takingPart)
	outcome.Add(m.keepDriver())
	return decision, outcome
}

// dialectOfSet is the dialect in which a live PodCliqueSet was created, or that of the installed Grove. A PodCliqueSet keeps its dialect.
func (m *planner) dialectOfSet(r *require.Requirements) (dialect graphplan.TopologyDialect, resolved bool) {
	set := m.facts.Observed.PodCliqueSet
	switch {
	case set == nil:
		return m.facts.GroveDialect(r)
	case set.Annotations[metadata.AnnotationAutoMNNVL] == enabled && set.Annotations[metadata.AnnotationMNNVLGroup] == "":
		return graphplan.DialectPackDomain, true
	default:
		return graphplan.DialectPack, true
	}
}

// takingPart are the components whose pods get a claim from Grove, and the annotations for that.
func (m *planner) takingPart(dialect graphplan.TopologyDialect) ([]string, Annotations, subject.Outcome) {
	groups, annotations, outcome := m.groupsIn(dialect)
	hasGPUs := map[string]bool{}
	var components []string
	for _, s := range m.gpuComponents() {
		hasGPUs[s.name] = true
		if groups[s.name] == noGroup {
			continue
		}
		takesPart, why := m.takesPart(s)
		outcome.Add(why)
		if takesPart {
			components = append(components, s.name)
		}
	}
	outcome.Add(m.warnNoGPUs(hasGPUs))
	return components, annotations, outcome
}

// groupsIn a dialect are the groups of the components, and their annotations. The oldest dialect has no groups: the whole graph is in one
// domain.
func (m *planner) groupsIn(dialect graphplan.TopologyDialect) (map[string]string, Annotations, subject.Outcome) {
	if dialect == graphplan.DialectPackDomain {
		return nil, Annotations{Auto: enabled}, m.refuseGroupsOfOldGrove()
	}
	return m.groups()
}

// takesPart reports whether the pods of a component in a group get a claim, and warns if they do not.
func (m *planner) takesPart(s gpuComponent) (bool, subject.Outcome) {
	var outcome subject.Outcome
	path := graph.ComponentPath(s.name)
	claims := m.userClaims(s.name)
	switch {
	case m.switches.disabled(s.name):
		outcome.Refuse(subject.Mistake, needsGroups(m.switches.components[s.name]))
		return false, outcome
	case s.common == 0 && s.claim != "":
		outcome.Warn(path, "the pods get no NVLink domain, because Grove, which creates the domains (mnnvl.mode Grove), does not detect GPUs that containers share (gpuMemoryService)")
		return false, outcome
	case s.common == 0:
		outcome.Warn(path, "the pods get no NVLink domain, because Grove, which creates the domains (mnnvl.mode Grove), only detects GPUs of resource %s", graph.DefaultGPU)
		return false, outcome
	case len(claims) > 0 && !slices.ContainsFunc(claims, isMNNVLClaim):
		outcome.Warn(graph.PodPath(path, "resourceClaims"), "Grove adds a claim for the NVLink domain to these, and a pod with two such claims is never scheduled; remove claims for an NVLink domain")
	}
	outcome.Add(m.warnOfSmallPods(s))
	return true, outcome
}

// annotations of the PodCliqueSet for a decision. If the chain composes the domain, Grove must not create one. Without a domain, the
// annotations of the user are kept.
func (m *planner) annotations(decision Decision) (Annotations, subject.Outcome) {
	annotations := decision.Annotations
	if m.past.mode == graphplan.MNNVLGrove && decision.MNNVL.Mode == "" {
		// The graph is refused as a whole, so its annotations cause no further errors.
		return annotations, subject.Outcome{}
	}
	if decision.MNNVL.Mode != graphplan.MNNVLGrove {
		annotations = Annotations{Group: m.facts.Graph.Spec.Annotations[metadata.AnnotationMNNVLGroup]}
		// Grove v0.1.0-alpha.8 refuses this value where it creates no domains.
		set := m.facts.Observed.PodCliqueSet
		grouped := set != nil && set.Annotations[metadata.AnnotationMNNVLGroup] != ""
		if annotations.Group == noGroup && !m.readsGroups() && !grouped {
			annotations.Group = ""
		}
		if decision.MNNVL.Mode == graphplan.MNNVLAuto || m.switches.graph.value == disabled {
			annotations.Auto = disabled
		}
	}
	set := m.facts.Observed.PodCliqueSet
	if set == nil {
		return annotations, subject.Outcome{}
	}
	annotations.Auto = set.Annotations[metadata.AnnotationAutoMNNVL]
	return m.keepGroups(set, annotations)
}
