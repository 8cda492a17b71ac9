package foundation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/pods"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	decideEndpoints(t, req)
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
}

// decideEndpoints in the plan of a request, as step plan does for its pods.
func decideEndpoints(t *testing.T, req *fnv1.RunFunctionRequest) {
	t.Helper()
	g, p, err := step.Inputs(req)
	if err != nil || p.Held != "" {
		return // The step says what is wrong.
	}
	o, err := observed.Of(req)
	if err != nil {
		return
	}
	f := &subject.Facts{Seen: &subject.Seen{Graph: g, Observed: o}, Buildable: g}
	endpoints, pool := pods.Endpoints(f, p, pods.Of(f, p))
	p.Pool = pool
	for name, decided := range endpoints {
		component := p.Components[name]
		component.Endpoints = decided
		p.Components[name] = component
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	value := &structpb.Value{}
	if err := protojson.Unmarshal(encoded, value); err != nil {
		t.Fatal(err)
	}
	req.Context.Fields[graphplan.ContextKey] = value
}

// partCase is a part of the foundation of a graph: the composed resources whose keys begin with a prefix.
type partCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	// want are objects, or JSON, by their keys.
	want map[string]any
}

func compareParts(t *testing.T, prefix string, cases map[string]partCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := run(t, tc.req)
			if results := rsp.GetResults(); len(results) > 0 {
				t.Fatalf("%s\nRunFunction(...): want no results, got %v", tc.reason, results)
			}
			got := map[string]*fnv1.Resource{}
			for key, object := range rsp.GetDesired().GetResources() {
				if strings.HasPrefix(key, prefix) {
					got[key] = object
				}
			}
			if diff := cmp.Diff(steptest.State(tc.want).GetResources(), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\ncomposed resources %s*: -want, +got:\n%s", tc.reason, prefix, diff)
			}
		})
	}
}
