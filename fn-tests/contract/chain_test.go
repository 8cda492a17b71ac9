package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// chain runs the functions in this process because they run thousands of times, and starting a process for each render would take minutes.
type chain struct {
	pipeline  *crossplane.Pipeline
	functions crossplane.Functions
	cluster   []*unstructured.Unstructured
}

func newChain(t *testing.T, composition, cluster string) *chain {
	t.Helper()
	if !filepath.IsAbs(composition) {
		composition = filepath.Join(harness.Root(), composition)
	}
	pipeline, err := crossplane.ReadPipeline(composition)
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	return &chain{
		pipeline:  pipeline,
		functions: crossplane.Direct(crossplane.Servers(logging.NewNopLogger())),
		cluster:   harness.Read(t, cluster),
	}
}

// run the chain, and return all responses of the functions, encoded so that equal responses have equal encodings. A Fatal result is a
// response, too.
func (c *chain) run(ctx context.Context, xr *unstructured.Unstructured) ([]byte, error) {
	reconcile, err := c.pipeline.Reconcile(ctx, crossplane.NewGraph(xr, c.cluster), c.functions)
	if err != nil && !errors.Is(err, crossplane.ErrFatal) {
		return nil, err
	}
	var answers []byte
	for i, call := range reconcile.Calls {
		mask(call.Response)
		if i < len(reconcile.Calls)-1 {
			// The last response has what all steps desire, and most of the time would be spent on encoding it once for each step.
			call.Response.Desired = nil
		}
		answer, err := proto.MarshalOptions{Deterministic: true}.Marshal(call.Response)
		if err != nil {
			return nil, fmt.Errorf("cannot encode the answer of step %s: %w", call.Step, err)
		}
		answers = append(answers, answer...)
	}
	return answers, nil
}

// mask the data of Secrets, which is random, and the hash of the request, which may include that data.
func mask(rsp *fnv1.RunFunctionResponse) {
	rsp.Meta.Tag = ""
	for _, resource := range rsp.GetDesired().GetResources() {
		fields := resource.GetResource().GetFields()
		if fields["kind"].GetStringValue() == "Secret" {
			for _, key := range slices.Collect(maps.Keys(fields["data"].GetStructValue().GetFields())) {
				fields["data"].GetStructValue().Fields[key] = structpb.NewStringValue("(masked)")
			}
		}
	}
}

// differ briefly describes the first difference between two runs.
func differ(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	around := func(x []byte) string {
		return strings.ToValidUTF8(string(x[max(0, i-80):min(len(x), i+40)]), "?")
	}
	return fmt.Sprintf("%q and %q", around(a), around(b))
}
