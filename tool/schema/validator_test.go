package schema

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

func TestClone(t *testing.T) {
	cases := map[string]struct {
		reason string
		value  any
	}{
		"Objects": {reason: "Objects and lists are copied, empty ones too.", value: map[string]any{"a": []any{map[string]any{"b": "c"}, []any{}, map[string]any{}}, "d": nil}},
		"Whole":   {reason: "Numbers are whole if they have no fraction, whatever they have been read as.", value: []any{1, int64(2), 3.0, -4.0, 1e15}},
		"Real":    {reason: "Other numbers stay as they are, and so do those that are too large.", value: []any{0.5, -1.25, 1e19, -1e30}},
		"Others":  {reason: "Texts that look like numbers stay texts.", value: []any{"5", "", true, false}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			encoded, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			var want any
			if err := utiljson.Unmarshal(encoded, &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, clone(tc.value)); diff != "" {
				t.Errorf("%s\nclone(...): -want: as an API server decodes it, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
