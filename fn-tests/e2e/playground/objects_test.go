package playground

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// references that hold pods until their object exists, by the field with its name, or with an object that has the name.
func references() map[string]string {
	return map[string]string{
		"secretRef": "Secret", "secretKeyRef": "Secret", "secret": "Secret", "secretName": "Secret",
		"configMapRef": "ConfigMap", "configMapKeyRef": "ConfigMap", "configMap": "ConfigMap",
	}
}

// referred are the objects that pods in a value refer to and need, each as its kind and name.
func referred(value any) []string {
	var all []string
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			all = append(all, referred(inner)...)
		}
	case map[string]any:
		for field, inner := range value {
			named, _ := inner.(map[string]any)
			name, isName := named["name"].(string)
			if text, isText := inner.(string); isText {
				name, isName, named = text, true, value
			}
			if kind := references()[field]; kind != "" && isName && named["optional"] != true {
				all = append(all, kind+" "+name)
			}
			all = append(all, referred(inner)...)
		}
	}
	return all
}

// TestExampleObjects checks that the namespace of the examples has what their pods refer to, so that each of them runs in the playground.
func TestExampleObjects(t *testing.T) {
	want, got := sets.New[string](), sets.New[string]()
	for _, object := range controlplane.ExampleObjects(Namespace) {
		got.Insert(object.GetKind() + " " + object.GetName())
	}
	paths := harness.Glob(t, filepath.Join("examples", "*.yaml"))
	binary := harness.New(t)
	for _, path := range paths {
		if harness.Read(t, path)[0].GetKind() != "DynamoGraphDeployment" {
			continue
		}
		out := binary.Render(t, harness.Render{XR: path, Cluster: "examples/cluster/all.yaml"})
		if out.Err != nil {
			// It needs another cluster, or the policy beside it.
			t.Logf("%s: %v", filepath.Base(path), out.Err)
			continue
		}
		composed := sets.New[string]()
		for _, object := range out.Composed {
			composed.Insert(object.GetKind() + " " + object.GetName())
		}
		for _, object := range out.Composed {
			if slices.Contains([]string{"PodCliqueSet", "LeaderWorkerSet", "Deployment"}, object.GetKind()) {
				want.Insert(slices.DeleteFunc(referred(object.Object["spec"]), composed.Has)...)
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("objects: -referred to, +there:\n%s", diff)
	}
}
