package contract

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	nvlinkGraph = "fn-tests/contract/testdata/mnnvl/graph.yaml"
	autoMNNVL   = "grove.io/auto-mnnvl"
	mnnvlGroup  = "grove.io/mnnvl-group"
)

// TestDomainsOfGrove pins the PodCliqueSet of graphs whose domains Grove makes, in both dialects, and holds it to the versions
// that speak it.
func TestDomainsOfGrove(t *testing.T) {
	cases := map[string]struct {
		reason     string
		dialect    string
		versions   []string
		graph      map[string]string
		components map[string]map[string]string
	}{
		"enabled": {
			reason:  "In versions of Grove before groups, the set as a whole has domains enabled.",
			dialect: "PackDomain", versions: []string{"grove-v0.1.0-alpha.6", "grove-v0.1.0-alpha.8"},
		},
		"disabled": {
			reason:  "In versions of Grove before groups, the set as a whole can opt out of domains.",
			dialect: "PackDomain", versions: []string{"grove-v0.1.0-alpha.6", "grove-v0.1.0-alpha.8"},
			graph: map[string]string{autoMNNVL: "disabled"},
		},
		"default-group": {
			reason:  "In versions of Grove with groups, all services are in one group by default.",
			dialect: "Pack", versions: []string{"grove-v0.1.0-alpha.9", "grove-v0.1.0-alpha.12-rc1"},
		},
		"groups": {
			reason:  "Scaling groups and cliques may have groups of their own, or none.",
			dialect: "Pack", versions: []string{"grove-v0.1.0-alpha.9", "grove-v0.1.0-alpha.12-rc1"},
			graph:      map[string]string{mnnvlGroup: "shared"},
			components: map[string]map[string]string{"Prefill": {mnnvlGroup: "prefill"}, "Embed": {autoMNNVL: "disabled"}},
		},
		"opt-out-of-scaling-group": {
			reason:  "A service of several nodes opts out on its scaling group.",
			dialect: "Pack", versions: []string{"grove-v0.1.0-alpha.9", "grove-v0.1.0-alpha.12-rc1"},
			components: map[string]map[string]string{"Decode": {autoMNNVL: "disabled"}},
		},
		"opt-out": {
			reason:  "Without any group there is no domain.",
			dialect: "Pack", versions: []string{"grove-v0.1.0-alpha.9", "grove-v0.1.0-alpha.12-rc1"},
			graph: map[string]string{autoMNNVL: "disabled"},
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			render := harness.Render{
				XR:          harness.Write(t, annotated(t, tc.graph, tc.components)),
				Composition: harness.CompositionWithInput(t, "{mnnvl: {mode: Grove}, grove: {topologyDialect: "+tc.dialect+"}}"),
				Cluster:     clusterWithDriver(t),
			}
			out := binary.RenderAccepted(t, render)
			set := podCliqueSet(t, out)
			harness.Golden(t, filepath.Join("testdata", "mnnvl", name+".yaml"), harness.Format(t, withoutPods(t, set)))

			render.Observed = harness.Write(t, out.Composed...)
			again := binary.RenderAccepted(t, render)
			if diff := cmp.Diff(set.Object, podCliqueSet(t, again).Object); diff != "" {
				t.Errorf("a second run changes the set: -first, +second:\n%s", diff)
			}
			for _, version := range tc.versions {
				for _, broken := range definitions.Load(t, version).Validate(set) {
					t.Errorf("%s: %v", version, broken)
				}
			}
		})
	}
}

// annotated is the graph with annotations of its own and of components.
func annotated(t *testing.T, graphs map[string]string, components map[string]map[string]string) *unstructured.Unstructured {
	t.Helper()
	xr := harness.Read(t, nvlinkGraph)[0]
	xr.SetAnnotations(graphs)
	for component, annotations := range components {
		if err := unstructured.SetNestedStringMap(xr.Object, annotations, "spec", "services", component, "annotations"); err != nil {
			t.Fatal(err)
		}
	}
	return xr
}

// clusterWithDriver has Grove, KAI and the driver.
func clusterWithDriver(t *testing.T) string {
	t.Helper()
	return harness.Write(t, append(harness.Read(t, harness.GroveKAI), harness.Driver(t)...)...)
}

func podCliqueSet(t *testing.T, out harness.Output) *unstructured.Unstructured {
	t.Helper()
	for _, object := range out.Composed {
		if object.GetKind() == "PodCliqueSet" {
			return object
		}
	}
	t.Fatal("there is no PodCliqueSet")
	return nil
}

// withoutPods is a set without its pods, in which nothing is told of multi-node NVLink.
func withoutPods(t *testing.T, set *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	set = set.DeepCopy()
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		t.Fatal(err)
	}
	for _, clique := range cliques {
		if clique, ok := clique.(map[string]any); ok {
			if claims, ok, _ := unstructured.NestedSlice(clique, "spec", "podSpec", "resourceClaims"); ok {
				t.Errorf("clique %s claims %v beside what Grove adds", clique["name"], claims)
			}
			unstructured.RemoveNestedField(clique, "spec")
			unstructured.RemoveNestedField(clique, "labels")
		}
	}
	if err := unstructured.SetNestedSlice(set.Object, cliques, "spec", "template", "cliques"); err != nil {
		t.Fatal(err)
	}
	return set
}
