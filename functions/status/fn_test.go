package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func TestRunFunction(t *testing.T) {
	nothing := with(with(request(planOf()), "podcliqueset", desiredSet(), nil), "service-frontend", desiredComponent(), nil)
	starting := with(with(request(planOf()), "podcliqueset", desiredSet(), startingSet()), "service-frontend", desiredComponent(), desiredComponent())
	ready := with(with(request(planOf()), "podcliqueset", desiredSet(), readySet()), "service-frontend", desiredComponent(), desiredComponent())

	bucket, database := named("", "Bucket", "b"), named("", "Database", "d")
	judged := with(with(request(planOf()), "bucket", bucket, nil), "database", database, nil)
	judged.Desired.Resources["bucket"].Ready = fnv1.Ready_READY_TRUE
	judged.Desired.Resources["database"].Ready = fnv1.Ready_READY_FALSE

	others := with(request(planOf()), "podcliqueset", desiredSet(), readySet())
	others.Desired.Composite = &fnv1.Resource{
		Resource: steptest.Struct(fields{"status": fields{"mine": "stays", "state": "failed"}}), ConnectionDetails: map[string][]byte{"k": []byte("v")},
	}
	dropped := with(request(planOf()), "podcliqueset", desiredSet(), readySet())
	before(dropped, v1alpha1.DynamoGraphDeploymentStatus{Conditions: []metav1.Condition{{Type: "Responsive", Status: metav1.ConditionFalse, Reason: "WatchCircuitOpen"}}})
	empty := request(planOf())
	empty.Desired = nil

	noPlan := request(planOf())
	noPlan.Context = nil
	noPlan.Desired = nil
	noPlanAnswer := answer(noPlan)
	noPlanAnswer.Desired = nil
	noPlanAnswer.Results = []*fnv1.Result{{
		Severity: fnv1.Severity_SEVERITY_FATAL, Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		Message: "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, and the resources that step plan requires must be provided",
	}}

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"NothingObserved": {
			reason: "Of a new graph is said what will be true once Crossplane has created it.",
			req:    nothing,
			want: answer(nothing, soon(), statusIs(pending()),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_FALSE), desires("service-frontend", desiredComponent(), fnv1.Ready_READY_TRUE),
				notReady("llama: Frontend: resource not found (PodClique llama-0-frontend); PodCliqueSet llama: Grove has not observed it yet")),
		},
		"Starting": {
			reason: "What waits is named, with what it waits for.",
			req:    starting,
			want: answer(starting, soon(), statusIs(pending()),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_FALSE), desires("service-frontend", desiredComponent(), fnv1.Ready_READY_TRUE),
				notReady("llama: Frontend: resource not found (PodClique llama-0-frontend)")),
		},
		"AllReady": {
			reason: "When all is ready there is no hurry.",
			req:    ready,
			want: answer(ready, statusIs(successful()),
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), desires("service-frontend", desiredComponent(), fnv1.Ready_READY_TRUE), allReady()),
		},
		"JudgedByOthers": {
			reason: "What another function judged is left alone; but the graph is not ready before all of it is.",
			req:    judged,
			want: answer(judged, soon(), statusIs(pending()),
				desires("bucket", bucket, fnv1.Ready_READY_TRUE),
				desires("database", database, fnv1.Ready_READY_FALSE),
				notReady("Database d: another step of the pipeline reports that it is not ready")),
		},
		"StatusOfOthers": {
			reason: "Fields of the status that other functions set stay, and so do connection details.",
			req:    others,
			want: answer(others,
				statusIs(successful()),
				func(rsp *fnv1.RunFunctionResponse) {
					tree.At(rsp.GetDesired().GetComposite().GetResource(), "status").Fields["mine"] = structpb.NewStringValue("stays")
					rsp.Desired.Composite.ConnectionDetails = map[string][]byte{"k": []byte("v")}
				},
				desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady()),
		},
		"EventsDropped": {
			reason: "While Crossplane drops events it calls again by itself, and users are told.",
			req:    dropped,
			want: answer(dropped, statusIs(successful()), desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady(),
				func(rsp *fnv1.RunFunctionResponse) {
					rsp.Meta.Ttl = durationpb.New(step.UnresponsiveTTL)
					rsp.Conditions[0].Message = new("All resources are ready; " + readiness.EventsDropped)
				}),
		},
		"NothingDesired": {
			reason: "A graph of which nothing is desired has nothing to wait for.",
			req:    empty,
			want:   answer(empty, statusIs(successful()), func(rsp *fnv1.RunFunctionResponse) { rsp.Desired.Resources = nil }, allReady()),
		},
		"NoPlan": {
			reason: "Without a plan there is nothing to report.",
			req:    noPlan,
			want:   noPlanAnswer,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFoundStatus shows that a status that is not an object is replaced.
func TestFoundStatus(t *testing.T) {
	cases := map[string]struct {
		reason    string
		composite *fnv1.Resource
	}{
		"NoResource": {reason: "A composite resource without an object gets one.", composite: &fnv1.Resource{}},
		"NoFields":   {reason: "A composite resource without fields gets a status.", composite: &fnv1.Resource{Resource: steptest.Struct(fields{})}},
		"Text":       {reason: "A composite resource whose status is no object gets one.", composite: &fnv1.Resource{Resource: steptest.Struct(fields{"status": "fine"})}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(planOf()), "podcliqueset", desiredSet(), readySet())
			req.Desired.Composite = tc.composite
			want := answer(req, statusIs(successful()), desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE), allReady())
			if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
