package why

import "slices"

// Code of a cause. Codes are API, their messages are not.
type Code string

// Codes of causes that concern the graph as a whole.
const (
	Deleting            Code = "Deleting"
	Paused              Code = "Paused"
	GraphRefused        Code = "GraphRefused"
	NotApplied          Code = "NotApplied"
	NotReconciled       Code = "NotReconciled"
	NoOrchestrator      Code = "NoOrchestrator"
	QueueUnavailable    Code = "QueueUnavailable"
	TopologyUnavailable Code = "TopologyUnavailable"
)

// Codes of causes that objects show which should create pods.
const (
	OverQuota        Code = "OverQuota"
	AdmissionRefused Code = "AdmissionRefused"
	PodsRefused      Code = "PodsRefused"
	NoPods           Code = "NoPods"
)

// Codes of causes that pods show.
const (
	ObjectMissing    Code = "ObjectMissing"
	ImagePull        Code = "ImagePull"
	CannotStart      Code = "CannotStart"
	Crash            Code = "Crash"
	NodeLost         Code = "NodeLost"
	Volume           Code = "Volume"
	GangSplit        Code = "GangSplit"
	Unschedulable    Code = "Unschedulable"
	PodFailed        Code = "PodFailed"
	Sandbox          Code = "Sandbox"
	ProbeFails       Code = "ProbeFails"
	WaitingForGang   Code = "WaitingForGang"
	WaitingForLeader Code = "WaitingForLeader"
	Initializing     Code = "Initializing"
	Starting         Code = "Starting"
)

// Codes of what else is not ready.
const (
	Updating Code = "Updating"
	Unknown  Code = "Unknown"
)

// Codes in the order of how likely they are the cause of the others: a graph that is refused gets no new pods, pods that cannot be created
// keep a gang from being complete, and workers wait for a leader that crashes. What only takes time comes last.
func Codes() []Code {
	return []Code{
		Deleting, Paused, GraphRefused, NotApplied, NotReconciled, NoOrchestrator, QueueUnavailable,
		OverQuota, AdmissionRefused, PodsRefused,
		ObjectMissing, ImagePull, CannotStart, Crash, NodeLost, Volume, TopologyUnavailable, GangSplit, Unschedulable, PodFailed, Sandbox, ProbeFails,
		NoPods, WaitingForGang, WaitingForLeader, Initializing, Starting,
		Updating, Unknown,
	}
}

func rank(c Code) int { return slices.Index(Codes(), c) }
