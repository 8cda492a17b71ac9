package immutable

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// weightServed are the cliques of a live component with weight servers.
type weightServed struct {
	// nodes is the number of its weight servers.
	nodes int32
	// engines is how many engines there are on each node.
	engines int32
	// gpus of the first node, which all others have too. nil if they are not known.
	gpus *grovev1alpha1.ResourceClaimTemplate
}

// weightServedIn a PodCliqueSet. Without weight servers, there are no nodes.
func weightServedIn(set *grovev1alpha1.PodCliqueSet, name string) weightServed {
	var live weightServed
	for _, clique := range set.Spec.Template.Cliques {
		switch {
		case names.IsWeightClique(name, clique.Name):
			live.nodes++
		case clique.Name == names.Clique(name), clique.Name == names.LeaderClique(name):
			live.engines = clique.Spec.Replicas
		}
	}
	for i := range set.Spec.Template.ResourceClaimTemplates {
		if template := &set.Spec.Template.ResourceClaimTemplates[i]; template.Name == names.GPUClaimOfRank(name, 0) {
			live.gpus = template
		}
	}
	return live
}

// checkWeightServers refuses changes of what decides about the cliques of a component with weight servers, and about their claims: Grove refuses
// to change either.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/shared_v1beta1.go#L866
func checkWeightServers(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) message.List {
	var errs message.List
	betweenPods := g.ShareMode(v1beta1.ShareInterPod)
	for _, component := range g.ComponentsByName() {
		path := graph.ComponentPath(component.Name)
		live := weightServedIn(set, component.Name)
		switch mode := path.Child("experimental", "gpuMemoryService", "mode"); {
		case live.nodes == 0 && component.WantsWeightServers() && sharesWithinPods(set, component.Name):
			errs = append(errs, message.Forbidden(mode, "cannot be changed to %s after creation: %s", betweenPods, subject.PutBack))
		case live.nodes == 0:
		case !component.RunsWeightServers():
			errs = append(errs, message.Forbidden(mode, "cannot be changed after creation; it was %s: %s", betweenPods, subject.PutBack))
		default:
			errs = append(errs, checkWeightServed(path, component, pod.Cliques(component), live)...)
		}
	}
	return errs
}

// checkWeightServed compares the cliques and claims of a component with the live ones.
func checkWeightServed(path *field.Path, s *graph.Component, cliques []pod.Clique, live weightServed) message.List {
	var errs message.List
	if nodes := s.Nodes(); nodes != live.nodes {
		errs = append(errs, message.Invalid(path.Child("multinode", "nodeCount"), nodes,
			"%s; it was %d: %s", subject.NoChange, live.nodes, subject.PutBack))
	}
	for _, clique := range cliques[:2] {
		if clique.After != "" && clique.Replicas != live.engines {
			errs = append(errs, message.Forbidden(path.Child("experimental", "failover"),
				"the number of standby engines cannot be changed after creation; it was %d: %s", live.engines-1, subject.PutBack))
		}
	}
	if live.gpus == nil {
		return errs
	}
	was, wanted := requestOf(live.gpus.TemplateSpec.Spec), requestOf(pod.WeightsClaim(s))
	if was != nil && (was.Count != wanted.Count || was.DeviceClassName != wanted.DeviceClassName) {
		errs = append(errs, message.Forbidden(path.Child("experimental", "gpuMemoryService"),
			"shared GPUs cannot be changed after creation in mode %s; they were %d of class %s, and would be %d of class %s: %s", s.Graph().ShareMode(v1beta1.ShareInterPod), was.Count, was.DeviceClassName, wanted.Count, wanted.DeviceClassName, subject.PutBack))
	}
	return errs
}

// sharesWithinPods reports whether the containers of the live pods of a component share their GPUs.
func sharesWithinPods(set *grovev1alpha1.PodCliqueSet, name string) bool {
	for _, clique := range set.Spec.Template.Cliques {
		if clique.Name != names.Clique(name) && clique.Name != names.LeaderClique(name) {
			continue
		}
		for _, claim := range clique.Spec.PodSpec.ResourceClaims {
			if claim.Name == pod.SharedGPUClaim {
				return true
			}
		}
	}
	return false
}
