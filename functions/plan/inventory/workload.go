package inventory

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// workload are the objects that run the pods, and that scale them.
func (m *missing) workload() {
	switch m.Plan.Orchestrator {
	case graphplan.Grove:
		m.podCliqueSet()
	case graphplan.LeaderWorkerSet, graphplan.Deployment:
		m.each(func(name string, service *v1alpha1.Service) {
			if !pod.IsMultinode(service) {
				m.ofService(name, names.KeyDeployment(name), appsV1, "Deployment", m.Graph.Names().Component(name))
				m.autoscaler(name, service)
				return
			}
			for i := range m.sets(name) {
				m.leaderWorkerSet(name, service, i)
			}
		})
	}
}

// podCliqueSet is the graph on Grove, with the objects of Grove that can conflict with graphs on other orchestrators. Conflicts between
// objects of Grove are checked between PodCliqueSets.
func (m *missing) podCliqueSet() {
	n := m.Graph.Names()
	m.ofGraph(names.KeyPodCliqueSet, grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet, n.PodCliqueSet())
	m.add(Object{Key: names.KeyPodCliqueSet, APIVersion: coreV1, Kind: KindService, Name: n.GroveService(), Maker: MakerGrove})
	m.add(Object{Key: names.KeyPodCliqueSet, APIVersion: coreV1, Kind: KindServiceAccount, Name: n.PodCliqueSet(), Maker: MakerGrove})
	m.each(m.autoscaler)
	for _, name := range m.Scaling {
		m.ofService(name, names.KeyReplicas(name), autoscalingV2, "HorizontalPodAutoscaler", n.Replicas(name))
	}
}

func (m *missing) autoscaler(name string, service *v1alpha1.Service) {
	if autoscaling.Enabled(service) {
		m.ofService(name, names.KeyAutoscaler(name), autoscalingV2, "HorizontalPodAutoscaler", m.Graph.Names().Component(name))
	}
}

// sets of a multinode service that are listed.
func (m *missing) sets(name string) int32 {
	return max(0, min(pod.Sets(m.Graph, name), m.MaxReplicas))
}

// leaderWorkerSet is replica i of a multinode service. The LWS operator creates a headless Service with its name, a StatefulSet with its
// name for leaders, and a StatefulSet with a number appended to the name for the workers of each leader. The StatefulSet of the only leader
// can have the name of that of the leaders of another LeaderWorkerSet.
func (m *missing) leaderWorkerSet(name string, service *v1alpha1.Service, i int32) {
	key, object := names.KeyLeaderWorkerSet(name, i), m.Graph.Names().Replica(name, i)
	m.ofService(name, key, lwsV1, KindLeaderWorkerSet, object)
	if gang := m.Plan.LWS.Gang; gang.Groups(m.Graph.Names(), name, pod.SchedulerName(service)) {
		m.ofService(name, names.KeyPodGroup(name, i), volcanoV1, "PodGroup", object)
	} else if gang.GroupsNatively(m.Graph.Names(), name, pod.SchedulerName(service)) {
		m.ofService(name, names.KeySchedulingGroup(name, i), schedulingv1beta1.APIVersion, schedulingv1beta1.Kind, object)
	}
	m.add(Object{Key: key, APIVersion: coreV1, Kind: KindService, Name: object, Service: name, Maker: MakerLWS})
	m.add(Object{Key: key, APIVersion: lwsV1, Kind: KindLeaderWorkerSet, Name: object + workersSuffix, Service: name, Maker: MakerLWS})
	if leaders, ok := strings.CutSuffix(object, workersSuffix); ok && leaders != "" {
		m.add(Object{Key: key, APIVersion: lwsV1, Kind: KindLeaderWorkerSet, Name: leaders, Service: name, Maker: MakerLWS})
	}
}

// workersSuffix is what the name of the StatefulSet of workers adds to the name of the LeaderWorkerSet.
const workersSuffix = "-0"
