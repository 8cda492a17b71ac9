package graph

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// TestShareMode shows that the modes of services are those of components, that the words of one form are none in the other, so that they are refused,
// and that messages have what the user wrote.
func TestShareMode(t *testing.T) {
	for written, valid := range map[string]bool{"intraPod": true, "interPod": true, "IntraPod": false, "InterPod": false, "shared": false, "": false} {
		mode := shareMode(v1alpha1.ShareMode(written))
		if got := mode == v1beta1.ShareIntraPod || mode == v1beta1.ShareInterPod; got != valid {
			t.Errorf("mode %q of a service is %q: want valid %t", written, mode, valid)
		}
		if got := (&Graph{Form: Services}).ShareMode(mode); got != written {
			t.Errorf("mode %q of a service: want it in messages, got %q", written, got)
		}
		if got := (&Graph{Form: Components}).ShareMode(mode); got != string(mode) {
			t.Errorf("mode %q of a component: want it in messages, got %q", mode, got)
		}
	}
}
