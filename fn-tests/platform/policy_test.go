package platform

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/policies"
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
	names, grove, rails := policies.Load(t, "names.yaml"), policies.Load(t, "names-grove.yaml"), policies.Load(t, "guard-rails.yaml")
	refused := map[string]bool{}
	for _, m := range corpus.Manifests(t) {
		graph := read(t, m.Path)
		checked := []*policies.Policy{names, rails}
		if m.Platform.Name == "grove-kai" || m.Platform.Name == "everything" {
			checked = append(checked, grove)
		}
		for _, p := range checked {
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
	policy := policies.Load(t, "names-grove.yaml")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := policy.Refuses(t, graphOf(t, "v1beta1", parse(t, `{components: `+tc.components+`}`)), nil, nil)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestExposure shows which hosts and gateways the guard rails refuse.
func TestExposure(t *testing.T) {
	rails := map[string]string{"ingressHostSuffixes": "apps.example.org,*.example.net", "gateways": "istio-system/public,team-a/*"}
	cases := map[string]struct {
		reason  string
		ingress string
		want    string
	}{
		"Short":         {reason: "A host without a domain is below that of the platform.", ingress: `{host: chat}`},
		"Below":         {reason: "A host may be below an allowed domain.", ingress: `{host: chat.apps.example.org}`},
		"Suffix":        {reason: "The domain can be a field of its own.", ingress: `{host: chat, hostSuffix: apps.example.org}`},
		"Wildcard":      {reason: "An asterisk stands for any part of a domain.", ingress: `{host: chat.a.example.net}`},
		"Other":         {reason: "Another domain is refused.", ingress: `{host: pay.example.com}`, want: "pay.example.com"},
		"OtherSuffix":   {reason: "A domain in the other field is refused, too.", ingress: `{hostPrefix: a-, host: pay, hostSuffix: example.com}`, want: "a-pay.example.com"},
		"NoSuffix":      {reason: "An empty suffix means that the host is complete.", ingress: `{host: pay, hostSuffix: ""}`, want: "(ingressHostSuffixes): pay;"},
		"Beside":        {reason: "A dot separates a host from its domain.", ingress: `{host: evilapps.example.org}`, want: "evilapps.example.org"},
		"Dot":           {reason: "A dot in a domain stands for itself.", ingress: `{host: a.appsXexample.org}`, want: "a.appsXexample.org"},
		"Gateway":       {reason: "A gateway may be named.", ingress: `{host: chat, virtualServiceGateway: istio-system/public}`},
		"Own":           {reason: "A gateway without a namespace is in that of the graph.", ingress: `{host: chat, virtualServiceGateway: mine}`},
		"OwnDot":        {reason: "A dot stands for the namespace of the graph.", ingress: `{host: chat, virtualServiceGateway: ./mine}`},
		"Older":         {reason: "The older form has the namespace after the name.", ingress: `{host: chat, virtualServiceGateway: public.istio-system.svc.cluster.local}`},
		"OtherGateway":  {reason: "Another gateway is refused.", ingress: `{host: chat, virtualServiceGateway: team-b/public}`, want: "team-b/public"},
		"OtherOlder":    {reason: "The older form is read in the same way.", ingress: `{host: chat, virtualServiceGateway: public.team-b}`, want: "team-b/public"},
		"GatewayPrefix": {reason: "A name that only begins in the same way is another one.", ingress: `{host: chat, virtualServiceGateway: istio-system/public-2}`, want: "istio-system/public-2"},
	}
	policy := policies.Load(t, "guard-rails.yaml")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			graph := graphOf(t, "v1alpha1", parse(t, `{services: {Frontend: {componentType: frontend, ingress: `+tc.ingress+`}}}`))
			graph.SetNamespace("team-a")
			got := policy.Refuses(t, graph, nil, rails)
			if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got %q", tc.reason, tc.want, got)
			}
			if again := policy.Refuses(t, graph, graph, rails); again != "" {
				t.Errorf("want what the graph had before accepted, got %q", again)
			}
		})
	}
}

// TestFormsOfCorpus shows that guard rails find the same in both forms of a graph.
func TestFormsOfCorpus(t *testing.T) {
	rails := policies.Load(t, "guard-rails.yaml")
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
