package adoption

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// fused is the Composition with all steps in one function.
const fused = "compositions/dynamographdeployment-fused.yaml"

// folder with the objects that the operator creates for the manifests of the corpus.
type folder struct {
	path, cluster string
	// graphs in the folder, those that cannot be adopted, and those that are adopted with an error because of which they cannot be changed.
	graphs, refused, mistaken int
}

// version of the manifests.
func (f folder) version() string {
	if strings.HasSuffix(f.path, "v1beta1") {
		return "v1beta1"
	}
	return "v1alpha1"
}

func folders() []folder {
	return []folder{
		{path: "golden/grove", cluster: harness.GroveKAI, graphs: 220, mistaken: 6},
		{path: "golden/lws", cluster: harness.LWSVolcano, graphs: 207},
		{path: "golden-2026-08/grove-v1alpha1", cluster: harness.GroveKAI, graphs: 216, mistaken: 6},
		{path: "golden-2026-08/lws-v1alpha1", cluster: harness.LWSVolcano, graphs: 204},
		{path: "golden-2026-08/grove-v1beta1", cluster: harness.GroveKAI, graphs: 116, refused: 4, mistaken: 2},
		{path: "golden-2026-08/lws-v1beta1", cluster: harness.LWSVolcano, graphs: 109, refused: 2},
	}
}

// TestCorpus adopts all objects that the operator creates for the corpus.
func TestCorpus(t *testing.T) {
	manifests := map[string]string{}
	total := 0
	for _, f := range folders() {
		total += f.graphs
	}
	shared.Path(t, total, "golden")
	// Names of manifests are unique within a version of the API.
	for _, m := range slices.Concat(shared.Corpus(t), shared.August(t)) {
		manifests[m.Version+"/"+m.Name] = m.Path
	}
	for _, f := range folders() {
		t.Run(f.path, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(shared.Path(t, f.graphs, filepath.FromSlash(f.path)), "*.yaml"))
			if err != nil || len(files) != f.graphs {
				t.Errorf("want %d graphs, got %d: %v", f.graphs, len(files), err)
			}
			var mutex sync.Mutex
			refused, mistaken := []string{}, 0
			pipeline := compositiontest.Pipeline(t, fused, nil)
			cluster := clusterOf(t, f.cluster)
			harness.Parallel(len(files), func(i int) {
				name := strings.TrimSuffix(filepath.Base(files[i]), ".yaml")
				golden, err := ReadGolden(files[i])
				if err != nil {
					t.Error(err)
					return
				}
				manifest := harness.Read(t, manifests[f.version()+"/"+name])[0]
				s := subject{pipeline: pipeline, manifest: manifest, cluster: cluster, live: Live(manifest.GetName(), golden)}
				err = s.run(t.Context())
				mutex.Lock()
				defer mutex.Unlock()
				switch {
				case errors.Is(err, errRefused):
					refused = append(refused, name+": "+err.Error())
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case s.mistaken:
					mistaken++
				}
			})
			if mistaken != f.mistaken {
				t.Errorf("want %d graphs with mistakes, got %d", f.mistaken, mistaken)
			}
			slices.Sort(refused)
			if len(refused) != f.refused {
				t.Errorf("want %d graphs that are refused, got %d:\n%s", f.refused, len(refused), strings.Join(refused, "\n"))
			}
		})
	}
}

// clusterOf the operator: it brings the kind of scaling adapters, and its Endpoint Pickers need an API of their own.
func clusterOf(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	return append(harness.Read(t, file), harness.ScalingAdapter(), harness.APIService(t, "v1.inference.networking.k8s.io"))
}

// own graphs, as the operator runs them: on Grove, with a shortened name and another order of cliques, and without Grove, with its
// ServiceAccount for planners and with a claim, with a LeaderWorkerSet for each replica, and with one for all replicas of a component.
func own() map[string]string {
	return map[string]string{
		"grove": harness.GroveKAI, "deployments": harness.LWSVolcano, "leaderworkersets": harness.LWSVolcano,
		"replicas": harness.LWSVolcano,
	}
}

// TestOwn adopts the graphs of this directory, with the chain and with the single function: once their objects are left by a graph that was deleted
// without them, and once as the steps of command adopt leave them.
func TestOwn(t *testing.T) {
	for name, cluster := range own() {
		for _, composition := range []string{harness.Composition, fused} {
			t.Run(name+"/"+filepath.Base(composition), func(t *testing.T) {
				s := subjectOf(t, name, cluster, composition)
				if composition == fused {
					Release(s.manifest.GetName(), s.live)
				}
				if err := s.run(t.Context()); err != nil {
					t.Error(err)
				}
				if s.mistaken {
					t.Error("want the image of a service changed")
				}
			})
		}
	}
}

func subjectOf(t *testing.T, name, cluster, composition string) *subject {
	t.Helper()
	folder := filepath.Join("fn-tests", "adoption", "testdata")
	manifest := harness.Read(t, filepath.Join(folder, name+".yaml"))[0]
	// A policy that changes fields of Deployments beside their pods.
	policy := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": map[string]any{"name": "dynamo"},
		"data": map[string]any{"deployments": map[string]any{"minReadySeconds": int64(45)}},
	}}
	return &subject{
		pipeline: compositiontest.Pipeline(t, composition, nil), cluster: append(clusterOf(t, cluster), policy), manifest: manifest,
		live: Live(manifest.GetName(), harness.Read(t, filepath.Join(folder, name+"-live.yaml"))),
	}
}
