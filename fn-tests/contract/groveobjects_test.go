package contract

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// newestDialect of Grove, in which overrides of the corpus are written.
const newestDialect = "Pack"

// levels of the topology object of the fixtures.
var levels = []string{"zone", "block", "rack", "host"}

// TestObjectsOnGrove holds every object of the corpus and of the examples to the schemas and admission webhooks of the oldest and
// the newest Grove that is supported.
func TestObjectsOnGrove(t *testing.T) {
	cases := map[string]struct {
		reason      string
		definitions string
		dialect     string
		topology    crds.Topology
	}{
		"Alpha6": {
			reason:      "In alpha.6 there is one topology, and constraints are a packDomain.",
			definitions: "grove-v0.1.0-alpha.6",
			dialect:     "PackDomain",
			topology:    crds.Topology{Levels: levels},
		},
		"Alpha9": {
			reason:      "In alpha.9 topologies have names, and constraints say which.",
			definitions: "grove-v0.1.0-alpha.9",
			dialect:     "PackDomainWithTopologyName",
			topology:    crds.Topology{Levels: levels, Name: "my-cluster-topology", TakesName: true},
		},
		"Alpha12": {
			reason:      "In alpha.12 constraints are required or preferred.",
			definitions: "grove-v0.1.0-alpha.12-rc1",
			dialect:     newestDialect,
			topology:    crds.Topology{Levels: levels, Name: "my-cluster-topology", TakesName: true, TakesPack: true},
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			installed := definitions.Load(t, tc.definitions)
			for of, graphs := range map[string]func(*testing.T) []groveGraph{"Own": ownOnGrove, "Corpus": corpusOnGrove} {
				t.Run(of, func(t *testing.T) {
					renders := inDialect(t, tc.dialect, graphs(t))
					rendered, constrained := 0, 0
					for i, out := range binary.RenderAll(t, renders) {
						if out.Err != nil {
							continue
						}
						rendered++
						for _, object := range out.Composed {
							for _, broken := range brokenOnGrove(installed, object, tc.topology) {
								t.Errorf("%s: %s %s: %s\n%s", filepath.Base(renders[i].XR), object.GetKind(), object.GetName(), broken, tc.reason)
							}
							if strings.Contains(fmt.Sprint(object.Object), "topologyConstraint:") {
								constrained++
							}
						}
					}
					if rendered < len(renders)*3/4 || constrained == 0 {
						t.Errorf("only %d of %d manifests render, %d objects with a topology constraint", rendered, len(renders), constrained)
					}
				})
			}
		})
	}
}

// groveGraph in a file, and the Composition of its flavour.
type groveGraph struct {
	xr, composition string
	// overrides is true if the graph has constraints in the form of the newest Grove, which are not translated.
	overrides bool
	// shares is true if pods share GPUs, which Grove supports since alpha.8.
	shares bool
}

// ownOnGrove graphs are the examples, and those of the corpus that run on Grove. A warning may be about what Grove does not know.
func ownOnGrove(t *testing.T) []groveGraph {
	t.Helper()
	var graphs []groveGraph
	for _, e := range harness.Examples(t) {
		graphs = append(graphs, groveGraph{xr: e.XR, composition: e.Composition, shares: e.NeedsGrove})
	}
	for _, m := range corpus.Manifests(t) {
		if m.Platform.Cluster == harness.GroveKAI && !m.Refused && !m.Warned {
			xr := harness.Read(t, m.Path)[0]
			overrides := strings.Contains(fmt.Sprint(xr.Object), "providerOverride:")
			graphs = append(graphs, groveGraph{xr: m.Path, composition: harness.Composition, overrides: overrides, shares: harness.SharesBetweenPods(xr)})
		}
	}
	return graphs
}

// corpusOnGrove graphs are those that are not part of the repository.
func corpusOnGrove(t *testing.T) []groveGraph {
	t.Helper()
	var graphs []groveGraph
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			graphs = append(graphs, groveGraph{xr: m.Path, composition: harness.Composition})
		}
	}
	return graphs
}

// inDialect are the renders of graphs in the dialect of one version of Grove.
func inDialect(t *testing.T, dialect string, graphs []groveGraph) []harness.Render {
	t.Helper()
	cluster := harness.Read(t, harness.GroveKAI)
	if dialect == "PackDomain" {
		for _, object := range cluster {
			if object.GetKind() == "ClusterTopologyBinding" {
				object.SetKind("ClusterTopology")
			}
		}
	}
	clusterPath := harness.Write(t, cluster...)
	compositions := map[string]string{}
	for _, path := range []string{harness.Composition, harness.ClaimsComposition} {
		compositions[path] = harness.WithInput(t, path, map[string]any{"grove": map[string]any{"topologyDialect": dialect}})
	}

	var renders []harness.Render
	for _, g := range graphs {
		if (!g.overrides || dialect == newestDialect) && (!g.shares || dialect != "PackDomain") {
			renders = append(renders, harness.Render{XR: g.xr, Composition: compositions[g.composition], Cluster: clusterPath})
		}
	}
	return renders
}

// brokenOnGrove says everything that is wrong with an object.
func brokenOnGrove(installed schema.Set, object *unstructured.Unstructured, topology crds.Topology) []string {
	gvk := object.GroupVersionKind()
	switch {
	case gvk.Kind == "PodCliqueSet":
		return append(customResource(installed, object), append(crds.Webhook(object, topology), crds.CliquePods(object)...)...)
	case clientscheme.Scheme.Recognizes(gvk):
		return crds.BuiltInResource(object)
	default:
		return customResource(installed, object)
	}
}

func customResource(installed schema.Set, object *unstructured.Unstructured) []string {
	var broken []string
	for _, err := range installed.Validate(object) {
		broken = append(broken, err.Error())
	}
	return broken
}
