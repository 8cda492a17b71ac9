package recovery

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

// TestOthersWroteReferences shows when references that are there may be too few.
func TestOthersWroteReferences(t *testing.T) {
	const (
		crossplanes = `{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}}`
		users       = `{"manager":"kubectl-replace","operation":"Update","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}}`
		legacy      = `{"manager":"kubectl-replace","operation":"Update","fieldsV1":{"f:spec":{"f:resourceRefs":{}}}}`
		edited      = `{"manager":"kubectl-edit","operation":"Update","fieldsV1":{"f:spec":{"f:services":{}}}}`
	)
	cases := map[string]struct {
		reason     string
		managers   string
		generation string
		want       bool
	}{
		"Replaced":       {reason: "Older references were restored.", managers: users, generation: "4", want: true},
		"ReplacedLegacy": {reason: "Older references of a legacy composite resource, which has them in another field, were restored.", managers: crossplanes + "," + legacy, generation: "4", want: true},
		"CarriedOut":     {reason: "Restored references have taken effect once a later run has completed.", managers: crossplanes + "," + users, generation: "3"},
		"Edited":         {reason: "A change of anything else leaves the references to Crossplane.", managers: crossplanes + "," + edited, generation: "4"},
		"New":            {reason: "The first references are Crossplane's own.", managers: crossplanes, generation: "4"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(
				`{"metadata":{"generation":` + tc.generation + `,"managedFields":[` + tc.managers + `]},"status":{"observedGeneration":3}}`)}}}
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
