package validate_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/podresources"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// TestAnswers refuses, or warns of, the resources with which a real API server refuses pods, and no others, in either version.
func TestAnswers(t *testing.T) {
	for version, specOf := range map[string]func(main, pod map[string]any) map[string]any{
		"v1alpha1": func(main, pod map[string]any) map[string]any {
			pod["mainContainer"] = main
			return map[string]any{"services": map[string]any{"W": map[string]any{"componentType": "worker", "extraPodSpec": pod}}}
		},
		"v1beta1": func(main, pod map[string]any) map[string]any {
			main["name"] = "main"
			pod["containers"] = []any{main}
			return map[string]any{"components": []any{map[string]any{"name": "W", "type": "worker", "podTemplate": map[string]any{"spec": pod}}}}
		},
	} {
		t.Run(version, func(t *testing.T) {
			got := podresources.Table(func(p podresources.Pod) bool {
				main, pod := map[string]any{"image": "x", "command": []any{"x"}}, map[string]any{}
				maps.Copy(main, only("resources", p.Main))
				maps.Copy(pod, only("resources", p.Whole))
				if p.Init != nil {
					pod["initContainers"] = []any{map[string]any{"name": "first", "image": "x", "resources": p.Init}}
				}
				g, errs := graph.Decode(request(t, map[string]any{
					"apiVersion": "nvidia.com/" + version, "kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "g"}, "spec": specOf(main, pod),
				}))
				return len(slices.Concat(errs, validate.Spec(g, validate.Options{}), validate.MisuseWarnings(g, false))) == 0
			})
			harness.Golden(t, podresources.Answers(), []byte(got))
		})
	}
}

// only is a map with a key, unless it has no value.
func only(key string, value map[string]any) map[string]any {
	if value == nil {
		return nil
	}
	return map[string]any{key: value}
}
