package engines

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// examples with constraints: of the graph, of a service, of both, and of the instances of a model on GB200 racks.
func examples() []string {
	return []string{"topology-graph", "topology-service", "topology", "gb200"}
}

// TestTopologyOfExamples renders the examples on every platform that can run them.
func TestTopologyOfExamples(t *testing.T) {
	binary := harness.New(t)
	for name, p := range platforms() {
		t.Run(name, func(t *testing.T) {
			var record strings.Builder
			fmt.Fprintf(&record, "# %s\n", p.reason)
			for i, out := range p.render(t, binary, readExamples(t)) {
				fmt.Fprintf(&record, "\n# %s\n%s", examples()[i], summary(t, out))
			}
			harness.Golden(t, filepath.Join("testdata", "topology", "examples-on-"+name+".golden"), []byte(record.String()))
		})
	}
}

func readExamples(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var xrs []*unstructured.Unstructured
	for _, example := range examples() {
		xrs = append(xrs, harness.Read(t, "examples/"+example+".yaml")[0])
	}
	return xrs
}
