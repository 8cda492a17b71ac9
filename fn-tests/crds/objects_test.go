package crds

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

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
			dialect:     "Pack",
			topology:    Topology{Levels: levels, Name: "my-cluster-topology", TakesName: true, TakesPack: true},
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			installed := definitions.Load(t, tc.definitions)
			renders := manifests(t, tc.dialect)
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
}

// manifests of corpus and examples, to be rendered in the dialect of one version of Grove.
func manifests(t *testing.T, dialect string) []harness.Render {
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
		compositions[path] = harness.Write(t, withDialect(t, harness.Read(t, path)[0], dialect))
	}

	var renders []harness.Render
	for _, e := range harness.Examples(t) {
		renders = append(renders, harness.Render{XR: e.XR, Composition: compositions[e.Composition], Cluster: clusterPath})
	}
	for _, m := range shared.Corpus(t) {
		if m.Valid {
			renders = append(renders, harness.Render{XR: m.Path, Composition: compositions[harness.Composition], Cluster: clusterPath})
		}
	}
	return renders
}

// withDialect sets the dialect in the input of step plan.
func withDialect(t *testing.T, composition *unstructured.Unstructured, dialect string) *unstructured.Unstructured {
	t.Helper()
	steps, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil || len(steps) == 0 {
		t.Fatalf("cannot find the steps of Composition %s: %v", composition.GetName(), err)
	}
	plan, ok := steps[0].(map[string]any)
	if !ok {
		t.Fatalf("the first step of Composition %s is no object", composition.GetName())
	}
	if err := errors.Join(
		unstructured.SetNestedField(plan, dialect, "input", "grove", "topologyDialect"),
		unstructured.SetNestedSlice(composition.Object, steps, "spec", "pipeline"),
	); err != nil {
		t.Fatal(err)
	}
	return composition
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
