// Package workload judges what runs a service, a kind a file: how many replicas there are, and whether they do their work.
package workload

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// Workload is all that runs one service.
type Workload struct {
	Kind v1alpha1.ComponentKind

	// Names of the objects that run the service, sorted; while there are none, the name of the first to come.
	Names []string

	// Counts of all objects together.
	Counts Counts

	// Ready says that all wanted replicas are there, are of the wanted revision and do their work.
	Ready bool

	// Settled says that no change is still on its way to the service. A rolling update of a PodCliqueSet reaches its cliques
	// one after the other, and one that it has not reached yet looks as ready as one that it has left.
	Settled bool

	// Failed says that the service will not get ready by itself.
	Failed bool

	// Waiting says, sorted, which objects are not ready and why. Empty when the service is ready.
	Waiting []string

	// Reason of condition ServicesReady if nothing but this service were not ready. Empty when the service is ready.
	Reason string
}

// Counts of replicas. What a kind does not count is nil.
type Counts struct {
	Replicas, Updated           int32
	Ready, Available, Scheduled *int32
}

// Object is one object that runs a service or a part of it.
type Object struct {
	Counts

	// Done says that the object does its work.
	Done bool

	// Failed says that it will not do so by itself.
	Failed bool

	// Message says what the object waits for. Empty when it is done.
	Message string

	// Detail is what Grove says besides, such as an error. Empty: nothing.
	Detail string

	// Reason of condition ServicesReady if nothing but this object were not ready. Empty when it is done.
	Reason string
}

// Of is the workload of each of the services, as the plan knows what Grove has made, and as the composed resources are observed.
func Of(g *graph.Graph, p *graphplan.Plan, resources map[string]*fnv1.Resource, services ...string) map[string]Workload {
	// One PodCliqueSet runs all of them.
	var set PodCliqueSet
	if p.Orchestrator == graphplan.Grove {
		set = PodCliqueSetOf(find(resources, names.KeyPodCliqueSet))
	}
	all := map[string]Workload{}
	for _, service := range services {
		spec := g.Spec.Services[service]
		switch {
		case p.Orchestrator == graphplan.Grove:
			all[service] = onGrove(g, p, service, set)
		case p.Orchestrator == graphplan.LeaderWorkerSet && pod.IsMultinode(&spec):
			all[service] = onLeaderWorkerSets(g, service, pod.Replicas(&spec), resources)
		default:
			all[service] = onDeployment(g, service, resources)
		}
	}
	return all
}

// add an object to what runs a service.
func (w *Workload) add(name string, o Object) {
	w.Names = append(w.Names, name)
	w.Counts.add(o.Counts)
	w.Ready = w.Ready && o.Done
	w.Failed = w.Failed || o.Failed
	if !o.Done {
		w.Await(w.describe(name, o), o.Reason)
	}
}

// Await makes the service wait for something, for a reason of condition ServicesReady. Reasons are mixed only if they are those of
// different services, so the first one stays, unless a rolling update is in progress.
func (w *Workload) Await(message, reason string) {
	w.Ready = false
	w.Waiting = append(w.Waiting, message)
	slices.Sort(w.Waiting)
	if w.Reason == "" || reason == condition.ReasonRollingUpdate {
		w.Reason = reason
	}
}

// describe what an object that is not done waits for. The operator says of a child of Grove only what it lacks. The name of the child,
// and what Grove says of it, follow in parentheses, so that what matches the operator's text matches here.
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

// Status of the service.
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

// CountFields are the fields of the status of a service with its counts. What is not counted is left out.
func CountFields() []string {
	return []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "scheduledReplicas"}
}

func find[K ~string](resources map[string]*fnv1.Resource, key K) *structpb.Struct {
	return resources[string(key)].GetResource()
}

// waits is the judgement on an object that is not done. Only of children of Grove does the operator tell why.
func waits(counts Counts, message string) Object {
	return waitsFor(condition.ReasonSomeResourcesNotReady, counts, message)
}

// waitsFor is the judgement on an object that is not done for a reason of condition ServicesReady.
func waitsFor(reason string, counts Counts, message string) Object {
	return Object{Counts: counts, Message: message, Reason: reason}
}

// Messages on what is not there, and on what soon will not be.
const (
	notCreated   = "not created yet"
	beingDeleted = "is being deleted"
)
