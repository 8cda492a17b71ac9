// Package whole runs step plan as a whole, for the tests of subjects whose decisions show in the plan and in what the user of a graph is told.
package whole

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// An Outcome of step plan: its response, and the same as data.
type Outcome struct {
	// Told to the user of the graph. Nothing is while something is looked up.
	plantest.Told

	// Response without what it asks about names that are free, and without the hashes of what the user has written.
	Response *fnv1.RunFunctionResponse

	// Plan of a graph that is accepted.
	Plan *graphplan.Plan
}

// Run step plan in a namespace where all names of the graph are free.
func Run(t testing.TB, req *fnv1.RunFunctionRequest) *Outcome {
	t.Helper()
	asked := WithFreeNames(t, req)
	out := RunAsIs(t, asked)
	if only := plantest.OnlyRequired(asked, out.Response); !proto.Equal(asked, only) {
		if diff := cmp.Diff(out.Response, RunAsIs(t, only).Response, protocmp.Transform()); diff != "" {
			t.Errorf("RunFunction(...): want the same response without look-ups that it does not require: -with, +without:\n%s", diff)
		}
	}
	required := out.Response.GetRequirements()
	about := AboutNames(required)
	implied := func(name string, _ *fnv1.ResourceSelector) bool {
		_, given := req.GetRequiredResources()[name]
		return !given && about(name)
	}
	maps.DeleteFunc(required.GetResources(), implied)
	maps.DeleteFunc(required.GetExtraResources(), implied) //nolint:staticcheck // All that some callers know.
	if proto.Size(required) == 0 {
		out.Response.Requirements = nil
	}
	return out
}

// RunAsIs runs step plan, which may look up more.
func RunAsIs(t testing.TB, req *fnv1.RunFunctionRequest) *Outcome {
	t.Helper()
	out := &Outcome{}
	ctx := plan.WithVerdict(t.Context(), func(v *plan.Verdict) { out.Told = told(v) })
	out.Response = respond(ctx, t, req)
	dropHashes(t, out.Response)
	if planned := out.Response.GetContext().GetFields()[graphplan.ContextKey]; planned != nil {
		document, err := planned.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		out.Plan = &graphplan.Plan{}
		if err := json.Unmarshal(document, out.Plan); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func respond(ctx context.Context, t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := plan.NewFunction(logging.NewNopLogger()).RunFunction(ctx, req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}

// told by a verdict. Of a graph that is refused only the refusals are.
func told(v *plan.Verdict) plantest.Told {
	outcome := subject.Outcome{Refusals: v.Refusals}
	if v.Accepted {
		outcome.Warnings = v.Warnings
	}
	return plantest.Tell(outcome, v.Words())
}

// Condition of the response of a type. One that it does not have is empty.
func (o *Outcome) Condition(conditionType string) *fnv1.Condition {
	for _, c := range o.Response.GetConditions() {
		if c.GetType() == conditionType {
			return c
		}
	}
	return &fnv1.Condition{}
}

// Asked are the objects under the given requirements that the step looks up: a requirement, and the name of the object.
func (o *Outcome) Asked(requirements ...string) []string {
	var asked []string
	for _, name := range requirements {
		if selector := o.Response.GetRequirements().GetResources()[name]; selector != nil {
			asked = append(asked, name+" "+selector.GetMatchName())
		}
	}
	return asked
}

// dropHashes of what the user has written from the plan in a response. Each service has one.
func dropHashes(t testing.TB, rsp *fnv1.RunFunctionResponse) {
	t.Helper()
	planned := rsp.GetContext().GetFields()[graphplan.ContextKey].GetStructValue()
	for name, service := range planned.GetFields()["services"].GetStructValue().GetFields() {
		fields := service.GetStructValue().GetFields()
		if fields["written"].GetStringValue() == "" {
			t.Errorf("the plan has no hash of what the user has written for %s", name)
		}
		delete(fields, "written")
	}
}

// WithFreeNames is a request to which it is answered that there is no object under any name that step plan looks up.
func WithFreeNames(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	return Answering(t, req, func(*fnv1.ResourceSelector) *fnv1.Resources { return &fnv1.Resources{} })
}

// Answering a request what step plan asks about names.
func Answering(t testing.TB, req *fnv1.RunFunctionRequest, answer func(*fnv1.ResourceSelector) *fnv1.Resources) *fnv1.RunFunctionRequest {
	t.Helper()
	req = proto.CloneOf(req)
	if req.GetRequiredResources() == nil {
		req.RequiredResources = map[string]*fnv1.Resources{}
	}
	for {
		before := len(req.GetRequiredResources())
		required := respond(t.Context(), t, req).GetRequirements()
		about := AboutNames(required)
		for _, asked := range []map[string]*fnv1.ResourceSelector{required.GetResources(), required.GetExtraResources()} { //nolint:staticcheck // As above.
			for name, selector := range asked {
				if _, answered := req.GetRequiredResources()[name]; !answered && about(name) {
					req.RequiredResources[name] = answer(selector)
				}
			}
		}
		if len(req.GetRequiredResources()) == before {
			return req
		}
	}
}

// AboutNames tells, among what is required, what is about objects that the graph is to have. Lost objects are looked for by the
// API of claim templates, too.
func AboutNames(required *fnv1.Requirements) func(requirement string) bool {
	_, lost := required.GetResources()["lost-service"]
	if _, older := required.GetExtraResources()["lost-service"]; older { //nolint:staticcheck // All that some callers know.
		lost = true
	}
	return func(requirement string) bool {
		return strings.HasPrefix(requirement, "names-") || requirement == "apiservice-resource" && !lost
	}
}
