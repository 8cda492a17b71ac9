package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Estimate of what a graph that is not refused composes, in bytes, measured even where it is far from the limit.
func Estimate(t testing.TB, req *fnv1.RunFunctionRequest) (bytes int64, services int) {
	t.Helper()
	g, errs := graph.Decode(req)
	in, _ := input.Read(req.GetInput(), g.Namespace)
	f, err := gather(req, g, policy{input: in}, require.New(req))
	if err != nil {
		t.Fatal(err)
	}
	d, err := decide(t.Context(), f, sharedResponse{}, errs)
	if err != nil {
		t.Fatal(err)
	}
	p := d.plan
	size, err := budget.Measure(f, p)
	if err != nil {
		t.Fatal(err)
	}
	size = size.WithDomains(g, p)
	return size.Total(), len(f.Buildable.Components)
}
