package scaling

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestScaledByOthers(t *testing.T) {
	replicas, others := metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`), metav1.NewFieldsV1(`{"f:spec":{"f:paused":{}},"f:status":{"f:replicas":{}}}`)
	object := func(entries ...metav1.ManagedFieldsEntry) *structpb.Struct {
		return steptest.Struct(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ManagedFields: entries}})
	}
	crossplane := metav1.ManagedFieldsEntry{Manager: "apiextensions.crossplane.io/composed/a", Operation: "Apply", FieldsV1: replicas}
	cases := map[string]struct {
		reason   string
		observed *structpb.Struct
		want     bool
	}{
		"Nothing":    {reason: "What does not exist has no owner."},
		"NoOwners":   {reason: "An object that does not name its managers has no owner.", observed: resource.MustStructJSON(`{"metadata":{}}`)},
		"Crossplane": {reason: "What Crossplane applies is ours.", observed: object(crossplane)},
		"Autoscaler": {
			reason:   "An autoscaler updates the scale.",
			observed: object(crossplane, metav1.ManagedFieldsEntry{Manager: "kube-controller-manager", Operation: "Update", Subresource: "scale", FieldsV1: replicas}),
			want:     true,
		},
		"OtherField": {
			reason:   "A client that updates another field does not own the replicas.",
			observed: object(metav1.ManagedFieldsEntry{Manager: "kube-controller-manager", Operation: "Update", FieldsV1: others}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := scaledByOthers(tc.observed); got != tc.want {
				t.Errorf("%s\nscaledByOthers(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
