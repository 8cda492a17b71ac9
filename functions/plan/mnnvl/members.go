package mnnvl

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
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
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
func (m *planner) gpuServices() []gpuService {
	var all []gpuService
	pods := pod.Builder{Graph: m.facts.Buildable, Plan: m.plan}
	for _, name := range m.facts.Buildable.ServiceNames() {
		service := m.facts.Buildable.Spec.Services[name]
		s := gpuService{name: name, multinode: pod.IsMultinode(&service), gpus: pod.GPUNames(&service), perPod: math.MaxInt64}
		found := false
		var shared int64
		if pod.SharesGPUs(&service) {
			found, shared, s.claim = true, pod.GPUs(&service), pod.SharedGPUClaim
		}
		for _, role := range subject.Roles(&service) {
			spec := pods.Build(name, role, subject.Hosts(m.plan.Orchestrator, name)).Spec
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
func (m *planner) members(scope graphplan.MNNVLScope) (map[string]graphplan.MNNVLMember, subject.Outcome) {
	var outcome subject.Outcome
	members := map[string]graphplan.MNNVLMember{}
	hasGPUs := map[string]bool{}
	for _, s := range m.gpuServices() {
		hasGPUs[s.name] = true
		own := m.switches.services[s.name]
		if scope == graphplan.ScopeReplica && !s.multinode {
			if own.value == enabled {
				outcome.Warn(own.path, "has no effect: domains are per replica of a service that spans nodes (mnnvl.scope Replica)")
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

// warnNoGPUs of services that are enabled and have no use for a domain.
func (m *planner) warnNoGPUs(hasGPUs map[string]bool) subject.Outcome {
	var outcome subject.Outcome
	for _, name := range m.facts.Graph.ServiceNames() {
		if own := m.switches.services[name]; own.value == enabled && !hasGPUs[name] {
			outcome.Warn(own.path, "has no effect: no container of the service asks for GPUs")
		}
	}
	return outcome
}

// warnNoneTakesPart where the graph as a whole asks for a domain.
func (m *planner) warnNoneTakesPart() subject.Outcome {
	var outcome subject.Outcome
	if m.switches.graph.value == enabled {
		outcome.Warn(m.switches.graph.path, "has no effect: no service of the graph can use an NVLink domain")
	}
	return outcome
}

// ableServices are those that mode Auto would give a domain if the graph was new; sure are those of them that any mode
// and scope would.
func (m *planner) ableServices() (able, sure []string) {
	for _, s := range m.gpuServices() {
		keepsClaims := len(m.userClaims(s.name)) > 0 && m.switches.services[s.name].value != enabled
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

// bringsClaims reports whether a service keeps resource claims of the user's own that may be for a channel: a node has one,
// and a pod that claims two stays pending.
func (m *planner) bringsClaims(name string) (bool, subject.Outcome) {
	var outcome subject.Outcome
	claims := m.userClaims(name)
	if len(claims) == 0 {
		return false, outcome
	}
	path := field.NewPath("spec", "services").Key(name).Child("extraPodSpec", "resourceClaims")
	if m.switches.services[name].value != enabled {
		outcome.Warn(path, fmt.Sprintf("the pods keep these claims and get none of the NVLink domain of the graph: remove the claims to use it, or, where they are for other devices, set annotation %s: %s on the service",
			metadata.AnnotationAutoMNNVL, enabled))
		return true, outcome
	}
	if i := slices.IndexFunc(claims, isMNNVLClaim); i >= 0 {
		outcome.Errors = append(outcome.Errors, field.Invalid(path.Index(i).Child("name"), names.MNNVLClaim,
			fmt.Sprintf("the claim of the NVLink domain of the graph is called so: rename this one, or remove annotation %s: %s from the service", metadata.AnnotationAutoMNNVL, enabled)))
	}
	return false, outcome
}

func isMNNVLClaim(c corev1.PodResourceClaim) bool { return c.Name == names.MNNVLClaim }

func (m *planner) userClaims(name string) []corev1.PodResourceClaim {
	if extra := m.facts.Graph.Spec.Services[name].ExtraPodSpec; extra != nil {
		return extra.ResourceClaims
	}
	return nil
}

// warnOfSmallPods whose node cannot be filled: it has one channel, so one pod that claims one.
func (m *planner) warnOfSmallPods(s gpuService) subject.Outcome {
	var outcome subject.Outcome
	perNode := int64(*m.facts.Input.MNNVL.GPUsPerNode)
	if s.perPod >= perNode {
		return outcome
	}
	outcome.Warn(field.NewPath("spec", "services").Key(s.name), fmt.Sprintf("a pod asks for %d GPUs of the %d of a node (mnnvl.gpusPerNode), and the driver allows one pod with an NVLink domain on a node, so the others may stay unused: "+
		"ask for %d, or create the graph with annotation %s: %s on the service", s.perPod, perNode, perNode, metadata.AnnotationAutoMNNVL, disabled))
	return outcome
}

// requireClique is decided when the pods of a service first claim a channel: later it would move them.
func (m *planner) requireClique(name string) bool {
	pods := m.facts.Observed.Pods[names.Lower(name)]
	if scopeOfPods(pods, m.facts.Graph, names.Lower(name)) == "" {
		return m.facts.Input.MNNVL.RequireClique
	}
	return podsRequireClique(pods, m.facts.Graph, names.Lower(name))
}

// checkMembersKept refuses to opt a service out that claims channels, and one back in that opted out.
func (m *planner) checkMembersKept(members map[string]graphplan.MNNVLMember) subject.Outcome {
	var outcome subject.Outcome
	for _, name := range m.facts.Graph.ServiceNames() {
		own, pods := m.switches.services[name], m.facts.Observed.Pods[names.Lower(name)]
		switch member, isMember := members[name]; {
		case own.value == disabled && scopeOfPods(pods, m.facts.Graph, names.Lower(name)) != "":
			outcome.Change(own.path, own.value, subject.NoChange+"; the pods of the service were created with an NVLink domain: "+subject.PutBack)
		case isMember && haveGPUs(pods, member) && !haveClaims(pods):
			outcome.Change(own.path, own.value, fmt.Sprintf(subject.NoChange+"; it was %q: "+subject.PutBack, disabled))
		}
	}
	return outcome
}

func sortedNames[V any](services map[string]V) []string { return slices.Sorted(maps.Keys(services)) }
