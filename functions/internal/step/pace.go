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

// Pace makes Crossplane run the pipeline again after PendingTTL at most if the graph has changed of late, and after
// UnresponsiveTTL at most while Crossplane's circuit breaker drops its events.
func Pace(rsp *fnv1.RunFunctionResponse, req *fnv1.RunFunctionRequest, now time.Time) {
	switch {
	case condition.Unresponsive(req):
		shorten(rsp, UnresponsiveTTL)
	case now.Sub(lastChange(req)) < settling:
		shorten(rsp, PendingTTL)
	}
}

// lastChange of the composite resource by anyone, as its managed fields tell. The zero time if they do not.
func lastChange(req *fnv1.RunFunctionRequest) time.Time {
	var last time.Time
	for _, entry := range managed.Fields(req.GetObserved().GetComposite().GetResource()) {
		changed, err := time.Parse(time.RFC3339, entry.GetStructValue().GetFields()["time"].GetStringValue())
		if err == nil && changed.After(last) {
			last = changed
		}
	}
	return last
}

// shorten the time after which Crossplane runs the pipeline again.
func shorten(rsp *fnv1.RunFunctionResponse, ttl time.Duration) {
	if rsp.GetMeta().GetTtl().AsDuration() > ttl {
		rsp.Meta.Ttl = durationpb.New(ttl)
	}
}
