package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Group is the pods of one replica of a component that have the same template.
type Group struct {
	// Pods of the group.
	Pods int64

	// Nodes of the engine that these pods run. Pods that stand by run no more nodes, and weight servers run none.
	Nodes int64

	// SharedClaim is the claim for GPUs that Grove adds to all containers of these pods, and of others. Empty if there is none.
	SharedClaim string
}

// GroupOf a clique of a component on Grove.
func GroupOf(component *graph.Component, c Clique) Group {
	group := Group{Pods: int64(c.Replicas), Nodes: int64(c.Replicas)}
	if !component.RunsWeightServers() {
		return group
	}
	group.Nodes, group.SharedClaim = 1, names.GPUClaimOfRank(component.Name, c.Rank)
	if c.Role == backend.RoleWeights {
		group.Nodes = 0
	}
	return group
}

// GroupTemplate is the template of a group of pods. Only their containers and claims matter, and their annotations.
type GroupTemplate struct {
	Group

	Annotations map[string]string
	Spec        *corev1.PodSpec
}

// AsWritten are the templates of the pods of a component that are not composed, as far as its user has written them.
func AsWritten(component *graph.Component) []GroupTemplate {
	var all []GroupTemplate
	nodes := int64(component.Nodes())
	for i, c := range slices.Backward(component.Templates()) {
		pods := nodes - int64(i)
		nodes -= pods
		all = append(all, GroupTemplate{Group: Group{Pods: pods, Nodes: pods}, Annotations: WorkloadAnnotations(c), Spec: &corev1.PodSpec{
			Containers:     append(slices.Clone(c.Beside()), c.Main()),
			InitContainers: c.Pod().InitContainers,
			ResourceClaims: c.Pod().ResourceClaims,
		}})
	}
	return all
}

// GPUShape is what a component takes of the GPUs of a cluster. nil if it is not known, because only the cluster knows what a claim contains.
type GPUShape struct {
	// PerEngine are the GPUs of one engine, on all of its nodes.
	PerEngine *int64

	// PerReplica are the GPUs that one more replica takes.
	PerReplica *int64
}

// GPUShapeOf a component, from the templates of all pods of one replica. A claim counts once, however many containers and pods share it.
// https://github.com/ai-dynamo/dynamo/blob/25303c806/deploy/operator/internal/dynamo/gpu_shape.go
func GPUShapeOf(component *graph.Component, templates []GroupTemplate, claims graphplan.Claims) GPUShape {
	s := shaper{claims: claims, isGPU: takesGPUsOf(component), claimed: min(max(0, component.GPUs()), mostGPUs)}
	if component.SharesGPUs() {
		s.claimTemplate = component.Graph().Names().ClaimTemplate(component.Name)
	}
	var shape GPUShape
	if engine, ok := s.engine(templates); ok {
		shape.PerEngine = &engine
	}
	if replica, ok := s.replica(templates); ok {
		shape.PerReplica = &replica
	}
	return shape
}

// shaper counts the GPUs of a component.
type shaper struct {
	// isGPU reports whether a resource is GPUs in the pods of the component.
	isGPU func(name corev1.ResourceName) bool

	// claims of the user, as far as they are known.
	claims graphplan.Claims

	// claimed are the GPUs in each claim that is composed for the component, or that Grove makes for it.
	claimed int64

	// claimTemplate is the template of the claims that are composed for the component. Empty if there is none.
	claimTemplate string
}

// engine counts what the main containers of the nodes have. Sidecars and init containers, and pods that stand by, take GPUs beside it.
func (s shaper) engine(templates []GroupTemplate) (total int64, ok bool) {
	counted := sets.New[string]()
	for _, t := range templates {
		if t.Nodes == 0 {
			continue
		}
		main := MainOfPod(t.Spec)
		if main == nil {
			return 0, false
		}
		own := sets.New[string]()
		for _, claim := range main.Resources.Claims {
			own.Insert(claim.Name)
		}
		inClaims, shared, ok := s.inClaims(t.Spec, own.Has, counted)
		if !ok {
			return 0, false
		}
		total += shared + t.Nodes*(count(&corev1.PodSpec{Containers: []corev1.Container{*main}}, s.isGPU)+graph.SharesOf(t.Annotations)+inClaims)
		if t.SharedClaim != "" {
			total += t.Nodes * s.claimed
		}
	}
	return total, true
}

// replica counts what all pods have, as the scheduler counts it.
func (s shaper) replica(templates []GroupTemplate) (total int64, ok bool) {
	counted := sets.New[string]()
	for _, t := range templates {
		inClaims, shared, ok := s.inClaims(t.Spec, func(string) bool { return true }, counted)
		if !ok {
			return 0, false
		}
		total += shared + t.Pods*(count(t.Spec, s.isGPU)+graph.SharesOf(t.Annotations)+inClaims)
		if t.SharedClaim != "" && !counted.Has(t.SharedClaim) {
			counted.Insert(t.SharedClaim)
			total += s.claimed
		}
	}
	return total, true
}

// inClaims are the GPUs in the matching claims of each pod, and in those that exist and all pods share, without those that are counted. ok is false
// if only the cluster knows how many these are. A channel of an NVLink domain is no GPU.
func (s shaper) inClaims(spec *corev1.PodSpec, match func(claim string) bool, counted sets.Set[string]) (each, shared int64, ok bool) {
	for i := range spec.ResourceClaims {
		claim := &spec.ResourceClaims[i]
		key, exists := graphplan.ClaimOf(claim)
		gpus, known := s.claims[key]
		switch {
		case !match(claim.Name), claim.Name == names.MNNVLClaim:
		case !exists && s.claimTemplate != "" && key == graphplan.KindClaimTemplate+"/"+s.claimTemplate:
			each += s.claimed
		case !known:
			return 0, 0, false
		case !exists:
			each += gpus
		case !counted.Has(key):
			counted.Insert(key)
			shared += gpus
		}
	}
	return each, shared, true
}
