package sequences

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// counted is a function whose calls are counted, and whose last requirements are remembered.
type counted struct {
	pipeline.Function

	calls    int
	required map[string]*fnv1.ResourceSelector
}

func (c *counted) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	rsp, err := c.Function.RunFunction(ctx, req)
	c.calls++
	c.required = rsp.GetRequirements().GetResources()
	return rsp, err
}

func TestCalls(t *testing.T) {
	for _, e := range harness.Examples(t) {
		for _, cluster := range []string{"grove-kai", "lws-volcano", "all", "none"} {
			composition := e.Composition[:len(e.Composition)-len(".yaml")] + "-fused.yaml"
			p, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), composition))
			if err != nil {
				t.Fatal(err)
			}
			p.Once = true
			f := &counted{Function: crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))["graph"]}
			g := crossplane.NewGraph(harness.Read(t, e.XR)[0], harness.Read(t, "examples/cluster/"+cluster+".yaml"))
			declared := p.Steps[0].Required
			var calls []int
			for range 3 {
				p.Steps[0].Required = maps.Clone(declared)
				maps.Copy(p.Steps[0].Required, f.required)
				f.calls = 0
				if _, err = p.Apply(t.Context(), g, crossplane.Functions{"graph": f}); err != nil {
					break
				}
				calls = append(calls, f.calls)
			}
			fmt.Println(filepath.Base(e.XR), cluster, calls, err != nil)
		}
	}
}
