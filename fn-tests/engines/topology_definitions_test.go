package engines

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestTopologyDefinitions holds every object of the matrix, of the examples and of the public documentation's examples to the
// definitions of each version, and what Grove is told to its webhook.
func TestTopologyDefinitions(t *testing.T) {
	binary := harness.New(t)
	for name, p := range platforms() {
		t.Run(name, func(t *testing.T) {
			installed := definitions.Load(t, p.definitions...)
			xrs := append(p.graphs(t, matrix()), readExamples(t)...)
			public := documentation(t)
			xrs = append(xrs, public...)
			outs := p.render(t, binary, xrs)
			checked := 0
			for i, out := range outs {
				if out.Err != nil {
					if i >= len(xrs)-len(public) && !p.oneNode {
						t.Errorf("%s: %s", xrs[i].GetName(), refusal(out))
					}
					continue
				}
				for _, object := range out.Composed {
					if clientscheme.Scheme.Recognizes(object.GroupVersionKind()) {
						continue
					}
					checked++
					for _, broken := range p.check(installed, object) {
						t.Errorf("%s: %s %s: %s", xrs[i].GetName(), object.GetKind(), object.GetName(), broken)
					}
				}
			}
			if !p.oneNode && checked < len(xrs)/2 {
				t.Errorf("only %d objects were checked", checked)
			}
		})
	}
}

// documentation are the examples of the public documentation.
func documentation(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var xrs []*unstructured.Unstructured
	for _, m := range shared.Corpus(t) {
		if strings.Contains(m.Name, "fern-topology-aware-scheduling") && m.Valid {
			xrs = append(xrs, harness.Read(t, m.Path)[0])
		}
	}
	if len(xrs) != 3 {
		t.Fatalf("want 3 examples of the public documentation, got %d", len(xrs))
	}
	return xrs
}

// check says everything that is wrong with an object.
func (p platform) check(installed schema.Set, object *unstructured.Unstructured) []string {
	var broken []string
	for _, err := range installed.Validate(object) {
		broken = append(broken, err.Error())
	}
	switch object.GetKind() {
	case "PodCliqueSet":
		broken = append(broken, crds.Webhook(object, p.grove)...)
	case "PodGroup":
		network, _ := nested(object.Object, "spec", "networkTopology").(map[string]any)
		_, named := network["highestTierName"]
		_, numbered := network["highestTierAllowed"]
		// https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission/podgroups/validate/validate_podgroup.go
		if named && numbered {
			broken = append(broken, "highestTierName and highestTierAllowed together")
		}
		if network != nil && !named && !numbered {
			broken = append(broken, "a network topology without a tier")
		}
	}
	return broken
}

// examples with constraints: of the graph, of a component, of both, and of the instances of a model on GB200 racks.
func examples() []string {
	return []string{"topology-graph", "topology-service", "topology", "gb200"}
}

func readExamples(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var xrs []*unstructured.Unstructured
	for _, example := range examples() {
		xrs = append(xrs, harness.Read(t, "examples/"+example+".yaml")[0])
	}
	return xrs
}
