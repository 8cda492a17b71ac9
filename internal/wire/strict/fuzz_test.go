package strict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxFuzzed is the size of the largest input that is tried.
const maxFuzzed = 64 << 10

// FuzzDecode shows that no input panics, that the result does not depend on map order, and that what the decoder takes
// without an error encoding/json takes too.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","containers":[{"name":"a","image":"b","env":[{"name":"A","value":"secretvalue"}]}]}`,
		`{"name":1,"count":"3","inner":{"size":"1e9999999","level":1.5},"port":true}`,
		`{"name":"x","envs":[{"name":"A","value":{"a":"secretvalue"},"secretvalue":"secretvalue"}],"any":[[[null]]]}`,
		`{"name":"x","blob":"aGk=","at":"2026-01-31T12:00:00Z","after":"5m","raw":{"a":1},"matrix":[["a"],null]}`,
		`[]`, `null`, `"x"`, `{"main":{"ports":[{"containerPort":99999999999}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := &structpb.Value{}
		if len(data) > maxFuzzed || in.UnmarshalJSON(data) != nil {
			return
		}
		var first, second sample
		errs := Decode(in, &first, field.NewPath("spec"), Options{})
		if diff := cmp.Diff(messages(errs), messages(Decode(in, &second, field.NewPath("spec"), Options{}))); diff != "" {
			t.Fatalf("Decode(...) differs between two calls:\n%s", diff)
		}
		if len(errs) > maxErrors+1 {
			t.Fatalf("Decode(...): %d errors, want at most %d", len(errs), maxErrors+1)
		}
		if strings.Contains(messages(errs), "\n\n") {
			t.Fatalf("Decode(...): an error with a line break in it: %q", messages(errs))
		}
		if len(errs) > 0 {
			return
		}
		var lenient sample
		if err := json.Unmarshal(data, &lenient); err != nil {
			t.Fatalf("Decode(...) takes what encoding/json does not: %v", err)
		}
	})
}
