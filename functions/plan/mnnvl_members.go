package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// gpuService is a service of which some container has GPUs.
type gpuService struct {
	name      string
	multinode bool

	// gpus are the resource names that count as GPUs.
	gpus []string

	// claim by which the containers of a pod share its GPUs. Empty: they do not.
	claim string

	// perPod is how many the smallest of its pods asks for.
	perPod int64

	// common is how many of the common name its largest pod asks for: Grove's own feature sees no others.
	common int64
}

// gpuServices of a graph, by name. GPUs are seen in built pods only: sidecars have them too.
func (m *mnnvlPlanner) gpuServices() []gpuService {
	var all []gpuService
	pods := pod.Builder{Graph: m.buildable, Plan: m.plan}
	for _, name := range m.buildable.ServiceNames() {
		service := m.buildable.Spec.Services[name]
		s := gpuService{name: name, multinode: pod.IsMultinode(&service), gpus: pod.GPUNames(&service), perPod: math.MaxInt64}
		found := false
		var shared int64
		if pod.SharesGPUs(&service) {
			found, shared, s.claim = true, pod.GPUs(&service), pod.SharedGPUClaim
		}
		for _, role := range rolesOf(&service) {
			spec := pods.Build(name, role, hostsOf(m.plan.Orchestrator, name)).Spec
			found = found || pod.HasGPUs(&spec, s.gpus)
			s.perPod = min(s.perPod, shared+pod.CountGPUs(&spec, s.gpus))
			s.common = max(s.common, pod.CountGPUs(&spec, []string{pod.DefaultGPU}))
		}
		if found {
			all = append(all, s)
		}
	}
	return all
}

// members are the services that claim channels of domains of a scope.
func (m *mnnvlPlanner) members(scope graphplan.MNNVLScope) map[string]graphplan.MNNVLMember {
	members := map[string]graphplan.MNNVLMember{}
	hasGPUs := map[string]bool{}
	for _, s := range m.gpuServices() {
		hasGPUs[s.name] = true
		wish := m.wish.services[s.name]
		if scope == graphplan.ScopeReplica && !s.multinode {
			if wish.value == mnnvlEnabled {
				m.warn(wish.path, "has no effect: domains are per replica of a service that spans nodes (mnnvl.scope Replica)")
			}
			continue
		}
		if m.wish.disabled(s.name) || m.bringsClaims(s.name) {
			continue
		}
		m.warnOfSmallPods(s)
		members[s.name] = graphplan.MNNVLMember{GPUs: s.gpus, GPUClaim: s.claim, RequireClique: m.requireClique(s.name)}
	}
	m.warnNoGPUs(hasGPUs)
	return members
}

// warnNoGPUs of services that are enabled and have no use for a domain.
func (m *mnnvlPlanner) warnNoGPUs(hasGPUs map[string]bool) {
	for _, name := range m.graph.ServiceNames() {
		if wish := m.wish.services[name]; wish.value == mnnvlEnabled && !hasGPUs[name] {
			m.warn(wish.path, "has no effect: no container of the service asks for GPUs")
		}
	}
}

// warnNoneTakesPart where the graph as a whole asks for a domain.
func (m *mnnvlPlanner) warnNoneTakesPart() {
	if m.wish.graph.value == mnnvlEnabled {
		m.warn(m.wish.graph.path, "has no effect: no service of the graph can use an NVLink domain")
	}
}

// ableServices are those that mode Auto would give a domain if the graph was new; sure are those of them that any mode
// and scope would.
func (m *mnnvlPlanner) ableServices() (able, sure []string) {
	for _, s := range m.gpuServices() {
		keepsClaims := len(m.userClaims(s.name)) > 0 && m.wish.services[s.name].value != mnnvlEnabled
		if m.wish.disabled(s.name) || keepsClaims {
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

// bringsClaims reports whether a service has resource claims of the user's own that may be for a channel: a node has one,
// and a pod that claims two waits for ever.
func (m *mnnvlPlanner) bringsClaims(name string) bool {
	claims := m.userClaims(name)
	if len(claims) == 0 {
		return false
	}
	path := field.NewPath("spec", "services").Key(name).Child("extraPodSpec", "resourceClaims")
	if m.wish.services[name].value != mnnvlEnabled {
		m.warn(path, fmt.Sprintf("the pods keep these claims and get none of the NVLink domain of the graph: remove the claims to use it, or, where they are for other devices, set annotation %s: %s on the service",
			metadata.AnnotationAutoMNNVL, mnnvlEnabled))
		return true
	}
	if i := slices.IndexFunc(claims, isMNNVLClaim); i >= 0 {
		m.out.errs = append(m.out.errs, field.Invalid(path.Index(i).Child("name"), names.MNNVLClaim,
			fmt.Sprintf("the claim of the NVLink domain of the graph is called so: rename this one, or remove annotation %s: %s from the service", metadata.AnnotationAutoMNNVL, mnnvlEnabled)))
	}
	return false
}

func isMNNVLClaim(c corev1.PodResourceClaim) bool { return c.Name == names.MNNVLClaim }

func (m *mnnvlPlanner) userClaims(name string) []corev1.PodResourceClaim {
	if extra := m.graph.Spec.Services[name].ExtraPodSpec; extra != nil {
		return extra.ResourceClaims
	}
	return nil
}

// warnOfSmallPods whose node cannot be filled: it has one channel, so one pod that claims one.
func (m *mnnvlPlanner) warnOfSmallPods(s gpuService) {
	perNode := int64(*m.input.MNNVL.GPUsPerNode)
	if s.perPod >= perNode {
		return
	}
	m.warn(field.NewPath("spec", "services").Key(s.name), fmt.Sprintf("a pod asks for %d GPUs of the %d of a node (mnnvl.gpusPerNode), and the driver allows one pod with an NVLink domain on a node, so the others may stay unused: "+
		"ask for %d, or create the graph with annotation %s: %s on the service", s.perPod, perNode, perNode, metadata.AnnotationAutoMNNVL, mnnvlDisabled))
}

// requireClique is decided when the pods of a service first claim a channel: later it would move them.
func (m *mnnvlPlanner) requireClique(name string) bool {
	observed := m.memory.pods[names.Lower(name)]
	if observed.scope(m.graph, names.Lower(name)) == "" {
		return m.input.MNNVL.RequireClique
	}
	return observed.requireClique(m.graph, names.Lower(name))
}

// checkMembersKept refuses to opt a service out that claims channels, and one back in that opted out.
func (m *mnnvlPlanner) checkMembersKept() {
	for _, name := range m.graph.ServiceNames() {
		wish, observed := m.wish.services[name], m.memory.pods[names.Lower(name)]
		switch member, isMember := m.plan.MNNVL.Members[name]; {
		case wish.value == mnnvlDisabled && observed.scope(m.graph, names.Lower(name)) != "":
			m.change(wish.path, wish.value, noChange+"; the pods of the service were created with an NVLink domain: "+recreate)
		case isMember && observed.haveGPUs(member) && !observed.hasClaims():
			m.change(wish.path, wish.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, mnnvlDisabled))
		}
	}
}

func sortedNames[V any](services map[string]V) []string { return slices.Sorted(maps.Keys(services)) }
