package lws

import (
	"encoding/json"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
}

// find a composed object by its key. It is nil if there is none.
func find[T any](t *testing.T, spec, plan, key string) *T {
	t.Helper()
	rsp := run(t, steptest.Request(spec, plan))
	for _, result := range rsp.GetResults() {
		t.Fatalf("RunFunction(...): %s", result.GetMessage())
	}
	object, ok := rsp.GetDesired().GetResources()[key]
	if !ok {
		return nil
	}
	data, err := json.Marshal(object.GetResource().AsMap())
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func deploymentOf(t *testing.T, spec, plan string) *appsv1.Deployment {
	t.Helper()
	return find[appsv1.Deployment](t, spec, plan, "deployment-worker")
}
