package graphplan

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// GangProvider creates the gang of a LeaderWorkerSet.
type GangProvider string

// The gang providers.
const (
	// GangPodGroup is a Volcano PodGroup that the chain composes.
	GangPodGroup GangProvider = "PodGroup"
	// GangLWS is a Volcano PodGroup that the LWS operator creates.
	GangLWS GangProvider = "LWS"
	// GangKAI is the KAI scheduler, which groups the pods of a LeaderWorkerSet itself.
	GangKAI GangProvider = "KAI"
	// GangKubernetes is a PodGroup of Kubernetes itself that the chain composes.
	GangKubernetes GangProvider = "Kubernetes"
	// GangKueue is Kueue, which admits the pods of a LeaderWorkerSet together. It changes nothing of their scheduler.
	GangKueue GangProvider = "Kueue"
)

// The schedulers that place all pods of a gang or none.
const (
	KAIScheduler     = "kai-scheduler"
	VolcanoScheduler = "volcano"

	// KueueScheduler is how Grove calls its backend for Kueue.
	KueueScheduler = "kueue"

	// KubernetesScheduler is that of pods that name none. It does so for pods that name a PodGroup.
	KubernetesScheduler = "default-scheduler"
)

// Gang is how the pods of one LeaderWorkerSet are scheduled together.
type Gang struct {
	Provider      GangProvider `json:"provider"`
	SchedulerName string       `json:"schedulerName"`
	Queue         string       `json:"queue"`

	// APIVersion of the PodGroups of Kubernetes. An empty text stands for v1beta1.
	APIVersion string `json:"apiVersion,omitempty"`
}

// Schedules reports whether a pod with this scheduler, or with none, is part of the gang.
func (g Gang) Schedules(schedulerName string) bool {
	return schedulerName == "" || schedulerName == g.SchedulerName
}

// Places reports whether the pods of a component with this scheduler, or with none, are scheduled as gangs, which those that Kueue admits are
// not. A PodGroup is that of one replica, and replicas that run in one LeaderWorkerSet have the same pod template, which can only name one.
func (g Gang) Places(n names.Graph, component, schedulerName string) bool {
	if g.Provider == GangKueue {
		return false
	}
	composed := g.Provider == GangPodGroup || g.Provider == GangKubernetes
	return g.Schedules(schedulerName) && (!composed || !n.InOneSet(component))
}

// Groups reports whether the chain composes a PodGroup of Volcano for each replica of a component whose pods have this scheduler, or none. The
// pods name their PodGroup in an annotation.
func (g Gang) Groups(n names.Graph, component, schedulerName string) bool {
	return g.Provider == GangPodGroup && g.Places(n, component, schedulerName)
}

// GroupsNatively reports whether the chain composes a PodGroup of Kubernetes for each of these replicas instead. The pods name it in a field.
func (g Gang) GroupsNatively(n names.Graph, component, schedulerName string) bool {
	return g.Provider == GangKubernetes && g.Places(n, component, schedulerName)
}

// Queue of pods.
type Queue struct {
	Name string `json:"name"`

	// Path of what names it in the graph, in the form with components, or Setting of the policy and where it is. Neither means that nobody does.
	Path    string `json:"path,omitempty"`
	Setting string `json:"setting,omitempty"`
}
