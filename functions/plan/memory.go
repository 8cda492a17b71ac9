package plan

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

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
	return m, nil
}

// rememberedOrchestrator asks the observed objects first, then the references that Crossplane keeps, then the status.
// Crossplane drops an object from the first when its API is gone, and from the second when it cannot find it. Another
// step of the pipeline may compose a Deployment too; that tells nothing.
func rememberedOrchestrator(req *fnv1.RunFunctionRequest, g *graph.Graph) graphplan.Orchestrator {
	kinds := map[string]bool{}
	for key, r := range req.GetObserved().GetResources() {
		if key == string(names.KeyPodCliqueSet) || isWorkload(key) {
			kinds[kindOf(r.GetResource())] = true
		}
	}
	if orchestrator := orchestratorOf(kinds); orchestrator != "" {
		return orchestrator
	}
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	spec := xr["spec"].GetStructValue().GetFields()
	for _, refs := range []*structpb.Value{spec["crossplane"].GetStructValue().GetFields()["resourceRefs"], spec["resourceRefs"]} {
		kinds := map[string]bool{}
		for _, ref := range refs.GetListValue().GetValues() {
			if ours(ref.GetStructValue(), g) {
				kinds[kindOf(ref.GetStructValue())] = true
			}
		}
		if orchestrator := orchestratorOf(kinds); orchestrator != "" {
			return orchestrator
		}
	}
	switch o := graphplan.Orchestrator(xr["status"].GetStructValue().GetFields()["orchestrator"].GetStringValue()); o {
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

const kindDeployment = "Deployment.apps"

func kindOf(object *structpb.Struct) string {
	group, _, _ := strings.Cut(object.GetFields()["apiVersion"].GetStringValue(), "/")
	return object.GetFields()["kind"].GetStringValue() + "." + group
}

// orchestratorOf tells the orchestrator by the kinds that only it composes. A graph on LeaderWorkerSets has Deployments
// too, so those come last.
func orchestratorOf(kinds map[string]bool) graphplan.Orchestrator {
	switch {
	case kinds["PodCliqueSet.grove.io"]:
		return graphplan.Grove
	case kinds["LeaderWorkerSet.leaderworkerset.x-k8s.io"]:
		return graphplan.LeaderWorkerSet
	case kinds[kindDeployment]:
		return graphplan.Deployment
	default:
		return ""
	}
}
