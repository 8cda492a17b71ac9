package workload

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// onGrove is a service that is a clique or a scaling group of the PodCliqueSet.
func onGrove(g *graph.Graph, p *graphplan.Plan, service string, observed map[string]*fnv1.Resource) Workload {
	set := ReadPodCliqueSet(find(observed, names.KeyPodCliqueSet))
	spec := g.Spec.Services[service]
	w := Workload{Kind: v1alpha1.ComponentKindPodClique, Ready: true, Settled: set.Settled()}
	judge := PodClique
	if pod.IsMultinode(&spec) {
		w.Kind, judge = v1alpha1.ComponentKindPodCliqueScalingGroup, PodCliqueScalingGroup
	}
	child, ok := p.Children[service]
	if !ok {
		// The PodCliqueSet knows whether all its cliques are up.
		o := judge(graphplan.Child{})
		o.Done, o.Message = set.Settled() && set.available, notCreated
		w.add(g.Names().GroveChild(service), o)
		return w
	}
	w.add(child.Name, judge(child))
	return w
}

// PodClique is done when Grove has seen its latest generation and all its pods are updated and ready.
func PodClique(c graphplan.Child) Object {
	return child(c, Counts{Ready: new(c.ReadyReplicas)}, c.ReadyReplicas, "ready")
}

// PodCliqueScalingGroup is done when Grove has seen its latest generation and all its replicas are updated and available.
func PodCliqueScalingGroup(c graphplan.Child) Object {
	return child(c, Counts{Available: new(c.AvailableReplicas)}, c.AvailableReplicas, "available")
}

// child judges by counts. Grove's conditions are no measure: up to v0.1.0-alpha.11 MinAvailableBreached is False while
// nothing is even scheduled.
func child(c graphplan.Child, counts Counts, up int32, adjective string) Object {
	counts.Replicas, counts.Updated, counts.Scheduled = c.Replicas, c.UpdatedReplicas, new(c.ScheduledReplicas)
	var message string
	switch wanted := c.SpecReplicas; {
	case c.ObservedGeneration == nil:
		message = "Grove has not seen it yet"
	case *c.ObservedGeneration < c.Generation:
		message = "Grove has not seen its latest change yet"
	case up < wanted:
		message = fmt.Sprintf("%d of %d replicas are %s", up, wanted, adjective)
	case c.UpdatedReplicas < wanted:
		message = fmt.Sprintf("%d of %d replicas are updated", c.UpdatedReplicas, wanted)
	case c.Replicas != wanted:
		message = fmt.Sprintf("%d replicas exist and %d are wanted", c.Replicas, wanted)
	default:
		return Object{Counts: counts, Done: true}
	}
	if c.Trouble != "" {
		message += ", " + c.Trouble
	}
	return waits(counts, message)
}

// PodCliqueSet is what is said of the set as a whole.
type PodCliqueSet struct {
	// Message says what holds up the set itself. Empty: nothing does.
	Message string

	// Shortage says how many replicas of the set are up while not all are.
	Shortage string

	available bool
}

// Settled says that Grove has carried out the latest change of the set.
func (s *PodCliqueSet) Settled() bool { return s.Message == "" }

// ReadPodCliqueSet judges an observed set.
func ReadPodCliqueSet(observed *structpb.Struct) PodCliqueSet {
	if observed == nil {
		return PodCliqueSet{Message: notCreated}
	}
	set := &grovev1alpha1.PodCliqueSet{}
	if err := require.Into(observed, set); err != nil {
		return PodCliqueSet{Message: "cannot be read: " + err.Error()}
	}
	status := set.Status
	switch {
	case status.ObservedGeneration == nil:
		return PodCliqueSet{Message: "Grove has not seen it yet"}
	case *status.ObservedGeneration < set.Generation:
		return PodCliqueSet{Message: "Grove has not seen its latest change yet"}
	case len(status.LastErrors) > 0:
		return PodCliqueSet{Message: "Grove reports: " + cmp.Or(status.LastErrors[0].Description, status.LastErrors[0].Code, "an error")}
	case updating(status.UpdateProgress) || updating(status.RollingUpdateProgress):
		return PodCliqueSet{Message: "a rolling update is under way"}
	case status.AvailableReplicas < set.Spec.Replicas:
		return PodCliqueSet{Shortage: fmt.Sprintf("%d of %d replicas are available", status.AvailableReplicas, set.Spec.Replicas)}
	default:
		return PodCliqueSet{available: true}
	}
}

func updating(progress *grovev1alpha1.UpdateProgress) bool {
	return progress != nil && progress.UpdateEndedAt == nil
}
