package engine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestAll(t *testing.T) {
	if !slices.IsSorted(Frameworks()) {
		t.Errorf("want the engines sorted by their frameworks, got %v", Frameworks())
	}
	for _, name := range Frameworks() {
		t.Run(name, func(t *testing.T) {
			e := Of(v1alpha1.BackendFramework(name))
			if string(e.Framework) != name || !IsKnown(e.Framework) || e.Nodes == "" || len(e.Sizes.Tensor) == 0 || (e.CachePath == "") != (e.CacheVariable == "") {
				t.Errorf("want an engine that is known, joins nodes, has sizes, and a cache with both path and variable or with none: %+v", e)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	for _, f := range []v1alpha1.BackendFramework{"", "llama.cpp"} {
		if diff := cmp.Diff(Engine{}, Of(f)); diff != "" || IsKnown(f) {
			t.Errorf("want nothing known of %q: -want, +got:\n%s", f, diff)
		}
	}
}
