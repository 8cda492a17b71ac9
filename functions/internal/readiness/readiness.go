// Package readiness determines the readiness of a graph from the health of its composed resources, and reports what it waits for.
package readiness

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// Readiness of a graph.
type Readiness struct {
	// failed says that a part of the graph will not become ready by itself.
	failed bool

	// unready says that something is not ready.
	unready bool

	// services and others are what is not ready, with the reason: workloads, and all other objects.
	services, others []string

	// notes may explain why something is not ready.
	notes []string
}

// Ready reports whether everything is ready.
func (r *Readiness) Ready() bool { return !r.unready }

// Add the health of an object that runs a service or none. name is the kind and name of the object.
func (r *Readiness) Add(h health.Health, service, name string) {
	r.unready = r.unready || !h.Ready
	r.failed = r.failed || h.Failed
	switch {
	case h.Note != "":
		r.notes = append(r.notes, name+": "+h.Note)
	case h.Message == "":
	case service != "":
		r.services = append(r.services, service+": "+name+": "+h.Message)
	default:
		r.others = append(r.others, name+": "+h.Message)
	}
}

// AddService adds what a service waits for in addition to the objects that run it.
func (r *Readiness) AddService(service, message string) {
	r.unready = true
	r.services = append(r.services, service+": "+message)
}

// AddServices adds what services of a PodCliqueSet wait for.
func (r *Readiness) AddServices(services map[string]workload.Workload) {
	for service, w := range services {
		for _, message := range w.Waiting {
			r.services = append(r.services, service+": "+message)
		}
	}
}

// State of the graph in one word. A graph is initializing until the chain has run for the first time, which is the default of the API.
func (r *Readiness) State() v1alpha1.State {
	switch {
	case !r.unready:
		return v1alpha1.StateSuccessful
	case r.failed:
		return v1alpha1.StateFailed
	default:
		return v1alpha1.StatePending
	}
}

// EventsDropped describes the effect of Crossplane's open circuit breaker on a graph.
const EventsDropped = "Crossplane is dropping events of this graph because there were too many, " +
	"and applies changes up to 15 seconds late until it stops"

// Condition ServicesReady contains what is not ready, with the reasons, sorted: first workloads, then everything else. Notes alone are not
// a reason.
func (r *Readiness) Condition(req *fnv1.RunFunctionRequest) condition.Observed {
	var messages []string
	if condition.Unresponsive(req) {
		messages = append(messages, EventsDropped)
	}
	if !r.unready {
		return condition.Observed{
			Type: condition.TypeServicesReady, Status: string(corev1.ConditionTrue), Reason: condition.ReasonAllServicesReady, Message: condition.Join(messages),
		}
	}
	for _, part := range [][]string{r.services, r.others, r.notes} {
		messages = append(messages, slices.Sorted(slices.Values(part))...)
	}
	return condition.Observed{
		Type: condition.TypeServicesReady, Status: string(corev1.ConditionFalse), Reason: condition.ReasonSomeServicesNotReady, Message: condition.Join(messages),
	}
}

// Report condition ServicesReady.
func (r *Readiness) Report(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	condition.Repeat(rsp, []condition.Observed{r.Condition(req)})
}

// ObjectsOf services: the service that each runs, by kind and name.
func ObjectsOf(services map[string]workload.Workload) map[string]string {
	objects := map[string]string{}
	for service, w := range services {
		for _, name := range w.Names {
			objects[string(w.Kind)+" "+name] = service
		}
	}
	return objects
}

// NameOf an object is its kind and name.
func NameOf(object *structpb.Struct) string {
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return object.GetFields()["kind"].GetStringValue() + " " + name
}
