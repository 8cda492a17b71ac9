package tenants

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// read the graph of a manifest.
func read(t *testing.T, path string) *unstructured.Unstructured {
	t.Helper()
	graph := harness.Read(t, path)[0]
	if graph.GetNamespace() == "" {
		graph.SetNamespace("default")
	}
	return graph
}

// TestNamesOfCorpus shows that no policy refuses a graph that step plan accepts, and that policies refuse graphs because of their names.
func TestNamesOfCorpus(t *testing.T) {
	names, grove, rails := Load(t, "names.yaml"), Load(t, "names-grove.yaml"), Load(t, "guard-rails.yaml")
	refused := map[string]bool{}
	for _, m := range corpus.Manifests(t) {
		graph := read(t, m.Path)
		policies := []*Policy{names, rails}
		if m.Platform.Name == "grove-kai" || m.Platform.Name == "everything" {
			policies = append(policies, grove)
		}
		for _, p := range policies {
			message := p.Refuses(t, graph, nil, nil)
			if message == "" {
				continue
			}
			t.Logf("%s: %s: %s", m.Name, p, message)
			refused[m.Name] = true
			if !m.Refused {
				t.Errorf("%s refuses %s, which step plan accepts: %s", p, m.Name, message)
			}
		}
	}
	for _, name := range []string{"grove-kai/refused-names", "grove-kai/refused-clashes"} {
		if !refused[name] {
			t.Errorf("%s: want it refused because of its names", name)
		}
	}
}

// TestNamesOnGrove shows which names are refused on Grove, and which of them the message names.
func TestNamesOnGrove(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components string
		want       string
	}{
		"Fine":      {reason: "Names that only begin in the same way are told apart.", components: `[{name: worker}, {name: worker-a}]`},
		"End":       {reason: "The longer one of two names is mistaken for the other.", components: `[{name: a-worker}, {name: worker}]`, want: "rename one of the two components: a-worker"},
		"Multinode": {reason: "The clique of a component that spans nodes has the role of its leader.", components: `[{name: a, multinode: {nodeCount: 2}}, {name: a-ldr}]`, want: "two components have the same clique on Grove; rename one of them: a-ldr"},
		"OneNode":   {reason: "That of another one has its name.", components: `[{name: a, multinode: {nodeCount: 1}}, {name: a-ldr}]`},
	}
	policy := Load(t, "names-grove.yaml")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := policy.Refuses(t, graphOf(t, "v1beta1", parse(t, `{components: `+tc.components+`}`)), nil, nil)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestFormsOfCorpus shows that guard rails find the same in both forms of a graph.
func TestFormsOfCorpus(t *testing.T) {
	rails := Load(t, "guard-rails.yaml")
	strict := map[string]string{
		"allowHostPath": "false", "allowHostNetwork": "false", "allowPrivileged": "false",
		"capabilities": "", "imageRegistries": "", "serviceAccounts": "", "queues": "",
	}
	found := 0
	for _, m := range corpus.Manifests(t) {
		graph := read(t, m.Path)
		if m.Refused {
			continue
		}
		to := conversion.ToV1beta1
		if strings.HasSuffix(graph.GetAPIVersion(), "v1beta1") {
			to = conversion.ToV1alpha1
		}
		converted, _ := to(graph.Object)
		other := &unstructured.Unstructured{Object: converted}
		annotations := other.GetAnnotations()
		delete(annotations, conversion.AnnotationSpec)
		other.SetAnnotations(annotations)
		for key := range maps.Keys(strict) {
			only := map[string]string{key: strict[key]}
			here, there := rails.Refuses(t, graph, nil, only), rails.Refuses(t, other, nil, only)
			if (here == "") != (there == "") {
				t.Errorf("%s: %s: in one form: %q, in the other: %q", m.Name, key, here, there)
			}
			if here != "" {
				found++
			}
		}
		if message := rails.Refuses(t, graph, graph, strict); message != "" {
			t.Errorf("%s: an update that changes nothing is refused: %s", m.Name, message)
		}
	}
	if found < 20 {
		t.Errorf("want strict guard rails to refuse most of the corpus, got %d refusals", found)
	}
}
