// Package mnnvl decides whether the pods of a graph get NVLink domains (multi-node NVLink), who creates the domains, and which
// components take part.
package mnnvl

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Decision about multi-node NVLink.
type Decision struct {
	MNNVL graphplan.MNNVL

	// Annotations of the PodCliqueSet of a graph on Grove.
	Annotations Annotations
}

// Annotations about multi-node NVLink on a PodCliqueSet, which tell Grove whether to create domains, and on its components, by name. Empty
// annotations are not set.
type Annotations struct {
	Auto, Group string
	Groups      map[string]string
}

// planner decides for one graph.
type planner struct {
	facts *subject.Facts

	// plan so far, and the pods by it.
	plan *graphplan.Plan
	pods pod.Pods

	switches switches
	past     pastDecision
}

// Check the annotations about multi-node NVLink, independently of the cluster.
func Check(f *subject.Facts) subject.Outcome {
	_, errs := readSwitches(f.Graph)
	outcome := subject.Refused(subject.Mistake, errs...)
	outcome.Warnings = misplaced(f.Graph)
	return outcome
}

// Decide about a graph whose orchestrator is known and served. Domains and claims are part of running pods, so earlier decisions are
// unchanged.
func Decide(f *subject.Facts, p *graphplan.Plan, built pod.Pods) (Decision, subject.Outcome) {
	m := planner{facts: f, plan: p, pods: built, past: remember(f)}
	m.switches, _ = readSwitches(f.Graph)
	opposed := m.optOut()
	decision, outcome := m.decide()
	outcome.Add(opposed)
	if p.Grove != nil {
		annotations, ofAnnotations := m.annotations(decision)
		decision.Annotations = annotations
		outcome.Add(ofAnnotations)
	}
	return decision, outcome
}

func (m *planner) decide() (Decision, subject.Outcome) {
	mode := cmp.Or(m.facts.Input.MNNVL.Mode, v1alpha1.MNNVLDisabled)
	switch {
	case m.past.mode == graphplan.MNNVLAuto:
		return m.keepAuto()
	case m.past.mode == graphplan.MNNVLGrove && m.plan.Grove != nil:
		return m.keepGrove()
	case m.facts.Live() && !m.past.open:
		return Decision{}, m.keepOff()
	case m.plan.Orchestrator == "" && mode != v1alpha1.MNNVLDisabled:
		// Who could create domains depends on the orchestrator, which is not known.
		return Decision{}, subject.Outcome{}
	case mode == v1alpha1.MNNVLAuto:
		return m.chooseAuto()
	case mode == v1alpha1.MNNVLGrove:
		return m.chooseGrove()
	default:
		const disabledHere = "multi-node NVLink is disabled in this cluster; remove the annotation, or let the platform set mnnvl.mode to "
		outcome := m.refuseEnabled(disabledHere + "Auto or Grove " + m.platformSets())
		outcome.Add(m.refuseGroups(disabledHere + "Grove " + m.platformSets()))
		return Decision{}, outcome
	}
}

// chooseAuto for a new graph.
func (m *planner) chooseAuto() (Decision, subject.Outcome) {
	outcome := m.refuseGroups(m.composedHere())
	if m.switches.graph.value == disabled {
		return Decision{}, outcome
	}
	scope := m.chooseScope()
	members, joined := m.members(scope)
	outcome.Add(joined)
	if len(members) == 0 {
		outcome.Add(m.warnNoneTakesPart())
		return Decision{}, outcome
	}
	outcome.Add(m.warnOfScope())
	decided := graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: members}
	outcome.Add(m.requireDriver(decided.Mode, slices.Sorted(maps.Keys(members))))
	return Decision{MNNVL: decided}, outcome
}

// keepAuto keeps the domains of a graph.
func (m *planner) keepAuto() (Decision, subject.Outcome) {
	outcome := m.refuseGroups(m.composedHere())
	outcome.Add(m.refuseOptOut())
	outcome.Add(m.warnOfScope())
	members, joined := m.members(m.past.scope)
	outcome.Add(joined)
	outcome.Add(m.checkMembersKept(members))
	outcome.Add(m.keepDriver())
	return Decision{MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: m.past.scope, Members: members}}, outcome
}

// keepOff keeps a graph without domains, because adding one would replace all of its pods.
func (m *planner) keepOff() subject.Outcome {
	var outcome subject.Outcome
	if set := m.facts.Observed.PodCliqueSet; set != nil && set.Annotations[metadata.AnnotationAutoMNNVL] == disabled && !m.switches.graph.given {
		outcome.Change(m.switches.graph.path, "", "%s; it was %q: %s", subject.NoChange, disabled, subject.PutBack)
		return outcome
	}
	auto := m.facts.Input.MNNVL.Mode == v1alpha1.MNNVLAuto
	on := m.switches.enabled(m.facts.Graph)
	if len(on) == 0 && !auto {
		return outcome
	}
	able, sure := m.ableComponents()
	// With groups, Grove decides about domains.
	if groups, _ := m.allGroups(); len(groups) > 0 {
		able, sure = nil, nil
	}
	for _, s := range on {
		// An annotation that may have had no effect from the start is not a change.
		if s.component == "" && len(sure) > 0 || slices.Contains(sure, s.component) {
			outcome.Change(s.path, s.value, "%s; the graph was created without an NVLink domain: %s", subject.NoChange, subject.PutBack)
			continue
		}
		outcome.Warn(s.path, "has no effect: the graph was created without an NVLink domain")
	}
	if auto && len(able) > 0 {
		outcome.Warn(graph.ComponentsPath(), "the graph was created before multi-node NVLink was enabled, or opted out of it, so its {{components}} (%s) get no NVLink domain; delete and recreate the graph to get one", strings.Join(able, ", "))
	}
	return outcome
}

// chooseScope of the domains. Except on LeaderWorkerSets, all replicas of a component share one pod template, and therefore one domain.
func (m *planner) chooseScope() graphplan.MNNVLScope {
	if m.facts.Input.MNNVL.Scope == v1alpha1.MNNVLScopeReplica && m.plan.Orchestrator == graphplan.LeaderWorkerSet {
		return graphplan.ScopeReplica
	}
	return graphplan.ScopeGraph
}

// warnOfScope if the orchestrator does not support the scope that the platform requests.
func (m *planner) warnOfScope() subject.Outcome {
	var outcome subject.Outcome
	if m.facts.Input.MNNVL.Scope == v1alpha1.MNNVLScopeReplica && m.plan.Orchestrator != graphplan.LeaderWorkerSet {
		outcome.Warn(field.NewPath("spec"), "the platform requests an NVLink domain per replica (mnnvl.scope Replica), but on %s all replicas of a {{component}} share one pod template; the graph gets one domain for all of its pods", m.plan.Orchestrator)
	}
	return outcome
}

// refuseOptOut of a graph that has domains.
func (m *planner) refuseOptOut() subject.Outcome {
	var outcome subject.Outcome
	if s := m.switches.graph; s.value == disabled {
		outcome.Change(s.path, s.value, "%s; the graph was created with an NVLink domain: %s", subject.NoChange, subject.PutBack)
	}
	return outcome
}

func (m *planner) refuseEnabled(why string) subject.Outcome {
	var outcome subject.Outcome
	for _, s := range m.switches.enabled(m.facts.Graph) {
		outcome.Refuse(subject.Mistake, message.Invalid(s.path, s.value, "%s", why))
	}
	return outcome
}

// platformSets is where the platform sets mnnvl.mode, which several messages say.
func (m *planner) platformSets() string { return m.facts.Sources.In("mnnvl.mode") }
