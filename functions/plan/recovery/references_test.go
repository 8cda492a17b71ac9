package recovery

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// TestOthersWroteReferences shows when references that are there may be too few.
func TestOthersWroteReferences(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	crossplanes := entry("apiextensions.crossplane.io/composite", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}`)
	users := entry("kubectl-replace", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}`)
	legacy := entry("kubectl-replace", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:resourceRefs":{}}}`)
	edited := entry("kubectl-edit", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:services":{}}}`)
	cases := map[string]struct {
		reason     string
		managers   []metav1.ManagedFieldsEntry
		generation int64
		want       bool
	}{
		"Replaced":       {reason: "Older references were restored.", managers: []metav1.ManagedFieldsEntry{users}, generation: 4, want: true},
		"ReplacedLegacy": {reason: "Older references of a legacy composite resource, which has them in another field, were restored.", managers: []metav1.ManagedFieldsEntry{crossplanes, legacy}, generation: 4, want: true},
		"CarriedOut":     {reason: "Restored references have taken effect once a later run has completed.", managers: []metav1.ManagedFieldsEntry{crossplanes, users}, generation: 3},
		"Edited":         {reason: "A change of anything else leaves the references to Crossplane.", managers: []metav1.ManagedFieldsEntry{crossplanes, edited}, generation: 4},
		"New":            {reason: "The first references are Crossplane's own.", managers: []metav1.ManagedFieldsEntry{crossplanes}, generation: 4},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: steptest.Object(t, v1alpha1.DynamoGraphDeployment{
				ObjectMeta: metav1.ObjectMeta{Generation: tc.generation, ManagedFields: tc.managers},
				Status:     v1alpha1.DynamoGraphDeploymentStatus{ObservedGeneration: 3},
			})}}
			state, err := observed.Of(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := othersWroteReferences(state); got != tc.want {
				t.Errorf("%s\nothersWroteReferences(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
