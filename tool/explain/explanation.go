// Package explain describes what a graph becomes and why: its components, gangs and places, what leads to them, who scales them, and the
// objects with the fields that each comes from. It shows this as a tree and as pictures.
package explain

import (
	"fmt"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// An Explanation of what a graph becomes.
type Explanation struct {
	// Namespace and Name of the graph.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`

	// Refused says that the graph becomes nothing. The findings say why.
	Refused bool `json:"refused,omitempty"`

	// Orchestrator that runs the pods, and why it was selected.
	Orchestrator string `json:"orchestrator,omitempty"`
	Reason       string `json:"reason,omitempty"`

	// Pods and GPUs that the graph requests. GPUs that pods share count once.
	Pods int32 `json:"pods"`
	GPUs int64 `json:"gpus"`

	// Topology into which the pods are packed. nil if the graph as a whole has no such constraint.
	Topology *Place `json:"topology,omitempty"`

	// Generation of the workers, with the names of all of them: a change of one replaces the pods of all. nil if they have none.
	Generation *Generation `json:"workerGeneration,omitempty"`

	// Restart that the graph requests. nil if there is none.
	Restart *Restart `json:"restart,omitempty"`

	// Together is what one scaling adapter scales together. nil means nothing.
	Together *Together `json:"scaledTogether,omitempty"`

	Gangs      []Gang      `json:"gangs,omitempty"`
	Components []Component `json:"components,omitempty"`
	Entries    []Entry     `json:"entries,omitempty"`
	Routes     []Route     `json:"routes,omitempty"`
	Flows      []Flow      `json:"flows,omitempty"`
	Objects    []Object    `json:"objects,omitempty"`

	// Findings are why the graph is refused, or what it is warned of.
	Findings []check.Finding `json:"findings,omitempty"`
}

// Together are components whose replicas one scaling adapter scales.
type Together struct {
	// Object that has the number of Units, each of which is a Unit such as Prefill=1,Decode=2, and has Pods with GPUs.
	Object string `json:"object"`
	Units  int32  `json:"units"`
	Unit   string `json:"unit"`
	Pods   int32  `json:"podsPerUnit,omitempty"`
	GPUs   int64  `json:"gpusPerUnit,omitempty"`
}

// String is empty if nothing is scaled together.
func (t *Together) String() string {
	if t == nil {
		return ""
	}
	text := output.Count(t.Units, "unit") + " of " + t.Unit
	if t.Pods > 0 {
		text += ", each " + total(t.Pods, t.GPUs)
	}
	return text + " (" + t.Object + ")"
}

// A Generation of workers, which only work with each other.
type Generation struct {
	// Suffix of their Dynamo namespace.
	Suffix string `json:"suffix"`

	// Workers in the order of the graph.
	Workers []string `json:"workers"`

	// Rollout is what a change of the workers means for those who use them. Empty if there is only one worker.
	Rollout string `json:"rollout,omitempty"`
}

func (g *Generation) String() string {
	if len(g.Workers) == 1 {
		return g.Suffix + " of " + g.Workers[0]
	}
	return fmt.Sprintf("%s of %s; a change of one of them replaces the pods of all, and %s", g.Suffix, strings.Join(g.Workers, ", "), g.Rollout)
}

// A Component of the graph.
type Component struct {
	Name string `json:"name"`

	// Field of the graph that describes the component.
	Field string `json:"field"`

	Type   string `json:"type,omitempty"`
	Engine string `json:"engine,omitempty"`

	// Executor with which an engine of vLLM spans nodes, and why. Empty if there is none.
	Executor       string `json:"executor,omitempty"`
	ExecutorReason string `json:"executorReason,omitempty"`

	// Downloaded is the model that each node downloads by itself. Empty if nodes share it, or a replica has one node.
	Downloaded string `json:"downloadedByEachNode,omitempty"`

	// Dynamo is the release of Dynamo in the image. Empty if it is not known, so the newest one is assumed.
	Dynamo string `json:"dynamo,omitempty"`
	Image  string `json:"image,omitempty"`

	// Replicas, each of which spans Nodes with GPUs each.
	Replicas int32 `json:"replicas"`
	Nodes    int32 `json:"nodes"`
	GPUs     int64 `json:"gpusPerNode"`

	// TotalPods and TotalGPUs of all replicas. A node may run several pods, which share its GPUs.
	TotalPods int32 `json:"pods"`
	TotalGPUs int64 `json:"gpus"`

	// Roles of the pods of a replica. Empty if a replica is one pod.
	Roles []Role `json:"roles,omitempty"`

	// Ports on which its programs listen, as far as they are in the graph, by number.
	Ports []Port `json:"ports,omitempty"`

	// Workload that runs the pods: the kind, and the names of the objects.
	Workload Workload `json:"workload"`

	// Scheduler and Queue of the pods. An empty text stands for the default.
	Scheduler string `json:"scheduler,omitempty"`
	Queue     string `json:"queue,omitempty"`

	// QueueFrom is what names the queue: a field of the graph, or a setting of the platform. It is empty if the scheduler or an earlier setting does.
	QueueFrom string `json:"queueFrom,omitempty"`

	// Place into which pods are packed. nil if the component has no constraint of its own.
	Place *Place `json:"topology,omitempty"`

	// NVLink is the NVLink domain in which pods claim channels. Empty if there is none.
	NVLink string `json:"nvlinkDomain,omitempty"`

	Scaling Scaling `json:"scaling"`
	Volumes []Claim `json:"claims,omitempty"`

	// Checkpoint from which pods are restored, and whether those that start now are.
	Checkpoint string `json:"checkpoint,omitempty"`
	Restores   bool   `json:"restores,omitempty"`

	// Commands of the containers, if they are asked for: they may contain what only users of the graph may know.
	Commands []Command `json:"commands,omitempty"`
	commands []Command

	// model that it serves. Empty if it is not known.
	model string

	// labels of each pod template, by which Services find the pods.
	labels []map[string]string
}

// A Workload runs the pods of a component.
type Workload struct {
	Kind  string   `json:"kind,omitempty"`
	Names []string `json:"names,omitempty"`
}

// A Port on which a program listens.
type Port struct {
	Number int32  `json:"number"`
	For    string `json:"for"`
}

// A Role of some pods of each replica.
type Role struct {
	Name string `json:"name"`
	Pods int32  `json:"pods"`

	// After is the role whose pods start first. An empty text stands for any.
	After string `json:"after,omitempty"`

	// Registers says that each pod is an instance of a worker that gets requests.
	Registers bool `json:"registers,omitempty"`

	// least is how many of the pods the gang needs.
	least int32
}

// A Place is a topology domain into which pods are packed together.
type Place struct {
	// Topology that defines the domains. An empty text stands for the only one of the cluster.
	Topology string `json:"name,omitempty"`

	Required  string `json:"required,omitempty"`
	Preferred string `json:"preferred,omitempty"`

	// Each is what is packed into one domain: the graph, each replica, or the component.
	Each string `json:"each"`

	// Field of the graph that requests it.
	Field string `json:"field"`
}

// What is packed into one domain.
const (
	eachGraph     = "graph"
	eachReplica   = "replica"
	eachComponent = "component"
)

// A Gang is pods that are scheduled together or not at all.
type Gang struct {
	// By is the scheduler. An empty text stands for the default of the cluster.
	By string `json:"by,omitempty"`

	// Count of gangs like this one.
	Count int32 `json:"count"`

	// Pods in one gang that must be scheduled together.
	Pods    int32    `json:"pods"`
	Members []Member `json:"members"`

	// OfGraph says that the gang contains some replicas of each component. Otherwise it is one replica of a component.
	OfGraph bool `json:"ofGraph,omitempty"`
}

// A Member is how many replicas of a component a gang has.
type Member struct {
	Component string `json:"component"`
	Replicas  int32  `json:"replicas"`
}

// Scaling is who decides the number of replicas of a component.
type Scaling struct {
	// By is who decides: graph, adapter or autoscaler. Planner is the component that changes the number for them.
	By      string `json:"by"`
	Planner string `json:"planner,omitempty"`

	// Field in which the number is, or the Object that keeps it.
	Field  string `json:"field"`
	Object string `json:"object,omitempty"`

	// Least and Most replicas of an autoscaler.
	Least int64 `json:"least,omitempty"`
	Most  int64 `json:"most,omitempty"`

	// Keeps is the object that anything else can scale without being reverted, and Reverts one that cannot. Empty if there is none.
	Keeps   string `json:"keeps,omitempty"`
	Reverts string `json:"reverts,omitempty"`

	// Written is the number in the graph, if the component is scaled to another one.
	Written *int32 `json:"written,omitempty"`
}

// Who decides the number of replicas.
const (
	byGraph      = "graph"
	byAdapter    = "adapter"
	byAutoscaler = "autoscaler"
)

// A Claim is a PersistentVolumeClaim that pods mount.
type Claim struct {
	Name string `json:"name"`
	Path string `json:"path,omitempty"`

	// Composed says that the graph creates the claim and deletes it. Otherwise it must exist.
	Composed bool `json:"composed,omitempty"`
}

// An Entry leads to pods: a Service, or the InferencePool.
type Entry struct {
	Kind  string  `json:"kind"`
	Name  string  `json:"name"`
	Ports []int32 `json:"ports,omitempty"`

	// Components whose pods it selects.
	Components []string `json:"components,omitempty"`

	// Picker is the Service that selects one of the pods for each request. Only of an InferencePool.
	Picker string `json:"picker,omitempty"`
}

// A Route leads from outside of the cluster to a Service.
type Route struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Hosts    []string `json:"hosts,omitempty"`
	Services []string `json:"services"`
}

// An Object that is composed.
type Object struct {
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Key under which Crossplane tracks it.
	Key string `json:"key"`

	// From is what it is composed for: a field of the graph, or a decision.
	From string `json:"from"`
}

// A Restart of the components of a graph.
type Restart struct {
	ID       string `json:"id"`
	Strategy string `json:"strategy"`

	// Order in which components restart.
	Order []string `json:"order"`
}
