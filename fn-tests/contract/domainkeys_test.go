package contract

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestDomainKeys pins the names of what a graph with NVLink domains has besides, in either scope.
func TestDomainKeys(t *testing.T) {
	binary := harness.New(t)
	cases := map[string]struct{ cluster, input string }{
		"nvlink-graph-on-grove-kai":     {cluster: harness.GroveKAI, input: "mnnvl: {mode: Auto, scope: Graph}"},
		"nvlink-graph-on-lws-volcano":   {cluster: harness.LWSVolcano, input: "mnnvl: {mode: Auto, scope: Graph}"},
		"nvlink-replica-on-lws-volcano": {cluster: harness.LWSVolcano, input: "mnnvl: {mode: Auto, scope: Replica}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := binary.Render(t, harness.Render{
				XR:          "fn-tests/sequences/testdata/nvlink.yaml",
				Composition: harness.CompositionWithInput(t, tc.input),
				Cluster:     harness.Write(t, append(harness.Read(t, tc.cluster), harness.Driver(t)...)...),
			})
			if out.Err != nil {
				t.Fatalf("%v: %s", out.Err, out.Stderr)
			}
			var keys []string
			for _, object := range out.Composed {
				keys = append(keys, keyLine(object))
			}
			slices.Sort(keys)
			harness.Golden(t, filepath.Join("testdata", "keys", name+".golden"), []byte(strings.Join(keys, "")))
		})
	}
}
