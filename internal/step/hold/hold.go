// Package hold ends a pipeline without a Fatal result if a Fatal would leave condition Ready with a wrong value.
//
// After a Fatal, Crossplane applies the conditions that functions returned, but its own condition Ready keeps the value of the
// last run that succeeded. A graph whose edit is refused would stay ready, whatever happens to its pods, because only a run that
// succeeds changes Ready. So when Ready has to change, one run succeeds: it desires every observed object exactly as it was
// applied, which changes and deletes nothing, and reports what the Fatal would have reported. The next run is Fatal again, so
// Crossplane's condition Synced is False while the spec is not applied.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/reconciler.go#L780
package hold

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// reasonFatal is the reason of conditions that Crossplane set to Unknown because the last run failed and no function returned
// them. A step that returns a Fatal returns all conditions, so in that case it was Crossplane that failed.
const reasonFatal = "FatalError"

// Needed reports whether condition Ready has to change and this run should try to change it. A run is held once for each message of
// condition ServicesReady. If the API server then refuses objects that it accepted before, the following runs are Fatal and keep
// the other conditions up to date.
func Needed(req *fnv1.RunFunctionRequest, o *readiness.Observation) bool {
	if o == nil {
		return false
	}
	ready := condition.Ready(req)
	if (ready != nil && ready.Status == string(corev1.ConditionTrue)) == o.Ready() {
		return false
	}
	reported := condition.Find(condition.OfComposite(req), condition.TypeServicesReady)
	return reported == nil || reported.Reason != reasonFatal && *reported != o.Condition(req)
}

// Graph holds a graph unchanged, and reports the reason. It returns false and does not change the response if it cannot be sure that
// nothing would change: if an object to which the composite resource refers is not observed, because Crossplane would drop the reference;
// if an object is being deleted, because Crossplane could create it again; and if managedFields do not show what Crossplane applied.
func Graph(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, o *readiness.Observation, why error) bool {
	if len(o.Missing) > 0 {
		return false
	}
	state, ok := stateOf(req, o)
	if !ok {
		return false
	}
	held := &fnv1.RunFunctionResponse{Desired: state, Context: rsp.GetContext()}
	if err := graphplan.Write(held, graphplan.Hold(why.Error())); err != nil {
		return false
	}
	rsp.Desired, rsp.Context = held.GetDesired(), held.GetContext()
	response.Warning(rsp, condition.ReasonHeld, why.Error())
	return true
}

// Observed adds everything that is observed and that a response does not desire, as it was applied, as far as that is known. The graph stays as
// ready as it was. It is for a response that should never be applied: unlike Graph, it does not have to be sure that nothing changes, because
// what is not desired would be deleted.
func Observed(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, why string) {
	composite := req.GetObserved().GetComposite().GetResource()
	status, ok := applied.StatusOf(composite)
	if !ok {
		status = &structpb.Struct{Fields: maps.Clone(tree.At(composite, "status").GetFields())}
		delete(status.GetFields(), "conditions")
	}
	ready := fnv1.Ready_READY_FALSE
	if c := condition.Ready(req); c != nil && c.Status == string(corev1.ConditionTrue) {
		ready = fnv1.Ready_READY_TRUE
	}
	state := withStatus(req, status, ready)
	maps.Copy(state.GetResources(), rsp.GetDesired().GetResources())
	for key, resource := range req.GetObserved().GetResources() {
		if state.GetResources()[key] != nil || require.IsDeleting(resource.GetResource()) {
			continue
		}
		state.Resources[key] = &fnv1.Resource{Resource: applied.Kept(resource.GetResource())}
	}
	rsp.Desired = state
	response.Warning(rsp, condition.ReasonHeld, why)
}

// withStatus is the state of a held graph without its objects.
func withStatus(req *fnv1.RunFunctionRequest, status *structpb.Struct, ready fnv1.Ready) *fnv1.State {
	return &fnv1.State{
		Composite: &fnv1.Resource{
			Resource:          &structpb.Struct{Fields: map[string]*structpb.Value{"status": structpb.NewStructValue(status)}},
			ConnectionDetails: req.GetDesired().GetComposite().GetConnectionDetails(),
			Ready:             ready,
		},
		Resources: map[string]*fnv1.Resource{},
	}
}

// stateOf a held graph.
func stateOf(req *fnv1.RunFunctionRequest, o *readiness.Observation) (*fnv1.State, bool) {
	observed := req.GetObserved().GetComposite()
	status, ok := applied.StatusOf(observed.GetResource())
	if !ok || update(status, o) != nil {
		return nil, false
	}
	ready := fnv1.Ready_READY_FALSE
	if o.Ready() {
		ready = fnv1.Ready_READY_TRUE
	}
	state := withStatus(req, status, ready)
	for key, resource := range req.GetObserved().GetResources() {
		object, ok := applied.Exactly(resource.GetResource())
		if !ok || require.IsDeleting(resource.GetResource()) {
			return nil, false
		}
		state.Resources[key] = &fnv1.Resource{Resource: object, Ready: o.Marks[key]}
	}
	return state, true
}

// update the observed part of the status. The rest describes the last spec that was applied.
func update(status *structpb.Struct, o *readiness.Observation) error {
	status.Fields["state"] = structpb.NewStringValue(string(o.State()))
	components, key := map[string]*structpb.Value{}, graph.KeyIn(status)
	maps.Copy(components, status.GetFields()[key].GetStructValue().GetFields())
	for name, w := range o.Components {
		now, err := structs.Of(w.Status())
		if err != nil {
			return errors.Wrapf(err, "cannot encode the status of component %s", name)
		}
		if key == graph.Components.Key() {
			// One of its componentNames, and no field of a component.
			delete(now.GetFields(), "componentName")
		}
		fields := map[string]*structpb.Value{}
		maps.Copy(fields, components[name].GetStructValue().GetFields())
		for _, count := range workload.CountFields() {
			delete(fields, count)
		}
		maps.Copy(fields, now.GetFields())
		components[name] = structpb.NewStructValue(&structpb.Struct{Fields: fields})
	}
	if len(o.Components) > 0 {
		status.Fields["readyComponents"] = structpb.NewStringValue(o.ReadyOf(o.Components))
	}
	if len(components) > 0 {
		status.Fields[key] = structpb.NewStructValue(&structpb.Struct{Fields: components})
	}
	return nil
}
