// Package retain keeps objects for as long as pods use them.
//
// Crossplane deletes objects that are no longer desired before it applies the others. An object that pods refer to would be
// deleted before the first of those pods is replaced. So a step retains such an object: it continues to desire the observed
// object, exactly as it was applied, until
//
//   - no observed pod template refers to it,
//   - no workload of the graph is replacing pods of an earlier template, and
//   - no workload of the graph is being deleted.
//
// After that, the step no longer desires the object, and Crossplane deletes it. A ComputeDomain, a Usage and a PodGroup belong to
// individual workloads and only wait for those.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go
package retain

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// Keeper retains the objects of one step in one call.
type Keeper struct {
	call         *step.Call
	requirements *require.Requirements

	// workloads that are observed; empty until they have been read.
	workloads []workload
	read      bool
}

// New keeper. Its requirements are written together with those of the step.
func New(call *step.Call, requirements *require.Requirements) *Keeper {
	return &Keeper{call: call, requirements: requirements}
}

// Keep the objects that are observed under the step's own keys, not desired, and still in use. Call it after the step has set all
// of its desired objects.
func (k *Keeper) Keep(own func(key string) bool) error {
	observed := k.call.Request.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		if _, isDesired := k.call.Response.GetDesired().GetResources()[key]; isDesired || !own(key) {
			continue
		}
		object := observed[key].GetResource()
		held, err := k.holds(object)
		if err != nil {
			return errors.Wrapf(err, "cannot determine whether pods still use composed resource %s", key)
		}
		if held == notHeld {
			continue
		}
		Retain(k.call, names.Resource(key), object)
		if held == temporarily {
			step.Hurry(k.call.Response)
		}
	}
	return nil
}

// Retain an observed object: desire it exactly as Crossplane applied it.
func Retain(call *step.Call, key names.Resource, observed *structpb.Struct) {
	response.SetStruct(call.Response, key, applied.Kept(observed))
}

// UsesAccount reports whether pods may still run as a ServiceAccount.
func (k *Keeper) UsesAccount(name string) (bool, error) {
	u := referencedBy(func(t *template) bool { return t.serviceAccount == name })
	held, err := k.heldByObserved(u)
	if err == nil && held == notHeld {
		held, err = k.heldByTerminating(u)
	}
	if held == temporarily {
		step.Hurry(k.call.Response)
	}
	return held != notHeld, err
}
