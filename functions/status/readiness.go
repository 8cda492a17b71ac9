package status

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/rollout"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// markReadiness marks every desired resource whose readiness no other function has set.
func markReadiness(
	req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, p *graphplan.Plan,
	components map[string]workload.Workload, rollouts map[string]rollout.Rollout,
) *readiness.Readiness {
	r := &readiness.Readiness{}
	runs := readiness.ObjectsOf(components)
	desired := rsp.GetDesired().GetResources()
	created, changed := len(req.GetObserved().GetResources()) == 0, edited(req) || restart.Advances(req, p)
	for _, key := range slices.Sorted(maps.Keys(desired)) {
		resource, observed := desired[key], req.GetObserved().GetResources()[key].GetResource()
		if created {
			// Crossplane creates all objects of a new graph before it writes the status. What is reported for a created object is still
			// true in the next reconcile, which then has no status to write and does not trigger another one.
			observed = tree.With(resource.GetResource(), structpb.NewNumberValue(1), "generation", "metadata")
		}
		name := readiness.NameOf(resource.GetResource())
		var h health.Health
		if resource.GetReady() == fnv1.Ready_READY_UNSPECIFIED && key == string(names.KeyPodCliqueSet) {
			r.AddComponents(tree.Text(resource.GetResource(), "name", "metadata"), components)
			h = health.PodCliqueSet(observed, slices.Collect(maps.Values(components)))
		} else {
			h = judge(resource, observed)
		}
		if changed {
			h = afterChange(h, resource.GetResource(), observed)
		}
		r.Add(h, runs[name], name)
		resource.Ready = h.Mark()
	}
	addRollouts(r, rsp, rollouts)
	addQuota(r, p, components)
	return r
}

// judge the health of a resource, unless another function has set its readiness.
func judge(desired *fnv1.Resource, observed *structpb.Struct) health.Health {
	switch desired.GetReady() {
	case fnv1.Ready_READY_TRUE:
		return health.Health{Ready: true}
	case fnv1.Ready_READY_FALSE:
		if tree.Text(desired.GetResource(), "kind") == snapshotv1alpha1.KindJob {
			return health.Health{Message: "pods are created once it has stored the state of its pod"}
		}
		return health.Health{Message: "another step of the pipeline reports that it is not ready"}
	case fnv1.Ready_READY_UNSPECIFIED:
	}
	return health.Of(observed)
}
