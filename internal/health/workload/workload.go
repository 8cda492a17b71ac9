// Package workload evaluates the objects that run a component, with a file for each kind: the number of replicas, and whether they are ready.
package workload

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Workload is the set of objects that run a component.
type Workload struct {
	Kind v1alpha1.ComponentKind

	// Names of the objects that run the component, sorted. If there are none, the name of the first object to be created.
	Names []string

	// Counts of all objects.
	Counts Counts

	// Ready is true if all desired replicas exist, are of the desired revision, and are ready.
	Ready bool

	// Settled is true if no change of the component is pending. A rolling update of a PodCliqueSet updates its cliques one after the other,
	// and a clique looks ready before and after its update.
	Settled bool

	// Failed is true if the component cannot become ready without a change.
	Failed bool

	// Waiting lists the objects that are not ready, with the reasons, sorted. It is empty if the component is ready.
	Waiting []string

	// Reason of condition ServicesReady if all other components are ready. It is empty if the component is ready.
	Reason string
}

// Counts of replicas. Those that a kind does not count are nil.
type Counts struct {
	Replicas, Updated           int32
	Ready, Available, Scheduled *int32
}

// Object is an object that runs a component, or a part of it.
type Object struct {
	Counts

	// Done is true if the object is ready.
	Done bool

	// Failed is true if the object cannot become ready without a change.
	Failed bool

	// Message describes what the object is waiting for. It is empty if the object is done.
	Message string

	// Detail is additional information from Grove, such as an error. It may be empty.
	Detail string

	// Reason of condition ServicesReady if all other objects are done. It is empty if the object is done.
	Reason string
}

// Of returns the workload of each component, from the children of the PodCliqueSet in the plan and from the observed composed resources.
func Of(g *graph.Graph, p *graphplan.Plan, resources map[string]*fnv1.Resource, components ...string) map[string]Workload {
	// All components run in the same PodCliqueSet.
	var set PodCliqueSet
	if p.Orchestrator == graphplan.Grove {
		set = PodCliqueSetOf(resourceOf(resources, names.KeyPodCliqueSet))
	}
	all := map[string]Workload{}
	for _, component := range components {
		spec := g.Component(component)
		switch {
		case p.Orchestrator == graphplan.Grove:
			all[component] = onGrove(g, p, component, set)
		case p.Orchestrator == graphplan.LeaderWorkerSet && spec.IsMultinode():
			all[component] = onLeaderWorkerSets(g, component, spec.Indices(), resources)
		default:
			all[component] = onDeployment(g, component, resources)
		}
	}
	return all
}

// add an object to the workload.
func (w *Workload) add(name string, o Object) {
	w.Names = append(w.Names, name)
	w.Counts.add(o.Counts)
	w.Ready = w.Ready && o.Done
	w.Failed = w.Failed || o.Failed
	if !o.Done {
		w.Await(w.describe(name, o), o.Reason)
	}
}

// Await makes the component wait for something, for a reason of condition ServicesReady. Only reasons of different components are combined, so the
// first reason is kept, unless a rolling update is in progress.
func (w *Workload) Await(message, reason string) {
	w.Ready = false
	w.Waiting = append(w.Waiting, message)
	slices.Sort(w.Waiting)
	if w.Reason == "" || reason == condition.ReasonRollingUpdate {
		w.Reason = reason
	}
}

// describe what an object is waiting for. For a child of Grove, the operator's text only contains what the child lacks. The name of the child
// and the detail follow in parentheses, so that a pattern for the operator's text matches this text as well.
func (w *Workload) describe(name string, o Object) string {
	object := string(w.Kind) + " " + name
	if w.Kind != v1alpha1.ComponentKindPodClique && w.Kind != v1alpha1.ComponentKindPodCliqueScalingGroup {
		return object + ": " + o.Message
	}
	if o.Detail != "" {
		object += ": " + o.Detail
	}
	return o.Message + " (" + object + ")"
}

func (c *Counts) add(more Counts) {
	c.Replicas += more.Replicas
	c.Updated += more.Updated
	sum := func(to **int32, from *int32) {
		switch {
		case from == nil:
		case *to == nil:
			*to = new(*from)
		default:
			*to = new(**to + *from)
		}
	}
	sum(&c.Ready, more.Ready)
	sum(&c.Available, more.Available)
	sum(&c.Scheduled, more.Scheduled)
}

// Status of the component.
func (w *Workload) Status() v1alpha1.ServiceStatus {
	return v1alpha1.ServiceStatus{
		ComponentKind:     w.Kind,
		ComponentName:     w.Names[0],
		ComponentNames:    w.Names,
		Replicas:          w.Counts.Replicas,
		UpdatedReplicas:   w.Counts.Updated,
		ReadyReplicas:     w.Counts.Ready,
		AvailableReplicas: w.Counts.Available,
		ScheduledReplicas: w.Counts.Scheduled,
	}
}

// CountFields are the fields of the status of a component that contain its counts. Counts that a kind does not have are left out.
func CountFields() []string {
	return []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "scheduledReplicas"}
}

// Updated replicas of a LeaderWorkerSet or a Deployment, of the pod template that it has.
func Updated(object *structpb.Struct) int32 {
	return int32(tree.At(object, "status").GetFields()["updatedReplicas"].GetNumberValue())
}

func resourceOf[K ~string](resources map[string]*fnv1.Resource, key K) *structpb.Struct {
	return resources[string(key)].GetResource()
}

// waits is the result for an object that is not done. The operator has more specific reasons only for children of Grove.
func waits(counts Counts, message string) Object {
	return waitsFor(condition.ReasonSomeResourcesNotReady, counts, message)
}

// waitsFor is the result for an object that is not done, with the reason of condition ServicesReady.
func waitsFor(reason string, counts Counts, message string) Object {
	return Object{Counts: counts, Message: message, Reason: reason}
}

// Messages for objects that do not exist, or will not exist for long.
const (
	notCreated   = "not created yet"
	beingDeleted = "is being deleted"
)
