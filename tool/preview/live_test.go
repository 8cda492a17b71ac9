package preview

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// fakeKubectl answers by the ends of commands, and records them.
type fakeKubectl struct {
	answers map[string]string
	asked   []string
}

func (k *fakeKubectl) run(args ...string) ([]byte, error) {
	command := strings.Join(args, " ")
	k.asked = append(k.asked, command)
	for end, answer := range k.answers {
		if strings.HasSuffix(command, end) {
			if message, failed := strings.CutPrefix(answer, "error: "); failed {
				return nil, errors.New(message)
			}
			return []byte(answer), nil
		}
	}
	return nil, nil
}

func TestLiveResources(t *testing.T) {
	kubectl := &fakeKubectl{answers: map[string]string{
		"Service.v1. frontend": `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "frontend"}}`,
		"Queue.v2.scheduling.run.ai": `{"apiVersion": "v1", "kind": "List", "items": [` +
			`{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "a"}}, {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "b"}}]}`,
		"PodClique.v1alpha1.grove.io": `error: the server doesn't have a resource type "PodClique"`,
	}}
	live := &Live{Kubeconfig: "config", Context: "prod", Run: kubectl.run}
	selectors := map[string]*fnv1.ResourceSelector{
		"absent":  {ApiVersion: "v1", Kind: "Secret", Namespace: new("ns"), Match: &fnv1.ResourceSelector_MatchName{MatchName: "--token"}},
		"all":     {ApiVersion: "scheduling.run.ai/v2", Kind: "Queue"},
		"labels":  {ApiVersion: "grove.io/v1alpha1", Kind: "PodClique", Namespace: new("ns"), Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"a": "b"}}}},
		"service": {ApiVersion: "v1", Kind: "Service", Namespace: new("ns"), Match: &fnv1.ResourceSelector_MatchName{MatchName: "frontend"}},
	}
	got := map[string]int{}
	// What was read is not read again.
	for range 2 {
		found, err := live.Resources(selectors)
		if err != nil {
			t.Fatal(err)
		}
		for name, resources := range found {
			got[name] = len(resources.GetItems())
		}
	}
	if diff := cmp.Diff(map[string]int{"absent": 0, "all": 2, "labels": 0, "service": 1}, got); diff != "" {
		t.Errorf("numbers of objects: -want, +got:\n%s", diff)
	}
	const flags = "--kubeconfig=config --context=prod get --output=json --ignore-not-found"
	want := []string{
		flags + " --namespace=ns -- Secret.v1. --token",
		flags + " --all-namespaces -- Queue.v2.scheduling.run.ai",
		flags + " --namespace=ns --selector=a=b -- PodClique.v1alpha1.grove.io",
		flags + " --namespace=ns -- Service.v1. frontend",
	}
	if diff := cmp.Diff(want, kubectl.asked); diff != "" {
		t.Errorf("kubectl: -want, +got:\n%s", diff)
	}
}

func TestLiveErrors(t *testing.T) {
	for name, answer := range map[string]string{"Forbidden": "error: forbidden", "NotJSON": "text"} {
		t.Run(name, func(t *testing.T) {
			live := &Live{Run: (&fakeKubectl{answers: map[string]string{"": answer}}).run}
			if _, err := live.Resources(map[string]*fnv1.ResourceSelector{"a": {ApiVersion: "v1", Kind: "Service"}}); err == nil || !strings.Contains(err.Error(), `cannot resolve requirement "a"`) {
				t.Errorf("want an error with the name of the requirement, got %v", err)
			}
		})
	}
}

func TestLiveSchemas(t *testing.T) {
	cases := map[string]struct {
		reason string
		answer string
		want   bool
		err    string
	}{
		"Served": {reason: "The kind is in the list of its version.", answer: `{"resources": [{"kind": "ClusterTopologyBinding"}]}`, want: true},
		"Other":  {reason: "The version has other kinds.", answer: `{"resources": [{"kind": "PodClique"}]}`},
		"Version": {
			reason: "A version that is not served is not found.",
			answer: "error: Error from server (NotFound): the server could not find the requested resource",
		},
		"Unreachable": {
			reason: "A cluster that cannot be read does not lack the kind.",
			answer: "error: The connection to the server was refused", err: `cannot resolve requirement "a": The connection to the server was refused`,
		},
		"NotJSON": {
			reason: "An answer that cannot be parsed is an error.",
			answer: "text", err: `cannot resolve requirement "a": cannot parse what kubectl prints about grove.io/v1alpha1: `,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := &Live{Run: (&fakeKubectl{answers: map[string]string{"get --raw=/apis/grove.io/v1alpha1": tc.answer}}).run}
			found, err := live.Schemas(map[string]*fnv1.SchemaSelector{"a": {ApiVersion: "grove.io/v1alpha1", Kind: "ClusterTopologyBinding"}})
			if (err != nil) != (tc.err != "") || (err != nil && !strings.HasPrefix(err.Error(), tc.err)) {
				t.Fatalf("%s\nwant error %q, got %v", tc.reason, tc.err, err)
			}
			if got := found["a"].GetOpenapiV3() != nil; got != tc.want {
				t.Errorf("%s\nwant served %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestOwned checks that a graph finds its own objects, and those of no other graph.
func TestOwned(t *testing.T) {
	owner := func(kind, name, labels string) string {
		return `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "frontend", "labels": {` + labels + `}, "ownerReferences": [` +
			`{"apiVersion": "nvidia.com/v1beta1", "kind": "` + kind + `", "name": "` + name + `", "uid": "live", "controller": true}]}}`
	}
	const claim = `"crossplane.io/claim-name": "a", "crossplane.io/claim-namespace": "ns"`
	cases := map[string]struct {
		reason string
		by     *unstructured.Unstructured
		object string
		want   string
	}{
		"Own":        {reason: "The graph has the name of the owner.", by: graphA(), object: owner("DynamoGraphDeployment", "a", ""), want: string(previewUID)},
		"OtherGraph": {reason: "Another graph owns the object.", by: graphA(), object: owner("DynamoGraphDeployment", "b", ""), want: "live"},
		"OtherKind":  {reason: "An object of another kind owns the object.", by: graphA(), object: owner("Deployment", "a", ""), want: "live"},
		"Claim":      {reason: "Both are of the same claim.", by: compositeOf(graphA()), object: owner("XDynamoGraphDeployment", "a-zzzzz", claim), want: string(previewUID)},
		"OtherClaim": {reason: "The object is of no claim.", by: compositeOf(graphA()), object: owner("XDynamoGraphDeployment", "a-zzzzz", ""), want: "live"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &Previewer{Cluster: &Live{Run: (&fakeKubectl{answers: map[string]string{"": tc.object}}).run}}
			found, err := p.clusterOf(tc.by).Resources(map[string]*fnv1.ResourceSelector{"a": {ApiVersion: "v1", Kind: "Service"}})
			if err != nil {
				t.Fatal(err)
			}
			object := unstructured.Unstructured{Object: found["a"].GetItems()[0].GetResource().AsMap()}
			if got := string(object.GetOwnerReferences()[0].UID); got != tc.want {
				t.Errorf("%s\nwant UID %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

func graphA() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "spec": map[string]any{}}}
	o.SetName("a")
	o.SetNamespace("ns")
	return o
}

func TestCompositeOf(t *testing.T) {
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment",
		"metadata": map[string]any{"name": "a", "namespace": "ns", "labels": map[string]any{"team": "x"}},
		"spec":     map[string]any{"resourceRef": map[string]any{"name": "a-old"}, "backendFramework": "vllm"},
	}}
	want := map[string]any{
		"apiVersion": "nvidia.com/v1beta1", "kind": "XDynamoGraphDeployment",
		"metadata": map[string]any{
			"name": "a-" + suffix("ns/a"),
			"labels": map[string]any{
				"team": "x", "crossplane.io/claim-name": "a", "crossplane.io/claim-namespace": "ns", "crossplane.io/composite": "a-" + suffix("ns/a"),
			},
		},
		"spec": map[string]any{
			"backendFramework": "vllm",
			"claimRef":         map[string]any{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "name": "a", "namespace": "ns"},
		},
	}
	if diff := cmp.Diff(want, compositeOf(claim).Object); diff != "" {
		t.Errorf("compositeOf(...): -want, +got:\n%s", diff)
	}
	if len(suffix("ns/a")) != 5 || suffix("ns/a") == suffix("ns/b") {
		t.Error("want five characters that depend on the claim")
	}
}
