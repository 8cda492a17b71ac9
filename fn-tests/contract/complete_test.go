package contract

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

const noOrchestrator = "examples/cluster/none.yaml"

// TestCorpusIsCompleteOnLeaderWorkerSets renders every corpusManifest that upstream took on LeaderWorkerSets with Volcano.
func TestCorpusIsCompleteOnLeaderWorkerSets(t *testing.T) {
	binary := harness.New(t)
	spanning := 0
	for _, m := range renderCorpus(t, binary, harness.LWSVolcano) {
		if m.out.Err != nil {
			t.Errorf("%s: %v: %s", m.name, m.out.Err, m.out.Stderr)
			continue
		}
		m.isComplete(t)
		if len(m.multinode) > 0 {
			spanning++
		}
	}
	if spanning < 10 {
		t.Errorf("only %d manifests with a service that spans nodes render", spanning)
	}
}

// TestCorpusIsCompleteOnDeployments renders them where there is no orchestrator: what needs none runs, and the others are told what to
// install.
func TestCorpusIsCompleteOnDeployments(t *testing.T) {
	binary := harness.New(t)
	rendered, refused := 0, 0
	for _, m := range renderCorpus(t, binary, noOrchestrator) {
		if len(m.multinode) == 0 {
			if m.out.Err != nil {
				t.Errorf("%s: %v: %s", m.name, m.out.Err, m.out.Stderr)
				continue
			}
			m.isComplete(t)
			rendered++
			continue
		}
		refused++
		if m.out.Err == nil || len(m.out.Stdout) > 0 {
			t.Errorf("%s: want it refused, and nothing composed", m.name)
		}
		for _, word := range slices.Concat(m.multinode, []string{"install Grove", "LeaderWorkerSet", "Volcano"}) {
			if !strings.Contains(m.out.Stderr, word) {
				t.Errorf("%s: the refusal does not name %q: %s", m.name, word, m.out.Stderr)
			}
		}
	}
	if rendered < 100 || refused < 10 {
		t.Errorf("%d manifests render and %d are refused", rendered, refused)
	}
}

// manifest of the corpus, and what became of it.
type corpusManifest struct {
	name string
	out  harness.Output
	// services of one node, and services that span nodes.
	single, multinode []string
}

// renderCorpus renders every valid corpusManifest.
func renderCorpus(t *testing.T, binary *harness.Binary, cluster string) []corpusManifest {
	t.Helper()
	var manifests []corpusManifest
	var renders []harness.Render
	for _, m := range shared.Corpus(t) {
		if !m.Valid {
			continue
		}
		next := corpusManifest{name: m.Name}
		next.single, next.multinode = services(harness.Read(t, m.Path)[0])
		manifests = append(manifests, next)
		renders = append(renders, harness.Render{XR: m.Path, Cluster: cluster})
	}
	for i, out := range binary.RenderAll(t, renders) {
		manifests[i].out = out
	}
	return manifests
}

func services(graph *unstructured.Unstructured) (single, multinode []string) {
	all, _, _ := unstructured.NestedMap(graph.Object, "spec", "services")
	for name, content := range all {
		service, _ := content.(map[string]any)
		if _, ok := service["multinode"].(map[string]any); ok {
			multinode = append(multinode, name)
		} else {
			single = append(single, name)
		}
	}
	return single, multinode
}

// isComplete checks that every service has its workload, and nothing is composed for Grove.
func (m *corpusManifest) isComplete(t *testing.T) {
	t.Helper()
	var keys []string
	for _, object := range m.out.Composed {
		keys = append(keys, harness.Key(object))
	}
	var want []string
	for _, name := range m.single {
		want = append(want, "deployment-"+strings.ToLower(name))
	}
	for _, name := range m.multinode {
		if replicas := m.replicas(name); replicas > 0 {
			want = append(want, "leaderworkerset-"+strings.ToLower(name)+"-0", "podgroup-"+strings.ToLower(name)+"-0")
		}
	}
	for _, key := range want {
		if !slices.Contains(keys, key) {
			t.Errorf("%s: there is no %s, but %v", m.name, key, keys)
		}
	}
	if slices.Contains(keys, "podcliqueset") {
		t.Errorf("%s: a PodCliqueSet is composed", m.name)
	}
}

func (m *corpusManifest) replicas(service string) int64 {
	replicas, found, _ := unstructured.NestedInt64(m.out.Composite.Object, "spec", "services", service, "replicas")
	if !found {
		return 1
	}
	return replicas
}
