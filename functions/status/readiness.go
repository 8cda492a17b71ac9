package status

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status/health"
)

// readiness of everything that is composed.
type readiness struct {
	// ready says that all of it is.
	ready bool

	// failed says that some of it will not get ready by itself.
	failed bool

	// services and others are what is not ready and why, sorted: first what runs services, then everything else.
	services, others []string

	// notes, sorted, may explain why something is not ready.
	notes []string
}

// markReadiness marks every desired resource that no other function judged.
func markReadiness(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, services map[string]workload.Workload) *readiness {
	r := &readiness{ready: true}
	runs := objectsOf(services)
	desired := rsp.GetDesired().GetResources()
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		resource, observed := desired[key], req.GetObserved().GetResources()[key].GetResource()
		name := nameOf(resource.GetResource())
		if resource.GetReady() == fnv1.Ready_READY_UNSPECIFIED && key == string(names.KeyPodCliqueSet) {
			r.addServices(services)
			r.add(resource, health.PodCliqueSet(observed, slices.Collect(maps.Values(services))), "", name)
			continue
		}
		r.add(resource, judge(resource, observed), runs[name], name)
	}
	slices.Sort(r.services)
	slices.Sort(r.others)
	slices.Sort(r.notes)
	return r
}

// judge a resource unless another function did.
func judge(desired *fnv1.Resource, observed *structpb.Struct) health.Health {
	switch desired.GetReady() {
	case fnv1.Ready_READY_TRUE:
		return health.Health{Ready: true}
	case fnv1.Ready_READY_FALSE:
		return health.Health{Message: "not ready, says another step"}
	case fnv1.Ready_READY_UNSPECIFIED:
	}
	return health.Of(observed)
}

// add a judgement on a resource, which runs a service or none.
func (r *readiness) add(resource *fnv1.Resource, h health.Health, service, name string) {
	resource.Ready = fnv1.Ready_READY_FALSE
	if h.Ready {
		resource.Ready = fnv1.Ready_READY_TRUE
	}
	r.ready = r.ready && h.Ready
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

// addServices adds what services of a PodCliqueSet wait for.
func (r *readiness) addServices(services map[string]workload.Workload) {
	for service, w := range services {
		for _, message := range w.Waiting {
			r.services = append(r.services, service+": "+message)
		}
	}
}

// objectsOf services: the service that each runs, by kind and name.
func objectsOf(services map[string]workload.Workload) map[string]string {
	objects := map[string]string{}
	for service, w := range services {
		for _, name := range w.Names {
			objects[string(w.Kind)+" "+name] = service
		}
	}
	return objects
}

func nameOf(object *structpb.Struct) string {
	name := object.GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue()
	return object.GetFields()["kind"].GetStringValue() + " " + name
}

// eventsDropped tells what an open circuit breaker of Crossplane means for a graph.
const eventsDropped = "Crossplane drops events of this graph because there were too many: " +
	"until it stops doing so, changes are carried out up to 15 seconds late"

// report what is not ready and why. Notes alone are no reason.
func (r *readiness) report(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	var dropped []string
	if condition.Unresponsive(req) {
		dropped = []string{eventsDropped}
	}
	if r.ready {
		condition.True(rsp, condition.TypeServicesReady, condition.ReasonAllServicesReady, condition.Join(dropped))
		return
	}
	condition.False(rsp, condition.TypeServicesReady, condition.ReasonSomeServicesNotReady,
		condition.Join(slices.Concat(dropped, r.services, r.others, r.notes)))
}
