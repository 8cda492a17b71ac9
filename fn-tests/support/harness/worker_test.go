package harness

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestWorker compares renders of a worker with those of a process that is started for one render.
func TestWorker(t *testing.T) {
	cases := map[string]struct {
		reason string
		render Render
		// err of both.
		err string
	}{
		"Rendered": {"Objects are printed.", Render{XR: "examples/agg-vllm.yaml", Cluster: GroveKAI}, "<nil>"},
		"Refused":  {"A graph that nothing can run is an error.", Render{XR: "examples/sglang-multinode.yaml", Cluster: "examples/cluster/none.yaml"}, "exit status 1"},
		"Missing":  {"So is a file that does not exist.", Render{XR: "examples/missing.yaml"}, "exit status 2"},
	}
	binary := New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			// A worker has run the program before.
			binary.Render(t, tc.render)
			got := binary.Render(t, tc.render)
			tc.render.Alone = true
			want := binary.Render(t, tc.render)
			if diff := cmp.Diff([]string{tc.err, tc.err}, []string{fmt.Sprint(want.Err), fmt.Sprint(got.Err)}); diff != "" {
				t.Errorf("%s\nerrors of a process and of a worker: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Output{}, "Err")); diff != "" {
				t.Errorf("%s\nof a worker: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
