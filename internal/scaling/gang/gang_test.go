package gang

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// build replica i of component Worker of a graph with this spec and this plan, both JSON.
func build(t *testing.T, spec, plan string, i int32) Gang {
	t.Helper()
	req := steptest.Request(spec, plan)
	g, errs := graph.Decode(req)
	if len(errs) > 0 {
		t.Fatalf("cannot decode the graph: %v", errs)
	}
	p, err := graphplan.Read(req)
	if err != nil {
		t.Fatal(err)
	}
	if p.AdoptedNames != nil {
		g.AdoptedNames = *p.AdoptedNames
	}
	b := Builder{Graph: g, Plan: p}
	return b.Build("Worker", i)
}
