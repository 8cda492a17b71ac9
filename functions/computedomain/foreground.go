package computedomain

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// deleteInForeground makes Kubernetes delete the workloads that protect a domain after their pods. A Usage protects the domain as long as
// the workload exists, and pods take time to terminate. The garbage collector, which deletes the workloads of a deleted graph, respects
// this finalizer. Only the workload has the finalizer, so no pod changes.
// https://kubernetes.io/docs/concepts/architecture/garbage-collection/#foreground-deletion
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/garbagecollector/garbagecollector.go#L643
func deleteInForeground(call *step.Call) error {
	resources := call.Response.GetDesired().GetResources()
	keys := map[workload]string{}
	for key, r := range resources {
		keys[identityOf(r.GetResource())] = key
	}
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		if !names.IsUsage(key) {
			continue
		}
		usage := &protectionv1beta1.Usage{}
		if err := require.Into(resources[key].GetResource(), usage); err != nil {
			return errors.Wrapf(err, "cannot read which workload desired resource %s refers to", key)
		}
		user, isDesired := keys[userOf(usage)]
		if !isDesired {
			continue
		}
		held := proto.CloneOf(resources[user])
		if err := addFinalizer(held.GetResource()); err != nil {
			return errors.Wrapf(err, "cannot add a finalizer to desired resource %s", user)
		}
		resources[user] = held
	}
	return nil
}

func identityOf(object *structpb.Struct) workload {
	fields := object.GetFields()
	return workload{
		apiVersion: fields["apiVersion"].GetStringValue(),
		kind:       fields["kind"].GetStringValue(),
		name:       fields["metadata"].GetStructValue().GetFields()["name"].GetStringValue(),
	}
}

// userOf the object that a Usage protects.
func userOf(usage *protectionv1beta1.Usage) workload {
	by := usage.Spec.By
	if by == nil || by.ResourceRef == nil {
		return workload{}
	}
	return workload{apiVersion: by.APIVersion, kind: by.Kind, name: by.ResourceRef.Name}
}

func addFinalizer(object *structpb.Struct) error {
	meta, err := objectAt(object, "metadata")
	if err != nil {
		return err
	}
	finalizer := structpb.NewStringValue(metav1.FinalizerDeleteDependents)
	before := meta.GetFields()["finalizers"].GetListValue().GetValues()
	if slices.ContainsFunc(before, func(value *structpb.Value) bool { return proto.Equal(value, finalizer) }) {
		return nil
	}
	meta.Fields["finalizers"] = structpb.NewListValue(&structpb.ListValue{Values: append(before, finalizer)})
	return nil
}
