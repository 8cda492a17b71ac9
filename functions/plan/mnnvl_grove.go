package plan

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// chooseGrove for a new graph: Grove makes the domains.
func (m *mnnvlPlanner) chooseGrove() {
	if m.plan.Orchestrator != graphplan.Grove {
		m.offGrove()
		return
	}
	if m.wish.graph.value == mnnvlDisabled {
		m.refuseGroupsOfDisabled()
		return
	}
	dialect, resolved := dialectOf(m.input, m.requirements)
	if !resolved {
		return
	}
	services := m.takingPart(dialect)
	if len(services) == 0 {
		m.warnNoneTakesPart()
		return
	}
	m.plan.MNNVL.Mode = graphplan.MNNVLGrove
	m.requireDriver(services)
}

// offGrove says who gets no domain because Grove does not run the graph.
func (m *mnnvlPlanner) offGrove() {
	m.refuseEnabled(fmt.Sprintf("NVLink domains are made by Grove here (mnnvl.mode Grove %s), and %s runs the graph: remove the annotation, run the graph on Grove, or let the platform set mnnvl.mode to Auto",
		platformSets, m.plan.Orchestrator))
	for _, s := range m.gpuServices() {
		if !m.wish.disabled(s.name) {
			m.warn(field.NewPath("spec", "services").Key(s.name), fmt.Sprintf("the pods get no NVLink domain: Grove makes them here (mnnvl.mode Grove %s), and %s runs the graph; run it on Grove, or let the platform set mnnvl.mode to Auto",
				platformSets, m.plan.Orchestrator))
		}
	}
}

// keepGrove keeps what Grove does for a graph.
func (m *mnnvlPlanner) keepGrove() {
	m.refuseOptOut()
	if len(m.changes) > 0 {
		return
	}
	m.plan.MNNVL.Mode = graphplan.MNNVLGrove
	dialect, resolved := m.dialectOfSet()
	if !resolved {
		return
	}
	m.takingPart(dialect)
	m.keepDriver()
}

// dialectOfSet is the dialect in which a live set was created, else that of the installed Grove. A set keeps its dialect.
func (m *mnnvlPlanner) dialectOfSet() (dialect graphplan.TopologyDialect, resolved bool) {
	set := m.memory.podCliqueSet
	switch {
	case set == nil:
		return dialectOf(m.input, m.requirements)
	case set.Annotations[metadata.AnnotationAutoMNNVL] == mnnvlEnabled && set.Annotations[metadata.AnnotationMNNVLGroup] == "":
		return graphplan.DialectPackDomain, true
	default:
		return graphplan.DialectPack, true
	}
}

// takingPart are the services whose pods get a claim from Grove. It fills in the annotations that say so.
func (m *mnnvlPlanner) takingPart(dialect graphplan.TopologyDialect) []string {
	groups, hasGPUs := map[string]string{}, map[string]bool{}
	if dialect == graphplan.DialectPackDomain {
		m.plan.Grove.AutoMNNVL = mnnvlEnabled
		m.refuseGroupsOfOldGrove()
	} else {
		groups = m.groups()
	}
	var services []string
	for _, s := range m.gpuServices() {
		path := field.NewPath("spec", "services").Key(s.name)
		hasGPUs[s.name] = true
		switch {
		case groups[s.name] == mnnvlNoGroup:
			continue
		case m.wish.disabled(s.name):
			m.out.errs = append(m.out.errs, needsGroups(m.wish.services[s.name]))
			continue
		case s.common == 0 && s.claim != "":
			m.warn(path, "the pods get no NVLink domain: Grove, which makes them here (mnnvl.mode Grove), does not see GPUs that containers share (gpuMemoryService)")
			continue
		case s.common == 0:
			m.warn(path, fmt.Sprintf("the pods get no NVLink domain: Grove, which makes them here (mnnvl.mode Grove), only sees GPUs called %s", pod.DefaultGPU))
			continue
		case len(m.userClaims(s.name)) > 0 && !slices.ContainsFunc(m.userClaims(s.name), isMNNVLClaim):
			m.warn(path.Child("extraPodSpec", "resourceClaims"), "Grove adds a claim of the NVLink domain beside these, and a pod with two claims of a domain waits for ever: remove those that are for one")
		}
		m.warnOfSmallPods(s)
		services = append(services, s.name)
	}
	m.warnNoGPUs(hasGPUs)
	return services
}

// annotateSet decides the annotations of the PodCliqueSet about multi-node NVLink. Where the chain composes the domain,
// Grove must not; without one, they are the user's.
func (m *mnnvlPlanner) annotateSet() {
	if m.memory.nvlink.mode == graphplan.MNNVLGrove && m.plan.MNNVL.Mode == "" {
		// The graph is refused as a whole; what its annotations would be then is no further mistake.
		return
	}
	p := m.plan.Grove
	if m.plan.MNNVL.Mode != graphplan.MNNVLGrove {
		p.AutoMNNVL, p.MNNVLGroup, p.MNNVLGroups = "", m.graph.Spec.Annotations[metadata.AnnotationMNNVLGroup], nil
		if m.plan.MNNVL.Mode == graphplan.MNNVLAuto || m.wish.graph.value == mnnvlDisabled {
			p.AutoMNNVL = mnnvlDisabled
		}
	}
	if set := m.memory.podCliqueSet; set != nil {
		p.AutoMNNVL = set.Annotations[metadata.AnnotationAutoMNNVL]
		m.keepGroups(set)
	}
}
