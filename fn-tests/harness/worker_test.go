package harness

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestWorker compares renders of a worker with those of a process that is started for one render.
func TestWorker(t *testing.T) {
	cases := map[string]struct {
		reason string
		render Render
	}{
		"Rendered": {"Objects are printed.", Render{XR: "examples/agg-vllm.yaml", Cluster: GroveKAI}},
		"Refused":  {"A graph that nothing can run is an error.", Render{XR: "examples/sglang-multinode.yaml", Cluster: "examples/cluster/none.yaml"}},
		"Missing":  {"So is a file that does not exist.", Render{XR: "examples/missing.yaml"}},
	}
	binary := New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// A worker has run the program before.
			binary.Render(t, tc.render)
			got := binary.Render(t, tc.render)
			tc.render.Alone = true
			want := binary.Render(t, tc.render)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Output{}, "Err")); diff != "" {
				t.Errorf("%s\nof a worker: -want, +got:\n%s", tc.reason, diff)
			}
			if (want.Err == nil) != (name == "Rendered") || text(want.Err) != text(got.Err) {
				t.Errorf("%s\nwant error %v, got %v", tc.reason, want.Err, got.Err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
