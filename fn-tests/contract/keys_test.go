package contract

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

func TestKeys(t *testing.T) {
	binary := harness.New(t)
	for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
		on := strings.TrimSuffix(filepath.Base(cluster), ".yaml")
		for _, e := range harness.ExamplesV1alpha1(t) {
			if e.NeedsGrove && cluster != harness.GroveKAI {
				continue
			}
			t.Run(e.Name+"-on-"+on, func(t *testing.T) {
				out := binary.Render(t, harness.Render{XR: e.XR, Composition: e.Composition, Cluster: cluster})
				if out.Err != nil {
					t.Fatalf("%v: %s", out.Err, out.Stderr)
				}
				var keys []string
				for _, object := range out.Composed {
					keys = append(keys, keyLine(object))
				}
				slices.Sort(keys)
				harness.Golden(t, filepath.Join("testdata", "keys", e.Name+"-on-"+on+".golden"), []byte(strings.Join(keys, "")))
			})
		}
	}
}

// keyLine an object: its key, its kind and its name. Those of a revision end with a hash of its content, which other tests pin.
func keyLine(object *unstructured.Unstructured) string {
	key, name := harness.Key(object), object.GetName()
	if hash, ok := strings.CutPrefix(key, "revision-"); ok {
		key, name = "revision-<hash>", strings.TrimSuffix(name, hash)+"<hash>"
	}
	return key + " " + object.GetKind() + " " + name + "\n"
}
