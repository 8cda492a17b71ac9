package contract

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestReleases pins a graph whose images have several releases of Dynamo: each service has the pods of its own release.
func TestReleases(t *testing.T) {
	out := harness.New(t).Render(t, harness.Render{
		XR: "fn-tests/support/corpus/manifests/everything/releases.yaml", Composition: harness.Composition, Cluster: "examples/cluster/all.yaml",
	})
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	pin(t, "releases", out)
}
