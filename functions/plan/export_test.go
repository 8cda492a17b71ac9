package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
)

// Estimate of what a graph that is not refused composes, in bytes, measured even where it is far from the limit.
func Estimate(t testing.TB, req *fnv1.RunFunctionRequest) (bytes int64, services int) {
	t.Helper()
	in, _ := input.Read(req.GetInput())
	g, errs := graph.Decode(req)
	m, err := remember(req, g)
	if err != nil {
		t.Fatal(err)
	}
	requirements := require.New(req)
	d := &decider{req: req, graph: g, input: in, cluster: detect(requirements, in, m), memory: m, requirements: requirements}
	p := d.decide(errs).plan
	s := &size{}
	if s.services, err = d.measure(p); err != nil {
		t.Fatal(err)
	}
	s.addDomains(g, p)
	return s.total(), len(s.services)
}
