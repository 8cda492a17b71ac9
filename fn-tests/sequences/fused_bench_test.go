package sequences

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// BenchmarkReconcile measures one reconcile of a running graph. Messages are encoded and decoded as for a call, but not sent.
func BenchmarkReconcile(b *testing.B) {
	c := callers()["render"]
	for _, example := range []string{"agg-vllm", "sglang-multinode"} {
		for name, composition := range map[string]string{"chain": harness.Composition, "fused": fusedOf(harness.Composition)} {
			b.Run(example+"/"+name, func(b *testing.B) {
				p := stepsOf(b, composition)
				xr := harness.Read(b, "examples/"+example+".yaml")[0]
				there := newCluster(b, harness.GroveKAI)
				state := &fnv1.State{Composite: &fnv1.Resource{Resource: toStruct(xr.Object)}}
				first, err := reconcile(b.Context(), c, p, state, there)
				if err != nil {
					b.Fatal(err)
				}
				state = observe(state, first)
				// With the first call, Crossplane delivers what was required last time.
				p[0].Required = first.GetRequirements().GetResources()
				there = there.with(state)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := reconcile(b.Context(), c, p, state, there); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
