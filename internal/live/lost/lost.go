// Package lost treats objects of a graph as observed that Crossplane does not observe.
//
// Crossplane only observes the objects to which the composite resource refers. `kubectl replace`, a restore from a backup, and a GitOps
// tool that replaces objects write the composite resource without these references, or with old ones, while the objects still exist. A step
// that treated them as missing would compose them as new: an autoscaled Deployment would be reset to its initial number of replicas, and
// pods would restart. Therefore step plan looks them up and lists them in the plan, and every step processes a request in which they are
// observed.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go
package lost

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Objects that are lost, by their keys.
type Objects map[string]*structpb.Struct

// Add an object unless Crossplane observes one under its key, or it belongs to another owner or to another step of the Composition.
func (o Objects) Add(req *fnv1.RunFunctionRequest, object *structpb.Struct) {
	annotations := object.GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue()
	key := annotations.GetFields()[metadata.AnnotationCompositionResourceName].GetStringValue()
	if _, known := req.GetObserved().GetResources()[key]; known || !kinds.IsKey(key) || !require.ControlledBy(object, req) {
		return
	}
	if _, found := o[key]; !found {
		o[key] = object
	}
}

// Adopt an object that was not composed for the graph, under the key that it is to have, unless one is observed under that key, or
// another owner controls the object.
func (o Objects) Adopt(req *fnv1.RunFunctionRequest, key string, object *structpb.Struct) {
	_, known := req.GetObserved().GetResources()[key]
	_, controlled := require.Controller(object)
	if known || require.IsDeleting(object) || controlled && !require.ControlledBy(object, req) {
		return
	}
	o[key] = object
}

// List the objects for the plan, sorted by their keys.
func (o Objects) List() []graphplan.LostObject {
	var list []graphplan.LostObject
	for _, key := range slices.Sorted(maps.Keys(o)) {
		fields := o[key].GetFields()
		list = append(list, graphplan.LostObject{
			Key:        key,
			APIVersion: fields["apiVersion"].GetStringValue(),
			Kind:       fields["kind"].GetStringValue(),
			Name:       fields["metadata"].GetStructValue().GetFields()["name"].GetStringValue(),
			Adopted:    !require.IsControlled(o[key]),
		})
	}
	return list
}

// Require the lost objects of a plan by their names. An object that was deleted after the plan was written is left out.
func Require(r *require.Requirements, req *fnv1.RunFunctionRequest, list []graphplan.LostObject, namespace string) Objects {
	objects := Objects{}
	for _, l := range list {
		object, _ := r.Get(require.AnswersIn(req), require.Object{
			Name: "lost-" + l.Key, APIVersion: l.APIVersion, Kind: l.Kind, ObjectName: l.Name, Namespace: namespace,
		})
		switch {
		case object == nil:
		case l.Adopted:
			objects.Adopt(req, l.Key, object)
		default:
			objects.Add(req, object)
		}
	}
	return objects
}

// Observe returns the request in the form that it would have if Crossplane observed the objects. The given request is not changed.
func (o Objects) Observe(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	if len(o) == 0 {
		return req
	}
	resources := maps.Clone(req.GetObserved().GetResources())
	if resources == nil {
		resources = map[string]*fnv1.Resource{}
	}
	for key, object := range o {
		resources[key] = &fnv1.Resource{Resource: object}
	}
	out := &fnv1.RunFunctionRequest{}
	req.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		out.ProtoReflect().Set(field, value)
		return true
	})
	out.Observed = &fnv1.State{Composite: req.GetObserved().GetComposite(), Resources: resources}
	return out
}

// Restore the references to the lost objects that no step desires any more, by desiring them once more without changes. Crossplane then
// observes them, and the next run removes them in the usual order. The objects are observed in the request. Objects that are being deleted
// need no reference.
func Restore(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, list []graphplan.LostObject) {
	for _, l := range list {
		live := req.GetObserved().GetResources()[l.Key].GetResource()
		if _, wanted := rsp.GetDesired().GetResources()[l.Key]; wanted || !observed.Live(live) {
			continue
		}
		response.SetStruct(rsp, names.Resource(l.Key), applied.Kept(live))
		// Nothing waits for an object that will be deleted.
		rsp.GetDesired().GetResources()[l.Key].Ready = fnv1.Ready_READY_TRUE
	}
}
