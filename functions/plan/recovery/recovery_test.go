package recovery

import (
	"testing"

	"github.com/crossplane/function-sdk-go/resource"
)

// TestLabel shows the label by which objects are found.
func TestLabel(t *testing.T) {
	cases := map[string]struct {
		reason, metadata, want string
	}{
		"Own":       {reason: "The label holds the name of the composite resource.", metadata: `{"name":"llama","labels":{"crossplane.io/composite":"llama"}}`, want: "llama"},
		"Composed":  {reason: "The label of a composite resource that is composed itself holds the name of the outermost one.", metadata: `{"name":"llama","labels":{"crossplane.io/composite":"platform"}}`, want: "platform"},
		"Unlabeled": {reason: "Crossplane puts the label back with the next run.", metadata: `{"name":"llama"}`, want: "llama"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := resource.MustStructJSON(`{"metadata":` + tc.metadata + `}`)
			if got := label(xr); got != tc.want {
				t.Errorf("%s\nlabel(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
