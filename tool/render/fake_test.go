package render

import (
	"errors"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// fakeChain is a chain of two: plan asks the cluster twice and writes what it
// saw to the context, compose composes something of every kind that matters.
func fakeChain() []server.Function {
	return []server.Function{
		{Name: "plan", Runner: pipelinetest.Function{Run: fakePlan}},
		{Name: "compose", Runner: pipelinetest.Function{Run: fakeCompose}},
	}
}

// fakePlan learns from one required resource which other one it requires.
func fakePlan(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := response.To(req, response.DefaultTTL)

	calls := req.GetContext().GetFields()["calls"].GetNumberValue()
	response.SetContextKey(rsp, "calls", structpb.NewNumberValue(calls+1))

	rsp.Requirements = &fnv1.Requirements{
		Resources: map[string]*fnv1.ResourceSelector{
			"settings": pipelinetest.ByName("settings", "inference"),
			"missing":  pipelinetest.ByName("nobody", "inference"),
			"zones":    pipelinetest.ByLabel("kind", "zone"),
		},
		ExtraResources: map[string]*fnv1.ResourceSelector{"zones": pipelinetest.ByLabel("kind", "zone")},
	}
	if items := req.GetRequiredResources()["settings"].GetItems(); len(items) > 0 {
		peer := items[0].GetResource().GetFields()["data"].GetStructValue().GetFields()["peer"].GetStringValue()
		rsp.Requirements.Resources["peer"] = pipelinetest.ByName(peer, "inference")
	}

	seen := map[string]any{}
	for name, res := range req.GetRequiredResources() {
		seen[name] = names(res)
	}
	for name, res := range req.GetExtraResources() { //nolint:staticcheck // What old callers resolve must be resolved here.
		seen["extra "+name] = names(res)
	}
	saw, err := structpb.NewValue(seen)
	if err != nil {
		response.Fatal(rsp, err)
		return rsp
	}
	response.SetContextKey(rsp, "seen", saw)

	response.ConditionTrue(rsp, "Accepted", "Valid")
	response.ConditionTrue(rsp, "Ready", "NotForFunctionsToSay")
	return rsp
}

func names(res *fnv1.Resources) []any {
	out := []any{}
	for _, item := range res.GetItems() {
		out = append(out, item.GetResource().GetFields()["metadata"].GetStructValue().GetFields()["name"].GetStringValue())
	}
	return out
}

func fakeCompose(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp := response.To(req, response.DefaultTTL)
	word := req.GetInput().GetFields()["word"].GetStringValue()

	if strings.HasPrefix(word, "fatal") {
		response.Normal(rsp, "before the end")
		response.Fatal(rsp, errors.New("spec.replicas: Invalid value: 2"))
		return rsp
	}

	rsp.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"spec":{"ignored":true},"status":{"state":"pending","observed":1,"ratio":0.5}}`)},
		Resources: map[string]*fnv1.Resource{
			"b-named": {
				Resource: resource.MustStructJSON(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"llama-named","namespace":"elsewhere","labels":{"a":"b"}},
					"data":{"html":"<&>","lines":"one\ntwo\n","number":"1","yes":"yes"}}`),
				Ready: fnv1.Ready_READY_TRUE,
			},
			"a-unnamed": {Resource: resource.MustStructJSON(`{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80}],"empty":{}}}`)},
			"role":      {Resource: resource.MustStructJSON(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"llama:role"}}`)},
			"kept":      {Resource: resource.MustStructJSON(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"second-name"},"data":{"password":"aHVudGVyMg=="}}`)},
		},
	}
	response.SetContextKey(rsp, "word", structpb.NewStringValue(word))
	response.ConditionFalse(rsp, "Composed", "Waiting").WithMessage("Waiting for role.")
	response.Normal(rsp, "composed").WithReason("Composed")
	response.Warning(rsp, errors.New("be careful"))
	rsp.Results = append(rsp.Results, &fnv1.Result{Message: "from the future"})
	return rsp
}
