package plan

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/composite"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// memory is what earlier runs decided for this graph. Decisions are made once: a second choice would start a second
// copy of the graph beside the first.
type memory struct {
	// orchestrator that runs the graph. Empty: none yet.
	orchestrator graphplan.Orchestrator

	// podCliqueSet as observed; nil when there is none.
	podCliqueSet *grovev1alpha1.PodCliqueSet

	// services of the observed Deployments and LeaderWorkerSets.
	services running

	// gangs of the LeaderWorkerSets.
	gangs gangs

	// nvlink is what is decided about multi-node NVLink.
	nvlink nvlink

	// pods of one observed workload of each service, by lower-cased name.
	pods map[string]observedPods

	// choices are what is decided where the graph names nothing.
	choices choices

	// composed are the keys of all observed composed resources.
	composed map[string]bool
}

// exists reports whether the graph has been deployed before.
func (m *memory) exists() bool { return m.orchestrator != "" }

func remember(req *fnv1.RunFunctionRequest, g *graph.Graph) (*memory, error) {
	m := &memory{composed: map[string]bool{}, services: running{}}
	for key := range req.GetObserved().GetResources() {
		m.composed[key] = true
		if service, multinode, ok := names.WorkloadOf(key); ok {
			m.services[service] = multinode
		}
	}
	if set, ok := req.GetObserved().GetResources()[string(names.KeyPodCliqueSet)]; ok {
		m.podCliqueSet = &grovev1alpha1.PodCliqueSet{}
		if err := require.Into(set.GetResource(), m.podCliqueSet); err != nil {
			return nil, err
		}
	}
	m.orchestrator = rememberedOrchestrator(req, g)
	var err error
	if m.gangs, err = rememberedGangs(req); err != nil {
		return nil, err
	}
	if m.pods, err = podsOf(req, m.podCliqueSet); err != nil {
		return nil, err
	}
	m.nvlink = rememberedNVLink(req, g, m.podCliqueSet, m.pods)
	m.choices = rememberedChoices(g, m.pods)
	return m, nil
}

// rememberedOrchestrator asks the observed objects first, then the references that Crossplane keeps, then the status.
// Crossplane drops an object from the first when its API is gone, and from the second when it cannot find it.
func rememberedOrchestrator(req *fnv1.RunFunctionRequest, g *graph.Graph) graphplan.Orchestrator {
	places := append([]map[string]bool{observedKinds(req)}, referencedKinds(req, g)...)
	status := statusOf(req)
	for _, kinds := range places {
		switch o := orchestratorOf(kinds); o {
		case graphplan.Grove, graphplan.LeaderWorkerSet:
			return o
		case graphplan.Deployment:
			return behindDeployments(places, status, g)
		}
	}
	return status
}

// behindDeployments tells the orchestrator of a graph of which only Deployments are seen. On LeaderWorkerSets a graph has
// Deployments too, and its LeaderWorkerSets may not be there: not created yet, scaled to none, or of an API that is gone.
// Only LeaderWorkerSets go together with Deployments, so services that span nodes must be on them.
func behindDeployments(places []map[string]bool, status graphplan.Orchestrator, g *graph.Graph) graphplan.Orchestrator {
	referenced := slices.ContainsFunc(places, func(kinds map[string]bool) bool { return kinds[kindLeaderWorkerSet] })
	if referenced || status == graphplan.LeaderWorkerSet || len(multinodeServices(g)) > 0 {
		return graphplan.LeaderWorkerSet
	}
	return graphplan.Deployment
}

// observedKinds are the kinds of the observed workloads. Another step of the pipeline may compose a Deployment too; that
// tells nothing.
func observedKinds(req *fnv1.RunFunctionRequest) map[string]bool {
	kinds := map[string]bool{}
	for key, r := range req.GetObserved().GetResources() {
		if key == string(names.KeyPodCliqueSet) || isWorkload(key) {
			kinds[kindOf(r.GetResource())] = true
		}
	}
	return kinds
}

// referencedKinds are the kinds of the references of a modern, then of a legacy composite resource.
func referencedKinds(req *fnv1.RunFunctionRequest, g *graph.Graph) []map[string]bool {
	var all []map[string]bool
	for _, refs := range composite.References(req) {
		kinds := map[string]bool{}
		for _, ref := range refs.GetListValue().GetValues() {
			if ours(ref.GetStructValue(), g) {
				kinds[kindOf(ref.GetStructValue())] = true
			}
		}
		all = append(all, kinds)
	}
	return all
}

func statusOf(req *fnv1.RunFunctionRequest) graphplan.Orchestrator {
	status := req.GetObserved().GetComposite().GetResource().GetFields()["status"].GetStructValue()
	switch o := graphplan.Orchestrator(status.GetFields()["orchestrator"].GetStringValue()); o {
	case graphplan.Grove, graphplan.LeaderWorkerSet, graphplan.Deployment:
		return o
	default:
		return ""
	}
}

func isWorkload(key string) bool {
	_, _, ok := names.WorkloadOf(key)
	return ok
}

// ours reports whether a reference may be to an object of this chain. It holds no key, so a Deployment is told by its
// name.
func ours(ref *structpb.Struct, g *graph.Graph) bool {
	if kindOf(ref) != kindDeployment {
		return true
	}
	name := ref.GetFields()["name"].GetStringValue()
	return slices.ContainsFunc(g.ServiceNames(), func(service string) bool { return g.Names().Component(service) == name })
}

// Kinds with their groups.
const (
	kindPodCliqueSet    = "PodCliqueSet.grove.io"
	kindLeaderWorkerSet = "LeaderWorkerSet.leaderworkerset.x-k8s.io"
	kindPodGroup        = "PodGroup.scheduling.volcano.sh"
	kindDeployment      = "Deployment.apps"
)

func kindOf(object *structpb.Struct) string {
	group, _, _ := strings.Cut(object.GetFields()["apiVersion"].GetStringValue(), "/")
	return object.GetFields()["kind"].GetStringValue() + "." + group
}

// orchestratorOf tells the orchestrator by the kinds that only it composes. A graph on LeaderWorkerSets has Deployments
// too, so those come last.
func orchestratorOf(kinds map[string]bool) graphplan.Orchestrator {
	switch {
	case kinds[kindPodCliqueSet]:
		return graphplan.Grove
	case kinds[kindLeaderWorkerSet]:
		return graphplan.LeaderWorkerSet
	case kinds[kindDeployment]:
		return graphplan.Deployment
	default:
		return ""
	}
}
