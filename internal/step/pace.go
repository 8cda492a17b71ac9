package step

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
)

// settling is how long a graph counts as changed after its last change. It is longer than the time for which Crossplane's circuit breaker
// stays open. Meanwhile Crossplane drops events, and the composite resource only shows it after the pipeline has run again.
const settling = 6 * time.Minute

// Pace makes Crossplane run the pipeline again after at most PendingTTL if the graph, or anything on which it depends, has changed
// recently, and after at most UnresponsiveTTL while Crossplane's circuit breaker drops its events.
func Pace(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, now time.Time) {
	switch {
	case condition.Unresponsive(req):
		Within(rsp, UnresponsiveTTL)
	case changedSince(req, now.Add(-settling)):
		Within(rsp, PendingTTL)
	}
}

// changedSince reports whether the composite resource, or an object whose events reach it, has changed after a time. This includes fields
// of these objects that are not used, because their events may open the circuit breaker without a change of the graph.
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

// Within a time at most, Crossplane runs the pipeline again.
func Within(rsp *fnv1.RunFunctionResponse, ttl time.Duration) {
	if rsp.GetMeta().GetTtl().AsDuration() > ttl {
		rsp.Meta.Ttl = durationpb.New(ttl)
	}
}
