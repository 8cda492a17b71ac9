// Package readiness determines the readiness of a graph from the health of its composed resources, and reports what it waits for.
package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// Readiness of a graph.
type Readiness struct {
	// failed says that a part of the graph will not become ready by itself.
	failed bool

	// unready says that something is not ready.
	unready bool

	// set is the name of the PodCliqueSet whose components are among components. Empty if there is none.
	set string

	// components and others are what is not ready, and why: workloads, and all other objects.
	components, others []string

	// waiting are the names of the components that are not ready.
	waiting map[string]bool

	// reason of condition ServicesReady as far as components are concerned, and otherReason for everything else. Empty if there is none.
	reason, otherReason string

	// notes may explain why something is not ready.
	notes []string
}

// Ready reports whether everything is ready.
func (r *Readiness) Ready() bool { return !r.unready }

// Add the health of an object that runs a component or none. name is the kind and name of the object.
func (r *Readiness) Add(h health.Health, component, name string) {
	r.unready = r.unready || !h.Ready
	r.failed = r.failed || h.Failed
	if !h.Ready && component != "" {
		r.reason = workload.Combine(r.reason, h.Reason)
		r.waits(component)
	} else if !h.Ready {
		r.otherReason = workload.Combine(r.otherReason, h.Reason)
	}
	switch {
	case h.Note != "":
		r.notes = append(r.notes, name+": "+h.Note)
	case h.Message == "":
	case component != "":
		r.components = append(r.components, component+": "+name+": "+h.Message)
	default:
		r.others = append(r.others, name+": "+h.Message)
	}
}

// AddComponent adds what a component waits for in addition to the objects that run it, for a reason of condition ServicesReady.
func (r *Readiness) AddComponent(component, message, reason string) {
	r.unready = true
	r.reason = workload.Combine(r.reason, reason)
	r.components = append(r.components, component+": "+message)
	r.waits(component)
}

// AddComponents adds what components of a PodCliqueSet wait for.
func (r *Readiness) AddComponents(set string, components map[string]workload.Workload) {
	r.set = set
	for component, w := range components {
		r.reason = workload.Combine(r.reason, w.Reason)
		for _, message := range w.Waiting {
			r.components = append(r.components, component+": "+message)
		}
	}
}

// waits records that a component is not ready.
func (r *Readiness) waits(component string) {
	if r.waiting == nil {
		r.waiting = map[string]bool{}
	}
	r.waiting[component] = true
}

// ReadyOf the components is how many are ready, of how many, such as 3/4. All components of a graph that is ready are, also those of a
// PodCliqueSet whose children are not known.
func (r *Readiness) ReadyOf(components map[string]workload.Workload) string {
	ready := 0
	for name, w := range components {
		if !r.unready || w.Ready && !r.waiting[name] {
			ready++
		}
	}
	return fmt.Sprintf("%d/%d", ready, len(components))
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

// The operator's messages of its condition Ready, of which the last two continue with what is not ready.
// dynamo-operator, August 2026, internal/controller/dgd_workload_result.go and dgd_workload_program.go.
const (
	messageReady   = "All resources are ready"
	messageUnready = "Resources not ready: "
	// messageRolling stands alone with the operator. What the update waits for is added.
	messageRolling = "Rolling update in progress: "
)

// Condition ServicesReady contains what is not ready, with the reasons, sorted: first workloads, then everything else. Notes alone are not
// a reason.
//
// It says what the operator's condition Ready says. Services of a PodCliqueSet follow the name of the set, as there, where the set is
// one resource. What runs the other components is named here by kind and name, and with what it lacks: the operator says of each only
// that the condition Available of an object between the graph and the pods, which does not exist here, is not True.
func (r *Readiness) Condition(req *fnv1.RunFunctionRequest) condition.Observed {
	c := condition.Observed{
		Type: condition.TypeServicesReady, Status: string(corev1.ConditionTrue), Reason: condition.ReasonAllResourcesReady, Message: messageReady,
	}
	if r.unready {
		c.Status, c.Reason = string(corev1.ConditionFalse), cmp.Or(r.reason, r.otherReason, condition.ReasonSomeResourcesNotReady)
		c.Message = messageUnready + condition.Join(r.messages())
		if c.Reason == condition.ReasonRollingUpdate {
			c.Message = messageRolling + condition.Join(r.messages())
		}
	}
	if condition.Unresponsive(req) {
		c.Message += "; " + EventsDropped
	}
	return c
}

// messages on what is not ready.
func (r *Readiness) messages() []string {
	var messages []string
	for _, part := range [][]string{r.components, r.others, r.notes} {
		messages = append(messages, slices.Sorted(slices.Values(part))...)
	}
	if r.set != "" && len(r.components) > 0 {
		messages[0] = r.set + ": " + messages[0]
	}
	return messages
}

// Names reports whether a message of condition ServicesReady says that a component waits.
func Names(message, component string) bool {
	return strings.Contains(message, ": "+component+": ") || strings.Contains(message, "; "+component+": ")
}

// Report condition ServicesReady.
func (r *Readiness) Report(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	condition.Repeat(rsp, []condition.Observed{r.Condition(req)})
}

// ObjectsOf components: the component that each runs, by kind and name.
func ObjectsOf(components map[string]workload.Workload) map[string]string {
	objects := map[string]string{}
	for component, w := range components {
		for _, name := range w.Names {
			objects[string(w.Kind)+" "+name] = component
		}
	}
	return objects
}

// NameOf an object is its kind and name.
func NameOf(object *structpb.Struct) string {
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return object.GetFields()["kind"].GetStringValue() + " " + name
}
