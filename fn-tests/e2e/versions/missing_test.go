package versions

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	written := map[string]any{
		"same": int64(1), "number": 1.0, "null": nil, "other": "a", "gone": true,
		"map":  map[string]any{"same": "a", "gone": "b"},
		"list": []any{"a", map[string]any{"gone": "b"}}, "longer": []any{"a"},
	}
	read := map[string]any{
		"same": 1, "number": int64(1), "other": "b", "added": "c",
		"map":  map[string]any{"same": "a"},
		"list": []any{"a", map[string]any{}}, "longer": []any{"a", "b"},
	}
	want := []string{"spec.gone", "spec.list[1].gone", "spec.longer", "spec.map.gone", "spec.other"}
	got := missing("spec", written, read)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("missing(...): -want, +got:\n%s", diff)
	}
}
