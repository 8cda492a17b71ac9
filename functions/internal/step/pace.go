package step

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/managed"
)

// settling is how long a graph counts as changed after its last change: longer than Crossplane's circuit breaker stays open.
// While that is open Crossplane drops events, and the composite resource says so only once the pipeline has run again.
const settling = 6 * time.Minute

// Pace makes Crossplane run the pipeline again after PendingTTL at most if the graph, or anything that it depends on, has changed
// of late, and after UnresponsiveTTL at most while Crossplane's circuit breaker drops its events.
func Pace(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, now time.Time) {
	switch {
	case condition.Unresponsive(req):
		Within(rsp, UnresponsiveTTL)
	case changedSince(req, now.Add(-settling)):
		Within(rsp, PendingTTL)
	}
}

// changedSince reports whether anyone has changed the composite resource, or an object whose events reach it, after a time. What
// nobody reads of these objects counts as well: their events may open the circuit breaker without a change of the graph.
func changedSince(req *fnv1.RunFunctionRequest, since time.Time) bool {
	if managed.LastChange(req.GetObserved().GetComposite().GetResource()).After(since) {
		return true
	}
	for _, composed := range req.GetObserved().GetResources() {
		if managed.LastChange(composed.GetResource()).After(since) {
			return true
		}
	}
	for _, required := range req.GetRequiredResources() {
		for _, item := range required.GetItems() {
			if managed.LastChange(item.GetResource()).After(since) {
				return true
			}
		}
	}
	return false
}

// Within this time at most Crossplane runs the pipeline again.
func Within(rsp *fnv1.RunFunctionResponse, ttl time.Duration) {
	if rsp.GetMeta().GetTtl().AsDuration() > ttl {
		rsp.Meta.Ttl = durationpb.New(ttl)
	}
}
