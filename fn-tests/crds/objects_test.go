package crds

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

// newest dialect of Grove, in which overrides of the corpus are written.
const newest = "Pack"

// levels of the topology object of the fixtures.
var levels = []string{"zone", "block", "rack", "host"}

// TestObjects holds every object of the corpus and of the examples to the schemas and admission webhooks of the oldest and
// the newest Grove that is supported.
func TestObjects(t *testing.T) {
	cases := map[string]struct {
		reason      string
		definitions string
		dialect     string
		topology    Topology
	}{
		"Alpha6": {
			reason:      "In alpha.6 there is one topology, and constraints are a packDomain.",
			definitions: "grove-v0.1.0-alpha.6",
			dialect:     "PackDomain",
			topology:    Topology{Levels: levels},
		},
		"Alpha9": {
			reason:      "In alpha.9 topologies have names, and constraints say which.",
			definitions: "grove-v0.1.0-alpha.9",
			dialect:     "PackDomainWithTopologyName",
			topology:    Topology{Levels: levels, Name: "my-cluster-topology", TakesName: true},
		},
		"Alpha12": {
			reason:      "In alpha.12 constraints are required or preferred.",
			definitions: "grove-v0.1.0-alpha.12-rc1",
			dialect:     newest,
			topology:    Topology{Levels: levels, Name: "my-cluster-topology", TakesName: true, TakesPack: true},
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			installed := definitions.Load(t, tc.definitions)
			for of, graphs := range map[string]func(*testing.T) []graph{"Own": own, "Corpus": outside} {
				t.Run(of, func(t *testing.T) {
					renders := inDialect(t, tc.dialect, graphs(t))
					rendered, constrained := 0, 0
					for i, out := range binary.RenderAll(t, renders) {
						if out.Err != nil {
							continue
						}
						rendered++
						for _, object := range out.Composed {
							for _, broken := range check(installed, object, tc.topology) {
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

// graph in a file, and the Composition of its flavour.
type graph struct {
	xr, composition string
	// overrides is true if the graph has constraints in the form of the newest Grove, which are not translated.
	overrides bool
	// shares is true if pods share GPUs, which Grove supports since alpha.8.
	shares bool
}

// own graphs are the examples, and those of the corpus that run on Grove. A warning may be about what Grove does not know.
func own(t *testing.T) []graph {
	t.Helper()
	var graphs []graph
	for _, e := range harness.Examples(t) {
		graphs = append(graphs, graph{xr: e.XR, composition: e.Composition, shares: e.NeedsGrove})
	}
	for _, m := range corpus.Manifests(t) {
		if m.Platform.Cluster == harness.GroveKAI && !m.Refused && !m.Warned {
			xr := harness.Read(t, m.Path)[0]
			overrides := strings.Contains(fmt.Sprint(xr.Object), "providerOverride:")
			graphs = append(graphs, graph{xr: m.Path, composition: harness.Composition, overrides: overrides, shares: harness.SharesBetweenPods(xr)})
		}
	}
	return graphs
}

// outside graphs are those that are not part of the repository.
func outside(t *testing.T) []graph {
	t.Helper()
	var graphs []graph
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			graphs = append(graphs, graph{xr: m.Path, composition: harness.Composition})
		}
	}
	return graphs
}

// inDialect are the renders of graphs in the dialect of one version of Grove.
func inDialect(t *testing.T, dialect string, graphs []graph) []harness.Render {
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
		if (!g.overrides || dialect == newest) && (!g.shares || dialect != "PackDomain") {
			renders = append(renders, harness.Render{XR: g.xr, Composition: compositions[g.composition], Cluster: clusterPath})
		}
	}
	return renders
}

// check says everything that is wrong with an object.
func check(installed schema.Set, object *unstructured.Unstructured, topology Topology) []string {
	gvk := object.GroupVersionKind()
	switch {
	case gvk.Kind == "PodCliqueSet":
		return append(customResource(installed, object), append(Webhook(object, topology), cliquePods(object)...)...)
	case clientscheme.Scheme.Recognizes(gvk):
		return BuiltInResource(object)
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

func cliquePods(object *unstructured.Unstructured) []string {
	set, err := decode(object)
	if err != nil {
		return []string{err.Error()}
	}
	var broken []string
	for _, clique := range set.Spec.Template.Cliques {
		meta := metav1.ObjectMeta{Labels: clique.Labels, Annotations: clique.Annotations}
		for _, b := range Pod(meta, &clique.Spec.PodSpec) {
			broken = append(broken, "clique "+clique.Name+": "+b)
		}
	}
	return broken
}
