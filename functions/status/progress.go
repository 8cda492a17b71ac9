package status

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// progressInterval is how long after a write of the status the next one may come that tells only how far pods have come. Each
// write is an event that Crossplane counts, several times over: it applies the status, updates conditions, and applies the
// status again. A service whose pods start one by one would spend on these what it needs for events of its pods.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/circuit/mapfunc.go
const progressInterval = 10 * time.Second

// paceProgress keeps replica counts, and what services wait for, as they were written a moment ago, unless anything else has
// changed as well, such as which services are ready. What is kept is written with the next call, which comes in time.
func paceProgress(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, now time.Time) {
	composite := req.GetObserved().GetComposite().GetResource()
	written, ok := applied.StatusWritten(composite)
	age := now.Sub(written)
	// A time to come is that of another clock.
	if !ok || age < 0 || age >= progressInterval {
		return
	}
	observed, status := tree.At(composite, "status"), tree.At(rsp.GetDesired().GetComposite().GetResource(), "status")
	services := tree.At(status, "services")
	kept := tree.With(status, structpb.NewStructValue(withCountsOf(tree.At(observed, "services"), services)), "services")
	conditions, same := withMessageOf(condition.OfComposite(req), rsp.GetConditions(), services)
	if !same || !holds(observed, kept) {
		return
	}
	if proto.Equal(kept, status) && slices.EqualFunc(conditions, rsp.GetConditions(), func(a, b *fnv1.Condition) bool { return proto.Equal(a, b) }) {
		return
	}
	rsp.Desired.Composite.Resource = tree.With(rsp.GetDesired().GetComposite().GetResource(), structpb.NewStructValue(kept), "status")
	rsp.Conditions = conditions
	step.Within(rsp, progressInterval-age.Truncate(time.Second))
}

// withCountsOf services as they are observed.
func withCountsOf(observed, services *structpb.Struct) *structpb.Struct {
	for name := range services.GetFields() {
		for _, count := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "scheduledReplicas"} {
			services = tree.With(services, tree.At(observed, name).GetFields()[count], count, name)
		}
	}
	return services
}

// withMessageOf condition ServicesReady as it is observed; ok is false where a condition differs in anything else, or where
// services are waited for that were not, or the other way round.
func withMessageOf(observed []condition.Observed, conditions []*fnv1.Condition, services *structpb.Struct) (kept []*fnv1.Condition, ok bool) {
	for _, c := range conditions {
		before := condition.Find(observed, c.GetType())
		if before == nil {
			return nil, false
		}
		if c.GetType() == condition.TypeServicesReady && c.GetMessage() != before.Message && sameNamed(before.Message, c.GetMessage(), services) {
			c = proto.CloneOf(c)
			c.Message = new(before.Message)
		}
		if *before != condition.Of(c) {
			return nil, false
		}
		kept = append(kept, c)
	}
	return kept, true
}

// sameNamed reports whether two messages say of the same services what these wait for.
func sameNamed(a, b string, services *structpb.Struct) bool {
	for name := range services.GetFields() {
		if strings.Contains(a, name+": ") != strings.Contains(b, name+": ") {
			return false
		}
	}
	return true
}

// holds reports whether fields are observed as they are to be.
func holds(observed, status *structpb.Struct) bool {
	for key, value := range status.GetFields() {
		if !proto.Equal(observed.GetFields()[key], value) {
			return false
		}
	}
	return true
}
