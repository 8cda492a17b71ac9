package status

import (
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// progressInterval is the minimum time between a write of the status and another one that only shows the progress of pods. Each write is an
// event that counts toward Crossplane's circuit breaker. If the pods of a component start one by one, these writes would use up the events
// that the graph needs for changes of its pods.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/circuit/mapfunc.go
const progressInterval = 10 * time.Second

// change is the extent to which a part of the status differs from the observed status.
type change int

const (
	// unchanged: nothing differs.
	unchanged change = iota
	// progressed: only the progress of pods differs.
	progressed
	// turned: the state of the graph differs as well.
	turned
	// changed: something else differs.
	changed
)

// paceProgress keeps the replica counts, and the messages about what components wait for, if they were written a moment ago. The response
// requests a later call, which writes the current values.
//
// Crossplane first applies the fields of the status, together with the conditions that it read at the beginning, and then updates the
// conditions. If both change, the next run often begins before its cache contains the second write. It then restores the earlier conditions
// and updates them again, and so may many runs after it. Therefore, fields that can wait do not change in the same run as a condition.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/composite/composition_functions.go#L732
func paceProgress(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, now time.Time) {
	composite := req.GetObserved().GetComposite().GetResource()
	written, ok := applied.StatusWritten(composite)
	if !ok {
		return
	}
	conditions := condition.OfComposite(req)
	earlier, fields := compareFields(tree.At(composite, "status"), tree.At(rsp.GetDesired().GetComposite().GetResource(), "status"))
	messages := compareConditions(conditions, rsp.GetConditions(), tree.At(composite, "status", graph.KeyIn(tree.At(composite, "status"))))
	ready := slices.ContainsFunc(rsp.GetConditions(), isReady)

	if left := remaining(now, written.Conditions); messages == progressed && fields <= progressed && left > 0 {
		keepMessage(rsp, conditions)
		step.Within(rsp, left)
		messages = unchanged
	}
	// If the conditions were written after the fields, the fields are written as well, so that both describe the same moment.
	behind := written.Conditions.After(written.Fields)
	if left := remaining(now, written.Fields); fields == progressed && !ready && !behind && left > 0 {
		keepFields(rsp, earlier)
		step.Within(rsp, left)
		return
	}
	if messages != unchanged && (fields == progressed || fields == turned) {
		keepFields(rsp, earlier)
		step.Within(rsp, progressInterval)
	}
}

// remaining is the time for which a part of the status that was written at a time is still kept. A time in the future is from another clock.
func remaining(now, written time.Time) time.Duration {
	age := now.Sub(written).Truncate(time.Second)
	if age < 0 || age >= progressInterval {
		return 0
	}
	return progressInterval - age
}

// stateFields of the status show the state of the graph as a whole.
func stateFields() []string { return []string{"state", "readyComponents"} }

// compareFields of the status with the observed ones. earlier are the fields with the observed state and the observed counts.
func compareFields(observed, fields *structpb.Struct) (earlier *structpb.Struct, by change) {
	if holds(observed, fields) {
		return fields, unchanged
	}
	key := graph.KeyIn(fields)
	components, same := withCountsOf(tree.At(observed, key), tree.At(fields, key))
	earlier = tree.With(fields, structpb.NewStructValue(components), key)
	turns := false
	for _, field := range stateFields() {
		earlier = tree.With(earlier, observed.GetFields()[field], field)
		turns = turns || !tree.EqualValues(observed.GetFields()[field], fields.GetFields()[field])
	}
	switch {
	case !same || !holds(observed, earlier):
		return earlier, changed
	case turns:
		return earlier, turned
	default:
		return earlier, progressed
	}
}

// withCountsOf the observed components. ok is false if other components are observed.
func withCountsOf(observed, components *structpb.Struct) (earlier *structpb.Struct, ok bool) {
	if len(observed.GetFields()) != len(components.GetFields()) {
		return nil, false
	}
	earlier = components
	for name := range components.GetFields() {
		for _, count := range workload.CountFields() {
			earlier = tree.With(earlier, tree.At(observed, name).GetFields()[count], count, name)
		}
	}
	return earlier, true
}

// holds reports whether the observed fields have the desired values.
func holds(observed, fields *structpb.Struct) bool {
	for key, value := range fields.GetFields() {
		if !tree.EqualValues(observed.GetFields()[key], value) {
			return false
		}
	}
	return true
}

// compareConditions of this step with the observed ones, given the components of the graph.
func compareConditions(observed []condition.Observed, conditions []*fnv1.Condition, components *structpb.Struct) change {
	by := unchanged
	for _, c := range conditions {
		before, after := condition.Find(observed, c.GetType()), condition.Of(c)
		switch {
		case condition.OfPlan(c.GetType()):
		case before == nil:
			return changed
		case *before == after:
		case tellsProgress(before, &after, components):
			by = progressed
		default:
			return changed
		}
	}
	return by
}

// tellsProgress reports whether the same components are waiting as before, although possibly for something else. A different reason is progress
// as well, because each stage in which the pods of a component start has its own reason.
func tellsProgress(before, after *condition.Observed, components *structpb.Struct) bool {
	if after.Type != condition.TypeServicesReady || before.Status != after.Status {
		return false
	}
	for name := range components.GetFields() {
		if readiness.Names(before.Message, name) != readiness.Names(after.Message, name) {
			return false
		}
	}
	return true
}

func isReady(c *fnv1.Condition) bool {
	return c.GetType() == condition.TypeServicesReady && c.GetStatus() == fnv1.Status_STATUS_CONDITION_TRUE
}

// keepFields writes earlier fields of the status in this run.
func keepFields(rsp *fnv1.RunFunctionResponse, fields *structpb.Struct) {
	rsp.Desired.Composite.Resource = tree.With(rsp.GetDesired().GetComposite().GetResource(), structpb.NewStructValue(fields), "status")
}

// keepMessage writes the earlier message and reason of condition ServicesReady in this run.
func keepMessage(rsp *fnv1.RunFunctionResponse, observed []condition.Observed) {
	for _, c := range rsp.GetConditions() {
		if c.GetType() == condition.TypeServicesReady {
			before := condition.Find(observed, c.GetType())
			c.Reason, c.Message = before.Reason, new(before.Message)
		}
	}
}
