package mnnvl

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// gpuComponent is a component that has a container with GPUs.
type gpuComponent struct {
	name      string
	multinode bool

	// gpus are the resource names that count as GPUs.
	gpus []string

	// claim through which the containers of a pod share its GPUs. Empty if they do not.
	claim string

	// perPod is the number of GPUs that the smallest of its pods requests.
	perPod int64

	// common is the number of GPUs with the default name that its largest pod requests. Grove does not detect others.
	common int64
}

// gpuComponents of a graph, by name. Sidecars of their pods may have GPUs too.
func (m *planner) gpuComponents() []gpuComponent {
	var all []gpuComponent
	for _, component := range m.facts.Buildable.ComponentsByName() {
		s := gpuComponent{name: component.Name, multinode: component.IsMultinode(), gpus: component.GPUNames(), perPod: math.MaxInt64}
		found := false
		var shared int64
		if component.SharesGPUs() {
			found, shared, s.claim = true, component.GPUs(), pod.SharedGPUClaim
		}
		for _, built := range m.pods[component.Name] {
			spec := built.Template.Spec
			found = found || pod.HasGPUs(&spec, s.gpus)
			s.perPod = min(s.perPod, shared+pod.CountGPUs(&spec, s.gpus))
			s.common = max(s.common, pod.CountGPUs(&spec, []string{graph.DefaultGPU}))
		}
		if found {
			all = append(all, s)
		}
	}
	return all
}

// members are the components that claim channels of domains of a scope.
func (m *planner) members(scope graphplan.MNNVLScope) (map[string]graphplan.MNNVLMember, subject.Outcome) {
	var outcome subject.Outcome
	members := map[string]graphplan.MNNVLMember{}
	hasGPUs := map[string]bool{}
	for _, s := range m.gpuComponents() {
		hasGPUs[s.name] = true
		own := m.switches.components[s.name]
		if scope == graphplan.ScopeReplica && !s.multinode {
			if own.value == enabled {
				outcome.Warn(own.path, "has no effect: only {{components}} that span nodes get NVLink domains (mnnvl.scope Replica)")
			}
			continue
		}
		if m.switches.disabled(s.name) {
			continue
		}
		keepsClaims, claims := m.bringsClaims(s.name)
		outcome.Add(claims)
		if keepsClaims {
			continue
		}
		outcome.Add(m.warnOfSmallPods(s))
		members[s.name] = graphplan.MNNVLMember{GPUs: s.gpus, GPUClaim: s.claim, RequireClique: m.requireClique(s.name)}
	}
	outcome.Add(m.warnNoGPUs(hasGPUs))
	return members, outcome
}

// warnNoGPUs about components that are enabled but have no GPUs.
func (m *planner) warnNoGPUs(hasGPUs map[string]bool) subject.Outcome {
	var outcome subject.Outcome
	for _, name := range m.facts.Graph.ComponentNames() {
		switch own := m.switches.components[name]; {
		case own.value != enabled || hasGPUs[name]:
		case m.facts.Graph.Component(name).RunsWeightServers():
			outcome.Warn(own.path, "has no effect: a node has one channel of an NVLink domain, and several pods of the {{component}} run on each node (gpuMemoryService.mode {{InterPod}})")
		default:
			outcome.Warn(own.path, "has no effect: no container of the {{component}} requests GPUs")
		}
	}
	return outcome
}

// warnNoneTakesPart if the graph as a whole requests a domain.
func (m *planner) warnNoneTakesPart() subject.Outcome {
	var outcome subject.Outcome
	if m.switches.graph.value == enabled {
		outcome.Warn(m.switches.graph.path, "has no effect: no {{component}} of the graph can use an NVLink domain")
	}
	return outcome
}

// ableComponents are the components that would get a domain in mode Auto if the graph was new. sure are those that would get one in every mode
// and scope.
func (m *planner) ableComponents() (able, sure []string) {
	for _, s := range m.gpuComponents() {
		keepsClaims := len(m.userClaims(s.name)) > 0 && m.switches.components[s.name].value != enabled
		if m.switches.disabled(s.name) || keepsClaims {
			continue
		}
		if s.multinode || m.chooseScope() == graphplan.ScopeGraph {
			able = append(able, s.name)
		}
		if s.common > 0 && (s.multinode || m.plan.Orchestrator != graphplan.LeaderWorkerSet) {
			sure = append(sure, s.name)
		}
	}
	return able, sure
}

// bringsClaims reports whether a component has its own resource claims, which may be for a channel. A node has one channel, so a pod with two
// claims for channels would stay pending.
func (m *planner) bringsClaims(name string) (bool, subject.Outcome) {
	var outcome subject.Outcome
	claims := m.userClaims(name)
	if len(claims) == 0 {
		return false, outcome
	}
	path := graph.PodPath(graph.ComponentPath(name), "resourceClaims")
	if m.switches.components[name].value != enabled {
		outcome.Warn(path, "the pods keep these claims and do not join the NVLink domain of the graph; remove the claims to join it, or, if they are for other devices, set annotation %s: %s on the {{component}}", metadata.AnnotationAutoMNNVL, enabled)
		return true, outcome
	}
	if i := slices.IndexFunc(claims, isMNNVLClaim); i >= 0 {
		outcome.Refuse(subject.Mistake, message.Invalid(path.Index(i).Child("name"), names.MNNVLClaim,
			"is the name of the claim for the NVLink domain of the graph; rename this claim, or remove annotation %s: %s from the {{component}}", metadata.AnnotationAutoMNNVL, enabled))
	}
	return false, outcome
}

func isMNNVLClaim(c corev1.PodResourceClaim) bool { return c.Name == names.MNNVLClaim }

func (m *planner) userClaims(name string) []corev1.PodResourceClaim {
	return m.facts.Graph.Component(name).Pod().ResourceClaims
}

// gpusOfTray is the number of GPUs of a node with the fabric, if the platform does not say it: that of a tray of GB200.
const gpusOfTray = 4

// warnOfSmallPods that do not use all GPUs of their node. A node has one channel, and therefore only one pod that claims one.
func (m *planner) warnOfSmallPods(s gpuComponent) subject.Outcome {
	var outcome subject.Outcome
	perNode := int64(ptr.Deref(m.facts.Input.MNNVL.GPUsPerNode, gpusOfTray))
	if s.perPod >= perNode {
		return outcome
	}
	outcome.Warn(graph.ComponentPath(s.name), "a pod requests %d of the %d GPUs of a node (mnnvl.gpusPerNode), and the driver allows one pod with an NVLink domain per node, so the other GPUs may stay unused; request %d, or create the graph with annotation %s: %s on the {{component}}", s.perPod, perNode, perNode, metadata.AnnotationAutoMNNVL, disabled)
	return outcome
}

// requireClique is decided when the pods of a component first claim a channel. A later change would move them.
func (m *planner) requireClique(name string) bool {
	pods := m.facts.Observed.Pods[names.Lower(name)]
	if scopeOfPods(pods, m.facts.Graph, names.Lower(name)) == "" {
		return m.facts.Input.MNNVL.RequireClique
	}
	return podsRequireClique(pods, m.facts.Graph, names.Lower(name))
}

// checkMembersKept refuses to opt out a component that claims channels, and to opt in a component that opted out.
func (m *planner) checkMembersKept(members map[string]graphplan.MNNVLMember) subject.Outcome {
	var outcome subject.Outcome
	for _, name := range m.facts.Graph.ComponentNames() {
		own, pods := m.switches.components[name], m.facts.Observed.Pods[names.Lower(name)]
		switch member, isMember := members[name]; {
		case own.value == disabled && scopeOfPods(pods, m.facts.Graph, names.Lower(name)) != "":
			outcome.Change(own.path, own.value, "%s; the pods of the {{component}} were created with an NVLink domain: %s", subject.NoChange, subject.PutBack)
		case isMember && haveGPUs(pods, member) && !haveClaims(pods):
			outcome.Change(own.path, own.value, "%s; it was %q: %s", subject.NoChange, disabled, subject.PutBack)
		}
	}
	return outcome
}
