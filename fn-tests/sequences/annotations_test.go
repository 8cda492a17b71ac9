package sequences

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// beforeRevisions makes a graph one of v0.1.0, which recorded no revisions.
func beforeRevisions(t *testing.T, c *harness.Chain) {
	t.Helper()
	deleteRevisions(t, c)
	for _, object := range c.Objects {
		annotations := object.GetAnnotations()
		delete(annotations, "dynamo.nvidia.com/revision")
		object.SetAnnotations(annotations)
	}
	for _, service := range []string{"Frontend", "Worker"} {
		unstructured.RemoveNestedField(c.XR.Object, "status", "services", service, "revision")
	}
}

// TestPodAnnotations follows graphs of v0.1.0 with an annotation in extraPodMetadata that has applied to the service since then. Their first
// revision is that of the live workloads.
func TestPodAnnotations(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ key, value, cluster string }{
		"discovery-on-grove": {annotationDiscovery, "etcd", harness.GroveKAI},
		"discovery-on-lws":   {annotationDiscovery, "etcd", harness.LWSVolcano},
		"executor-on-lws":    {annotationExecutor, "mp", harness.LWSVolcano},
		"metrics-on-grove":   {"nvidia.com/enable-metrics", "false", harness.GroveKAI},
	}
	sequences := map[string]sequence{}
	for name, tc := range cases {
		annotated := set(tc.value, "spec", "services", "Worker", "extraPodMetadata", "annotations", tc.key)
		sequences["pod-annotation-"+name] = sequence{
			reason: "The pods of a live graph stay as the older release has built them, with all that they need, until their user changes them.",
			xr:     vllm, cluster: tc.cluster,
			steps: created(
				step{name: "upgrade to this release", change: all(beforeRevisions, annotated), as: "create"},
				step{name: "settled again", as: "create"},
				step{name: "change an image", change: workerImage("1.3.1"), touched: []string{"worker"}},
			),
		}
	}
	followAll(t, sequences)
}
