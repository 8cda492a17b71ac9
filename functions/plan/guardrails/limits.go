package guardrails

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// size of a graph, or of one of its services.
type size struct{ replicas, nodes, gpus int64 }

// add the size of another service.
func (s *size) add(other size) {
	s.replicas += other.replicas
	s.nodes += other.nodes
	s.gpus += other.gpus
}

// sizeOf replicas that span nodes, of which each has so many GPUs. Pods without GPUs share nodes with others.
func sizeOf(replicas, nodes, gpus int64) size {
	if gpus == 0 {
		nodes = 0
	}
	return size{replicas: replicas, nodes: replicas * nodes, gpus: replicas * gpus}
}

// limits compares the size of the graph with what is allowed. A live graph may stay as large as it is, and become smaller.
func (c *checker) limits() {
	if c.rails.MaxGPUs == nil && c.rails.MaxNodes == nil && c.rails.MaxReplicas == nil {
		return
	}
	var wanted, live size
	for _, service := range c.facts.Graph.ComponentsByName() {
		wanted.add(wantedSize(service, pod.TakenGPUs(service)))
		live.add(c.liveSize(service))
	}
	// GPUs that the containers of a pod share are in claims, and the pods do not show how many there are.
	live.gpus = max(live.gpus, c.facts.Observed.Status.TotalGPUs())
	c.limit(wanted.gpus, live.gpus, c.rails.MaxGPUs, "GPUs")
	c.limit(wanted.nodes, live.nodes, c.rails.MaxNodes, "nodes for pods with GPUs")
	c.limit(wanted.replicas, live.replicas, c.rails.MaxReplicas, "replicas")
}

func (c *checker) limit(wanted, live int64, most *int64, what string) {
	if most == nil || wanted <= *most {
		return
	}
	path := graph.ComponentsPath()
	allowed := fmt.Sprintf("the graph may need %d %s, and the platform allows at most %d", wanted, what, *most)
	switch {
	case !c.facts.Live():
		c.outcome.Refuse(subject.Mistake, message.Invalid(path, wanted, "%s; reduce replicas, or what each of them requests", allowed))
	case wanted > live:
		c.outcome.Refuse(subject.Mistake, message.Invalid(path, wanted, "%s; it runs with %d, and cannot become larger", allowed, live))
	default:
		c.outcome.Warn(path, "%s; it stays as it is, and can become smaller, but not larger", allowed)
	}
}

// wantedSize of a service whose pods take some GPUs each, with as many replicas as its autoscaling allows.
func wantedSize(service *graph.Component, gpus int64) size {
	replicas := int64(service.Replicas())
	if service.IsAutoscaled() {
		replicas = max(replicas, int64(service.Autoscaling.MaxReplicas))
	}
	nodes := int64(service.Nodes())
	return sizeOf(replicas, nodes, nodes*gpus)
}

// liveSize of a service.
func (c *checker) liveSize(service *graph.Component) size {
	pods := c.facts.Observed.Pods[names.Lower(service.Name)]
	replicas, runs := c.facts.Observed.Running(service.Name)
	if !runs || len(pods) == 0 {
		return size{}
	}
	if most, ok := observed.MaxReplicas(c.facts.Observed.Object(names.KeyAutoscaler(service.Name))); ok {
		replicas = max(replicas, most)
	}
	nodes, sets := c.liveNodes(service)
	gpus := func(template *corev1.PodTemplateSpec) int64 { return pod.TakenBy(service, template) }
	leader, workers := &pods[0], &pods[len(pods)-1]
	live := sizeOf(int64(replicas)*sets, nodes, gpus(leader)+(nodes-1)*gpus(workers))
	if len(leader.Spec.ResourceClaims) > 0 {
		live.nodes = live.replicas * nodes
	}
	return live
}

// liveNodes of a replica of a service, and the replicas of each of its workloads: one, except in a LeaderWorkerSet that was adopted. On Grove
// the number of nodes never changes.
func (c *checker) liveNodes(service *graph.Component) (nodes, replicas int64) {
	if c.facts.Memory.Orchestrator != graphplan.LeaderWorkerSet {
		return int64(service.Nodes()), 1
	}
	spec := tree.At(c.facts.Observed.Object(names.KeyLeaderWorkerSet(service.Name, 0)), "spec")
	number := func(value float64) int64 { return max(1, int64(value)) }
	return number(tree.At(spec, "leaderWorkerTemplate").GetFields()["size"].GetNumberValue()), number(spec.GetFields()["replicas"].GetNumberValue())
}
