package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestNamespaceWarnings(t *testing.T) {
	// spec of a graph with a frontend and a worker, in JSON, whose main containers can be set, and with another component.
	spec := func(frontend, worker, other string) string {
		return `{"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{` + frontend + `}}},
			"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{` + worker + `}}}` + other + `}}`
	}
	env := func(name, value string) string { return `"env":[{"name":"` + name + `","value":"` + value + `"}]` }
	lost := func(namespace, prefix string) []string {
		return []string{"spec.services[Worker]: registers in Dynamo namespace " + namespace + ", but the frontend looks for workers in " + prefix +
			", so it sends no requests to this worker; remove variable DYN_NAMESPACE, or set DYN_NAMESPACE_PREFIX of the frontend"}
	}
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Same":   {reason: "What is derived from the graph fits.", spec: spec("", "", "")},
		"Other":  {reason: "The frontend looks in the namespace of the graph.", spec: spec("", env("DYN_NAMESPACE", "other"), ""), want: lost("other", "ns-g")},
		"Longer": {reason: "A frontend also looks in namespaces that begin with its own.", spec: spec("", env("DYN_NAMESPACE", "ns-g-pool"), "")},
		"Strict": {
			reason: "A strict frontend expects a dash after its own.", spec: spec(env("DYN_NAMESPACE_PREFIX_STRICT", "true"), env("DYN_NAMESPACE", "ns-g2"), ""), want: lost("ns-g2", "ns-g"),
		},
		"NotStrict":    {reason: "Other frontends expect nothing.", spec: spec("", env("DYN_NAMESPACE", "ns-g2"), "")},
		"StrictSuffix": {reason: "A strict frontend finds workers with a suffix.", spec: spec(env("DYN_NAMESPACE_PREFIX_STRICT", "true"), env("DYN_NAMESPACE", "ns-g-1f2e3d4c"), "")},
		"Prefix":       {reason: "The user sets both.", spec: spec(env("DYN_NAMESPACE_PREFIX", "other"), env("DYN_NAMESPACE", "other-pool"), "")},
		"OtherPrefix": {
			reason: "The frontend looks somewhere else.", spec: spec(env("DYN_NAMESPACE_PREFIX", "other"), "", ""), want: lost("ns-g", "other"),
		},
		"OwnOfFrontend": {reason: "Where a frontend registers does not matter.", spec: spec(env("DYN_NAMESPACE", "other"), "", "")},
		"Script":        {reason: "A script may set the variable.", spec: spec("", `"command":["sh","-c"],"args":["DYN_NAMESPACE=other exec python3 -m dynamo.vllm"]`, ""), want: lost("other", "ns-g")},
		"Flag":          {reason: "A flag of the frontend takes precedence.", spec: spec(`"args":["--namespace","other"]`, env("DYN_NAMESPACE", "other"), "")},
		"Endpoint":      {reason: "An endpoint contains a namespace.", spec: spec("", `"args":["--endpoint","dyn://ns-g.backend.generate"],`+env("DYN_NAMESPACE", "other"), "")},
		"Reference":     {reason: "A value that is not in the graph may be anything.", spec: spec("", env("DYN_NAMESPACE", "$(SPACE)"), "")},
		"Elsewhere": {
			reason: "A namespace that the graph does not contain is told, because the frontend cannot follow it.",
			spec:   spec("", `"env":[{"name":"DYN_NAMESPACE","valueFrom":{"configMapKeyRef":{"name":"a","key":"b"}}}]`, ""),
			want: []string{"spec.services[Worker]: registers in the Dynamo namespace in variable DYN_NAMESPACE, whose value is not in the graph, and the frontend looks for workers in ns-g; " +
				"remove the variable, or make sure that its value begins with that, or set DYN_NAMESPACE_PREFIX of the frontend"},
		},
		"ElsewhereAndEndpoint": {
			reason: "An endpoint contains a namespace, whatever the variable is.",
			spec:   spec("", `"args":["--endpoint","dyn://ns-g.backend.generate"],"env":[{"name":"DYN_NAMESPACE","valueFrom":{"configMapKeyRef":{"name":"a","key":"b"}}}]`, ""),
		},
		"Password": {
			reason: "What cannot be the name of a namespace may contain a password.", spec: spec(env("DYN_NAMESPACE_PREFIX", "https://a:b@example.org"), env("DYN_NAMESPACE", "password=1"), ""),
			want: []string{"spec.services[Worker]: registers in another namespace, but the frontend looks for workers in another namespace, so it sends no requests to this worker; " +
				"remove variable DYN_NAMESPACE, or set DYN_NAMESPACE_PREFIX of the frontend"},
		},
		"Router":  {reason: "A router may forward requests to another namespace.", spec: spec("", env("DYN_NAMESPACE", "other"), `,"Router":{}`)},
		"Planner": {reason: "A planner forwards none.", spec: spec("", env("DYN_NAMESPACE", "other"), `,"Planner":{"componentType":"planner"}`), want: lost("other", "ns-g")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(inputv1alpha1.Policy{})))
			decided := map[string]graphplan.Component{"Frontend": {DynamoNamespace: "ns-g"}, "Worker": {DynamoNamespace: "ns-g"}}
			if diff := cmp.Diff(tc.want, NamespaceWarnings(f, decided).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nNamespaceWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
