package pods

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestExecutorWarning shows which executors the image of a release lacks. The zero value is the newest release.
func TestExecutorWarning(t *testing.T) {
	const (
		lacks   = `, but images of Dynamo contain no Ray since 1.3.0, and the image has %: pods end with "ray: not found" unless you have added Ray to the image; `
		byImage = ", or use an image with Ray"
		mp      = "set annotation nvidia.com/vllm-distributed-executor-backend to mp, which needs no Ray"
	)
	ray := backend.RayUse{Needed: true}
	elastic := backend.RayUse{Needed: true, Text: "--enable-elastic-ep"}
	cases := map[string]struct {
		reason    string
		version   runtime.Version
		from      graphplan.ExecutorSource
		ray       backend.RayUse
		processes bool
		want      string
	}{
		"None":         {reason: "A pod that needs neither gets no warning.", version: "0.9.0"},
		"OldRay":       {reason: "Images before 1.3.0 contain Ray.", version: "1.2.1", from: graphplan.ExecutorFromInput, ray: ray},
		"Ray":          {reason: "The warning says who asks for Ray, and how to do without.", version: "1.4.2", from: graphplan.ExecutorFromInput, ray: ray, want: "executor ray, from vllm.distributedExecutor of the platform, needs Ray" + at(lacks, "1.4.2") + mp + byImage},
		"NewestRay":    {reason: "The newest release contains no Ray.", from: graphplan.ExecutorFromPods, ray: ray, want: "executor ray, from the pods that run, needs Ray" + at(lacks, runtime.Assumed) + mp + byImage},
		"Elastic":      {reason: "An elastic engine cannot run without Ray, so no other executor is the remedy.", version: "1.3.0", from: graphplan.ExecutorFromRelease, ray: elastic, want: "--enable-elastic-ep needs Ray" + at(lacks, "1.3.0") + "remove it from the command" + byImage},
		"OldElastic":   {reason: "With Ray, an elastic engine runs.", version: "1.2.0", from: graphplan.ExecutorFromRelease, ray: elastic},
		"Processes":    {reason: "Images since 1.0.0 contain processes that are no workers of Dynamo.", version: "1.0.0", from: graphplan.ExecutorFromRelease, processes: true},
		"OldProcesses": {reason: "Earlier images do not know the flags of such processes.", version: "0.9.1", from: graphplan.ExecutorFromAnnotation, processes: true, want: "executor mp, from annotation nvidia.com/vllm-distributed-executor-backend, needs Dynamo 1.0.0 or later in the image, and the image has 0.9.1; set annotation nvidia.com/vllm-distributed-executor-backend to ray, or use a newer image"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := executorWarning(graphplan.Component{RuntimeVersion: tc.version, ExecutorFrom: tc.from}, tc.ray, tc.processes)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nexecutorWarning(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// at a release.
func at(text string, version runtime.Version) string {
	return strings.ReplaceAll(text, "%", version.String())
}
