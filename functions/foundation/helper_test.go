package foundation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
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
