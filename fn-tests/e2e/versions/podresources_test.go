package versions

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/podresources"
)

// TestPodResources asks the API server which resources pods can have. TestAnswers of internal/validate compares its answers with the rules there.
func TestPodResources(t *testing.T) {
	s := start(t)
	table := podresources.Table(func(p podresources.Pod) bool {
		spec := map[string]any{"containers": []any{map[string]any{"name": "main", "image": "x", "resources": p.Main}}}
		if p.Init != nil {
			spec["initContainers"] = []any{map[string]any{"name": "first", "image": "x", "resources": p.Init}}
		}
		if p.Whole != nil {
			spec["resources"] = p.Whole
		}
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
		pod.SetName("asked")
		pod.SetNamespace(namespace)
		return s.Client.DryRunCreate(t.Context(), pod) == nil
	})
	harness.Golden(t, podresources.Answers(), []byte(table))
}
