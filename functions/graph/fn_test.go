package graph

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	sdk "github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// spec of a graph that needs neither orchestrator nor anything else of the cluster.
const spec = `{"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`

// fake is a step that is a plain Go function.
type fake = func(call *step.Call) error

// stepsOf fakes, which are named by their numbers.
func stepsOf(fakes ...fake) []*step.Function {
	steps := make([]*step.Function, 0, len(fakes))
	for i, f := range fakes {
		steps = append(steps, step.NewFunction(strconv.Itoa(i+1), logging.NewNopLogger(), f))
	}
	return steps
}

// freeNames of the requirements by which step plan looks up the objects of the graph.
var freeNames = []string{
	"names-deployment-frontend", "names-service-frontend",
	"names-discovery-serviceaccount", "names-discovery-role", "names-discovery-rolebinding",
}

// request of a caller that can do everything, with this input of step plan. It delivers that none of the named objects exist, and that all
// names that the graph will use are free.
func request(input inputv1alpha1.Input, delivered ...string) *fnv1.RunFunctionRequest {
	input.APIVersion, input.Kind = inputv1alpha1.APIVersion, inputv1alpha1.Kind
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		}},
		Observed: &fnv1.State{Composite: steptest.Graph(spec)},
		Desired:  &fnv1.State{Resources: map[string]*fnv1.Resource{"bucket": {Resource: resource.MustStructJSON(`{"kind":"Bucket"}`)}}},
		Context:  resource.MustStructJSON(`{"other":"value"}`),
		Input:    steptest.Struct(input),
	}
	req.RequiredResources = map[string]*fnv1.Resources{}
	for _, name := range slices.Concat(freeNames, delivered) {
		req.RequiredResources[name] = &fnv1.Resources{}
	}
	return req
}

// onlyKAI is an input with which step plan only looks up KAI.
func onlyKAI() inputv1alpha1.Input {
	return inputv1alpha1.Input{
		EnvironmentConfig: inputv1alpha1.EnvironmentConfig{Mode: inputv1alpha1.EnvironmentConfigDisabled},
		Policy: inputv1alpha1.Policy{
			Grove:   inputv1alpha1.Grove{Mode: inputv1alpha1.ModeDisabled},
			LWS:     inputv1alpha1.LWS{Mode: inputv1alpha1.ModeDisabled},
			Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeDisabled},
		},
	}
}

// nothing is an input with which step plan looks up nothing.
func nothing() inputv1alpha1.Input {
	in := onlyKAI()
	in.KAI.Mode = inputv1alpha1.ModeDisabled
	return in
}

// composes an object under a key.
func composes(key names.Resource) fake {
	return func(call *step.Call) error {
		return response.Set(call.Response, key, map[string]any{"kind": "Thing", "name": call.Graph.Name})
	}
}

// asks for an object by the name of its requirement, and says a condition of what it got.
func asks(requirement, object string) fake {
	return func(call *step.Call) error {
		var r require.Requirements
		_, resolved := r.Get(require.AnswersIn(call.Request), require.Object{Name: requirement, APIVersion: "v1", Kind: "Thing", ObjectName: object})
		r.Write(call.Request, call.Response)
		if resolved {
			condition.True(call.Response, requirement, "LookedUp", "")
		}
		return nil
	}
}

func fails(*step.Call) error { return errors.New("cannot go on") }

func hurries(call *step.Call) error {
	step.Hurry(call.Response)
	return nil
}

func says(message string) fake {
	return func(call *step.Call) error {
		sdk.Normal(call.Response, message)
		return nil
	}
}

func selector(object string) *fnv1.ResourceSelector {
	return &fnv1.ResourceSelector{ApiVersion: "v1", Kind: "Thing", Match: &fnv1.ResourceSelector_MatchName{MatchName: object}}
}

type change func(*fnv1.RunFunctionResponse)

// planned is the response of step plan alone to a request, changed.
func planned(t *testing.T, req *fnv1.RunFunctionRequest, changes ...change) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp := steptest.Run(t, plan.NewFunction(logging.NewNopLogger()), req)
	for _, c := range changes {
		c(rsp)
	}
	return rsp
}

func has(key string) change {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"kind":"Thing","name":"llama"}`)}
	}
}

func requires(name, object string) change {
	return func(rsp *fnv1.RunFunctionResponse) {
		if rsp.GetRequirements() == nil {
			rsp.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{}}
		}
		rsp.Requirements.Resources[name] = selector(object)
	}
}

func lookedUp(name string) change {
	return func(rsp *fnv1.RunFunctionResponse) { condition.True(rsp, name, "LookedUp", "") }
}

func result(severity fnv1.Severity, message string) change {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = append(rsp.Results, &fnv1.Result{Severity: severity, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()})
	}
}

func ttl(d time.Duration) change {
	return func(rsp *fnv1.RunFunctionResponse) { rsp.Meta.Ttl = durationpb.New(d) }
}

func TestRunFunction(t *testing.T) {
	cases := map[string]struct {
		reason string
		req    func() *fnv1.RunFunctionRequest
		steps  []fake
		want   []change
	}{
		"Handover": {
			reason: "What a step desires is handed to the next, with what other functions desire, and all that is said is gathered in order.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing()) },
			steps:  []fake{composes("a"), says("one"), composes("b"), says("two")},
			want:   []change{has("a"), has("b"), result(fnv1.Severity_SEVERITY_NORMAL, "one"), result(fnv1.Severity_SEVERITY_NORMAL, "two")},
		},
		"ShortestTTL": {
			reason: "The shortest time to live is that of the pipeline.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing()) },
			steps:  []fake{hurries, says("one")},
			want:   []change{ttl(step.PendingTTL), result(fnv1.Severity_SEVERITY_NORMAL, "one")},
		},
		"Refused": {
			reason: "No step runs after step plan has refused a graph.",
			req: func() *fnv1.RunFunctionRequest {
				req := request(inputv1alpha1.Input{})
				req.Input = resource.MustStructJSON(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","nothing":"known"}`)
				return req
			},
			steps: []fake{composes("a")},
		},
		"PlanWaits": {
			reason: "Nothing runs while step plan waits for what it requires.",
			req:    func() *fnv1.RunFunctionRequest { return request(onlyKAI()) },
			steps:  []fake{composes("a"), asks("thing-a", "a")},
		},
		"StepsWait": {
			reason: "What later steps require is asked for at once, beside what step plan requires.",
			req:    func() *fnv1.RunFunctionRequest { return request(onlyKAI(), "apiservice-kai") },
			steps:  []fake{asks("thing-a", "a"), asks("thing-b", "b"), composes("c")},
			want:   []change{requires("thing-a", "a"), requires("thing-b", "b"), has("c")},
		},
		"Delivered": {
			reason: "Each step finds its own among all that was delivered, and asks for the same again.",
			req:    func() *fnv1.RunFunctionRequest { return request(onlyKAI(), "apiservice-kai", "thing-a", "thing-b") },
			steps:  []fake{asks("thing-a", "a"), asks("thing-b", "b")},
			want:   []change{requires("thing-a", "a"), requires("thing-b", "b"), lookedUp("thing-a"), lookedUp("thing-b")},
		},
		"Clash": {
			reason: "Two steps that mean different things by one name would each be given the other's.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing(), "thing") },
			steps:  []fake{asks("thing", "a"), asks("thing", "b"), composes("c")},
			want: []change{
				requires("thing", "a"), lookedUp("thing"), lookedUp("thing"),
				result(fnv1.Severity_SEVERITY_FATAL, "two steps require different objects under the name thing; this is a bug in the function"),
			},
		},
		"Shared": {
			reason: "Two steps may require the same object.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing(), "thing") },
			steps:  []fake{asks("thing", "a"), asks("thing", "a")},
			want:   []change{requires("thing", "a"), lookedUp("thing"), lookedUp("thing")},
		},
		"Fatal": {
			reason: "A Fatal result is the last thing that is said.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing()) },
			steps:  []fake{says("one"), fails, says("two")},
			want:   []change{result(fnv1.Severity_SEVERITY_NORMAL, "one"), result(fnv1.Severity_SEVERITY_FATAL, "cannot go on")},
		},
		"FatalBeforeLookup": {
			reason: "A Fatal result waits for the lookup of the step before it, which it would end.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing()) },
			steps:  []fake{asks("thing", "a"), fails, composes("b")},
			want:   []change{requires("thing", "a")},
		},
		"FatalBehindLookup": {
			reason: "A Fatal result comes once all is looked up.",
			req:    func() *fnv1.RunFunctionRequest { return request(nothing(), "thing") },
			steps:  []fake{asks("thing", "a"), fails, composes("b")},
			want:   []change{requires("thing", "a"), lookedUp("thing"), result(fnv1.Severity_SEVERITY_FATAL, "cannot go on")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Function{plan: plan.NewFunction(logging.NewNopLogger()), steps: stepsOf(tc.steps...)}
			if diff := cmp.Diff(planned(t, tc.req(), tc.want...), steptest.Run(t, f, tc.req()), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOldCallers shows that requirements stay in the field in which an old caller understands them.
func TestOldCallers(t *testing.T) {
	req := request(onlyKAI())
	req.Meta.Capabilities = nil
	req.ExtraResources = map[string]*fnv1.Resources{"apiservice-kai": {}} //nolint:staticcheck // What old callers deliver in.
	f := &Function{plan: plan.NewFunction(logging.NewNopLogger()), steps: stepsOf(asks("thing", "a"))}

	got := steptest.Run(t, f, req).GetRequirements()
	want := planned(t, req).GetRequirements()
	want.ExtraResources["thing"] = selector("a")           //nolint:staticcheck // All that old callers know.
	if want.GetExtraResources()["apiservice-kai"] == nil { //nolint:staticcheck // As above.
		t.Error("want what step plan asks for beside it")
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("requirements: -want, +got:\n%s", diff)
	}
}

// TestRequests shows what a step after plan is called with.
func TestRequests(t *testing.T) {
	req := request(nothing())
	f := &Function{plan: plan.NewFunction(logging.NewNopLogger()), steps: stepsOf(composes("a"), func(call *step.Call) error {
		if call.Request.GetInput() != nil {
			t.Error("want no input: it is for step plan, and other steps refuse one")
		}
		if _, ok := call.Request.GetDesired().GetResources()["a"]; !ok {
			t.Error("want what the step before desires")
		}
		if value := call.Request.GetContext().GetFields()["other"]; value.GetStringValue() != "value" {
			t.Errorf("want the context of other functions, got %v", value)
		}
		if call.Request.GetContext().GetFields()["plan.dynamo.nvidia.com"].GetStructValue() == nil {
			t.Error("want the plan in the context, for steps after this function")
		}
		return nil
	})}
	steptest.Run(t, f, req)
}

// TestGone shows that no step runs for a caller that has gone, and none after the caller has gone.
func TestGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leaves := func(*step.Call) error { leave(); return nil }
	after := false
	f := &Function{plan: plan.NewFunction(logging.NewNopLogger()), steps: stepsOf(leaves, func(*step.Call) error { after = true; return nil })}
	for _, when := range []string{"before a step", "before the function"} {
		if rsp, err := f.RunFunction(ctx, request(nothing())); !errors.Is(err, context.Canceled) || after {
			t.Errorf("a caller that goes %s: want its error and no step after it, got %v, %v, step run: %t", when, rsp, err, after)
		}
	}
}

// TestTimer shows which steps are timed: those that run.
func TestTimer(t *testing.T) {
	f := &Function{plan: plan.NewFunction(logging.NewNopLogger()), steps: stepsOf(says("one"), fails, says("two"))}
	var timed []string
	ctx := step.WithTimer(t.Context(), func(name string, _ time.Duration) { timed = append(timed, name) })
	if _, err := f.RunFunction(ctx, request(nothing())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"plan", "1", "2"}, timed); diff != "" {
		t.Errorf("timed steps: -want, +got:\n%s", diff)
	}
}
