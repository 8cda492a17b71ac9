package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

const requirementNVIDIA = "apiservice-resource-nvidia"

// Words that several messages end with.
const (
	platformSets = "in the input of step plan"
	noChange     = "cannot change after creation"
)

// mnnvlPlanner decides about multi-node NVLink for one graph.
type mnnvlPlanner struct {
	*decider

	out  *decision
	plan *graphplan.Plan
	wish mnnvlWish

	// changes of what cannot change.
	changes field.ErrorList
}

// decideMNNVL decides whether the pods of a graph get NVLink domains, whose, and which services take part. It returns
// what was changed and cannot change: domain and claims are part of pods that run.
func (d *decider) decideMNNVL(out *decision, p *graphplan.Plan) field.ErrorList {
	wish, errs := readMNNVLWish(d.graph)
	out.errs = append(out.errs, errs...)
	m := &mnnvlPlanner{decider: d, out: out, plan: p, wish: wish}
	out.warnings = append(out.warnings, warnMisplaced(d.graph)...)
	remembered := d.memory.nvlink
	switch {
	case out.selection.missing != "":
		return nil
	case remembered.mode == graphplan.MNNVLAuto:
		m.keepAuto()
	case remembered.mode == graphplan.MNNVLGrove && p.Grove != nil:
		m.keepGrove()
	case d.memory.exists() && !remembered.open:
		m.keepOff()
	case p.Orchestrator == "" && d.input.MNNVL.Mode != v1alpha1.MNNVLDisabled:
		// Who could make domains depends on the orchestrator, which there is none of.
		return nil
	case d.input.MNNVL.Mode == v1alpha1.MNNVLAuto:
		m.chooseAuto()
	case d.input.MNNVL.Mode == v1alpha1.MNNVLGrove:
		m.chooseGrove()
	default:
		m.refuseEnabled("multi-node NVLink is off in this cluster: remove the annotation, or let the platform set mnnvl.mode to Auto or Grove " + platformSets)
	}
	if p.Grove != nil {
		m.annotateSet()
	}
	return m.changes
}

// chooseAuto for a new graph.
func (m *mnnvlPlanner) chooseAuto() {
	m.refuseGroups()
	if m.wish.graph.value == mnnvlDisabled {
		return
	}
	scope := m.chooseScope()
	members := m.members(scope)
	if len(members) == 0 {
		m.warnNoneTakesPart()
		return
	}
	m.warnOfScope()
	m.plan.MNNVL = graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: members}
	m.requireDriver(sortedNames(members))
}

// keepAuto keeps the domains of a graph.
func (m *mnnvlPlanner) keepAuto() {
	m.refuseGroups()
	m.refuseOptOut()
	m.warnOfScope()
	scope := m.memory.nvlink.scope
	m.plan.MNNVL = graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope, Members: m.members(scope)}
	m.checkMembersKept()
	m.keepDriver()
}

// keepOff keeps a graph without domains: its pods would all have to be made anew.
func (m *mnnvlPlanner) keepOff() {
	if set := m.memory.podCliqueSet; set != nil && set.Annotations[metadata.AnnotationAutoMNNVL] == mnnvlDisabled && !m.wish.graph.given {
		m.change(m.wish.graph.path, "", fmt.Sprintf(noChange+"; it was %q: "+recreate, mnnvlDisabled))
		return
	}
	enabled := m.wish.enabled(m.graph)
	if len(enabled) == 0 && m.input.MNNVL.Mode != v1alpha1.MNNVLAuto {
		return
	}
	able, sure := m.ableServices()
	// With groups it is Grove that gives domains, or does not.
	if groups, _ := m.allGroups(); len(groups) > 0 {
		able, sure = nil, nil
	}
	for _, s := range enabled {
		// What may have been without effect from the start is no change.
		if s.service == "" && len(sure) > 0 || slices.Contains(sure, s.service) {
			m.change(s.path, s.value, noChange+"; the graph was created without an NVLink domain: "+recreate)
			continue
		}
		m.warn(s.path, "has no effect: the graph was created without an NVLink domain")
	}
	if m.input.MNNVL.Mode == v1alpha1.MNNVLAuto && len(able) > 0 {
		m.warn(field.NewPath("spec", "services"), fmt.Sprintf("the graph was created before multi-node NVLink was turned on, or opted out of it, and stays without a domain for %s: delete and recreate it to get one",
			strings.Join(able, ", ")))
	}
}

// chooseScope of the domains. All replicas of a service have one pod template, and so one domain, but for those on
// LeaderWorkerSets.
func (m *mnnvlPlanner) chooseScope() graphplan.MNNVLScope {
	if m.input.MNNVL.Scope == v1alpha1.MNNVLScopeReplica && m.plan.Orchestrator == graphplan.LeaderWorkerSet {
		return graphplan.ScopeReplica
	}
	return graphplan.ScopeGraph
}

// warnOfScope where the platform asks for one that the orchestrator cannot give.
func (m *mnnvlPlanner) warnOfScope() {
	if m.input.MNNVL.Scope == v1alpha1.MNNVLScopeReplica && m.plan.Orchestrator != graphplan.LeaderWorkerSet {
		m.warn(field.NewPath("spec"), fmt.Sprintf("the platform asks for an NVLink domain per replica (mnnvl.scope Replica), and %s gives all replicas of a service one pod template: the graph gets one domain for all of its pods",
			m.plan.Orchestrator))
	}
}

// refuseOptOut of a graph that has domains.
func (m *mnnvlPlanner) refuseOptOut() {
	if s := m.wish.graph; s.value == mnnvlDisabled {
		m.change(s.path, s.value, noChange+"; the graph was created with an NVLink domain: "+recreate)
	}
}

func (m *mnnvlPlanner) refuseEnabled(why string) {
	for _, s := range m.wish.enabled(m.graph) {
		m.out.errs = append(m.out.errs, field.Invalid(s.path, s.value, why))
	}
}

// requireDriver of a new graph. Without it the kind ComputeDomain does not exist, and no pod that claims a channel starts.
func (m *mnnvlPlanner) requireDriver(services []string) {
	if m.driverInstalled() {
		return
	}
	m.out.unsupported = append(m.out.unsupported, fmt.Sprintf("multi-node NVLink is on (mnnvl.mode %s %s) for services %s, and the API group resource.nvidia.com is not served by the cluster: "+
		"install the NVIDIA DRA driver, v25.8 or later, opt out with annotation %s: %s, or let the platform set mnnvl.mode to Disabled",
		m.plan.MNNVL.Mode, platformSets, strings.Join(services, ", "), metadata.AnnotationAutoMNNVL, mnnvlDisabled))
}

// keepDriver refuses every change of a graph with domains while their API is gone: Crossplane would forget the domains.
func (m *mnnvlPlanner) keepDriver() {
	if m.driverInstalled() {
		return
	}
	m.out.unsupported = append(m.out.unsupported, fmt.Sprintf("the graph has an NVLink domain, and the API group resource.nvidia.com is not served by the cluster any more: "+
		"nothing is changed until it is back; to run the graph without a domain, delete and recreate it with annotation %s: %s",
		metadata.AnnotationAutoMNNVL, mnnvlDisabled))
}

func (m *mnnvlPlanner) driverInstalled() bool {
	return installed(m.requirements, m.input.MNNVL.Driver, requirementNVIDIA, "v1beta1.resource.nvidia.com")
}

func (m *mnnvlPlanner) warn(path *field.Path, message string) {
	m.out.warnings = append(m.out.warnings, path.String()+": "+message)
}

func (m *mnnvlPlanner) change(path *field.Path, value, detail string) {
	m.changes = append(m.changes, field.Invalid(path, value, detail))
}
