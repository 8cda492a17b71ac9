package observed_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// TestPodsOfEveryKind shows that pods are read from the objects that have templates of them, and from no others.
func TestPodsOfEveryKind(t *testing.T) {
	for _, k := range kinds.Composed() {
		object := map[string]any{"apiVersion": k.GroupVersion().String(), "kind": k.Kind, "spec": map[string]any{
			"template": map[string]any{"cliques": []any{map[string]any{"name": "a"}}}, "leaderWorkerTemplate": map[string]any{"size": 1},
		}}
		got, err := observed.PodsOf(steptest.Struct(object))
		if err != nil || (len(got) > 0) != (k.Pods != kinds.NoPods) {
			t.Errorf("%s: form of pods %q in internal/kinds/kinds.go; got %d templates and error %v", k.Kind, k.Pods, len(got), err)
		}
	}
}
