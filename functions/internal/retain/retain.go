// Package retain keeps objects for as long as pods use them.
//
// Crossplane deletes what is no longer desired before it applies the rest, so that an object which pods refer to is gone
// before the first of them is replaced by one that does not. A step therefore retains what it no longer desires: it desires
// the observed object once more, exactly as it was applied, until
//
//   - no observed pod template refers to it,
//   - no workload of the graph still replaces pods of an earlier template, and
//   - no workload of the graph is still being deleted.
//
// Then the object is left out, and Crossplane deletes it. A ComputeDomain, a Usage and a PodGroup belong to single workloads
// and wait for those only.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go
package retain

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Keeper retains the objects of one step in one call.
type Keeper struct {
	call         *step.Call
	requirements *require.Requirements

	// workloads that are observed, once they have been read.
	workloads []workload
	read      bool
}

// New keeper. What it asks for is written with the step's own requirements.
func New(call *step.Call, requirements *require.Requirements) *Keeper {
	return &Keeper{call: call, requirements: requirements}
}

// Keep what is observed under keys that are the step's own, is not desired, and is still in use. Call it when everything else
// that the step desires is desired.
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
		if held == nowise {
			continue
		}
		Retain(k.call, resource.Name(key), object)
		if held == temporarily {
			step.Hurry(k.call.Response)
		}
	}
	return nil
}

// Retain an observed object: desire it exactly as Crossplane applied it.
func Retain(call *step.Call, key resource.Name, observed *structpb.Struct) {
	object, ok := applied.Of(observed)
	if !ok {
		// To own all its fields for a while changes nothing, and to lose it would.
		object = applied.Whole(observed)
	}
	desired.SetStruct(call.Response, key, object)
}

// UsesAccount reports whether pods may still run as a ServiceAccount.
func (k *Keeper) UsesAccount(name string) (bool, error) {
	u := referred(func(t *template) bool { return t.serviceAccount == name })
	held, err := k.heldByObserved(u)
	if err == nil && held == nowise {
		held, err = k.heldByLeaving(u)
	}
	if held != nowise {
		step.Hurry(k.call.Response)
	}
	return held != nowise, err
}
