package adoption

import (
	"maps"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// withoutProof are changes after each of which nothing proves that the operator has made an object for the graph, by what they show.
func withoutProof() map[string]func(object *unstructured.Unstructured) {
	forget := func(object *unstructured.Unstructured) {
		annotations := object.GetAnnotations()
		delete(annotations, "dynamo.nvidia.com/released-from")
		object.SetAnnotations(annotations)
	}
	return map[string]func(object *unstructured.Unstructured){
		"somebody else has written it": func(object *unstructured.Unstructured) {
			forget(object)
			managers := object.GetManagedFields()
			for i := range managers {
				managers[i].Manager = "kubectl-client-side-apply"
			}
			object.SetManagedFields(managers)
		},
		"some operator only writes its status": func(object *unstructured.Unstructured) {
			forget(object)
			managers := object.GetManagedFields()
			for i := range managers {
				managers[i].Subresource = "status"
			}
			object.SetManagedFields(managers)
		},
		"it is known by its name alone": func(object *unstructured.Unstructured) {
			forget(object)
			object.SetManagedFields(nil)
		},
	}
}

// ofAnother are changes after each of which an object says that it belongs to another graph, by what they show. Whatever proves that it is one of the
// graph stays.
func ofAnother() map[string]func(object *unstructured.Unstructured) {
	return map[string]func(object *unstructured.Unstructured){
		"it was released from another graph": func(object *unstructured.Unstructured) { release(object, "another") },
		"another graph owns it": func(object *unstructured.Unstructured) {
			object.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeployment", Name: "another", UID: "1e7f0f3a-0000-4000-8000-000000000002"}})
		},
		"it selects the pods of another graph": func(object *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(object.Object, "another", "spec", "selector", "nvidia.com/dynamo-graph-deployment-name")
		},
	}
}

// TestProof changes each live object of each graph so that nothing proves any more that the operator has made it for the graph, or that it says that
// it belongs to another graph. Then the object is not taken over, and the graph is refused. Claims are used as they are.
func TestProof(t *testing.T) {
	t.Run("Without", func(t *testing.T) {
		testProof(t, withoutProof(), "nothing proves that the Dynamo operator has made it for this graph")
	})
	t.Run("Another", func(t *testing.T) { testProof(t, ofAnother(), "it belongs to graph another, as its ") })
}

func testProof(t *testing.T, changes map[string]func(object *unstructured.Unstructured), reason string) {
	t.Helper()
	kinds := map[string]int{}
	for name, cluster := range own() {
		whole := subjectOf(t, name, cluster, fused)
		for i, object := range whole.live {
			if whole.stays(object) {
				continue
			}
			for shows, change := range changes {
				kinds[object.GetKind()]++
				s := *whole
				s.live = slices.Clone(whole.live)
				s.live[i] = object.DeepCopy()
				change(s.live[i])
				g, err := s.adopt(t.Context())
				if object.GetKind() == "PersistentVolumeClaim" {
					if err != nil || slices.ContainsFunc(g.Objects(), func(o *unstructured.Unstructured) bool { return id(o) == id(object) }) {
						t.Errorf("%s, %s, of which %s: want it used as it is, got error %v, and %v", name, id(object), shows, err, g.Composed())
					}
					continue
				}
				if want := "cannot adopt " + id(object) + ": " + reason; err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s, of which %s: want %q, got %v", name, id(object), shows, want, err)
				}
				if len(g.Objects()) > 0 {
					t.Errorf("%s, %s, of which %s: want nothing composed, got %v", name, id(object), shows, g.Composed())
				}
			}
		}
	}
	want := []string{"Deployment", "LeaderWorkerSet", "PersistentVolumeClaim", "PodCliqueSet", "PodGroup", "Role", "RoleBinding", "Service", "ServiceAccount"}
	if got := slices.Sorted(maps.Keys(kinds)); !slices.Equal(want, got) {
		t.Errorf("kinds that were tried: want %v, got %v", want, got)
	}
}

// foreign objects with names that the graph in testdata/deployments.yaml needs, as somebody may have made them by hand.
func foreign() []string {
	return []string{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":5,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}}}}}`,
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend"},"spec":{"selector":{"app":"a"}}}`,
		`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"llama-k8s-service-discovery"}}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"llama-planner"},"rules":[]}`,
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"llama-k8s-service-discovery-role"},"rules":[]}`,
	}
}

// TestForeign shows that objects that somebody has made by hand, and that some operator with the usual name of its executable has changed, are not
// taken over, whatever their kind, although nobody controls them.
func TestForeign(t *testing.T) {
	for _, text := range foreign() {
		objects, err := harness.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		object := objects[0]
		object.SetNamespace("inference")
		object.SetManagedFields(managersOf(object))
		s := subjectOf(t, "deployments", harness.LWSVolcano, fused)
		s.live = []*unstructured.Unstructured{object}
		g, err := s.adopt(t.Context())
		if want := "cannot adopt " + id(object) + ": nothing proves"; err == nil || !strings.Contains(err.Error(), want) || len(g.Objects()) > 0 {
			t.Errorf("want %q and nothing composed, got %v, and %v", want, err, g.Composed())
		}
	}
}

// TestBindings shows that no RoleBinding is taken over that grants something else, or that somebody else would miss, even if the operator has made it.
func TestBindings(t *testing.T) {
	ref := func(kind, name string) map[string]any {
		return map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
	}
	account := func(name, namespace string) map[string]any {
		return map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}
	}
	alice := map[string]any{"kind": "User", "name": "alice", "apiGroup": "rbac.authorization.k8s.io"}
	const (
		discovery = "llama-k8s-service-discovery"
		binding   = discovery + "-binding"
	)
	cases := map[string]struct {
		reason, name string
		roleRef      map[string]any
		subjects     []any
		want         string
	}{
		"OtherRole": {
			reason: "Whoever may create a graph must not get what a binding of another role grants.", name: binding,
			roleRef: ref("Role", "secrets-admin"), subjects: []any{account(discovery, "inference")},
			want: "it grants Role secrets-admin, and the RoleBinding of the graph grants Role " + discovery + "-role",
		},
		"ClusterRole": {
			reason: "A ClusterRole of the same name is another role.", name: binding,
			roleRef: ref("ClusterRole", discovery+"-role"), want: "it grants ClusterRole " + discovery + "-role",
		},
		"OfPlanner": {
			reason: "The operator makes no binding for the planner of a graph, but somebody may have.", name: "llama-planner",
			roleRef: ref("Role", "secrets-admin"), subjects: []any{alice}, want: "it grants Role secrets-admin, and the RoleBinding of the graph grants Role llama-planner",
		},
		"OtherSubject": {
			reason: "A subject must not lose what the binding grants.", name: binding,
			roleRef: ref("Role", discovery+"-role"), subjects: []any{account(discovery, "inference"), alice}, want: "User alice would lose what it grants",
		},
		"OtherNamespace": {
			reason: "An account in another namespace is another one.", name: binding,
			roleRef: ref("Role", discovery+"-role"), subjects: []any{account(discovery, "other")}, want: "ServiceAccount " + discovery + " would lose what it grants",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := subjectOf(t, "deployments", harness.LWSVolcano, fused)
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "roleRef": tc.roleRef, "subjects": tc.subjects,
			}}
			object.SetName(tc.name)
			object.SetNamespace("inference")
			Release("llama", []*unstructured.Unstructured{object})
			s.live = append(slices.DeleteFunc(s.live, func(o *unstructured.Unstructured) bool { return id(o) == id(object) }), object)
			g, err := s.adopt(t.Context())
			if want := "cannot adopt RoleBinding " + tc.name + ": " + tc.want; err == nil || !strings.Contains(err.Error(), want) || len(g.Objects()) > 0 {
				t.Errorf("%s\nwant %q and nothing composed, got %v, and %v", tc.reason, want, err, g.Composed())
			}
		})
	}
}

// TestOwners shows that an owner reference of the operator that does not control the object is a proof, and that one of another graph is not.
func TestOwners(t *testing.T) {
	for graph, wantError := range map[string]bool{"llama": false, "another": true} {
		s := subjectOf(t, "deployments", harness.LWSVolcano, fused)
		for _, object := range s.live {
			object.SetManagedFields(nil)
			object.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "nvidia.com/v1beta1", Kind: "DynamoGraphDeployment", Name: graph, UID: "1e7f0f3a-0000-4000-8000-000000000001"}})
		}
		g, err := s.adopt(t.Context())
		if wantError != (err != nil) {
			t.Errorf("objects that are owned by graph %s: want an error: %t, got %v, and %v", graph, wantError, err, g.Composed())
		}
	}
}

// TestNeighbour shows that graph a with component b-c does not take over what graph a-b has made for its component c, which has the same names,
// wherever it says so, and that an Ingress is not taken over that leads to a Service of graph a-b.
func TestNeighbour(t *testing.T) {
	const graph = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"inference"},"spec":{"services":{"b-c":{
		"componentType":"frontend","globalDynamoNamespace":true,"ingress":{"enabled":true,"host":"a.example.org"},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.com/runtime:1.0.0"}}}}}}`
	component := func(metadata, selector string) string {
		return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a-b-c","namespace":"inference"` + metadata + `},
			"spec":{"selector":{"nvidia.com/dynamo-component":"c","nvidia.com/dynamo-namespace":"dynamo"` + selector + `},"ports":[{"name":"http","port":8000}]}}`
	}
	ingress := func(metadata string) string {
		return `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"a-b-c","namespace":"inference"` + metadata + `},
			"spec":{"rules":[{"host":"pay.example.org","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"a-b-c","port":{"name":"http"}}}}]}}]}}`
	}
	const (
		owner    = `,"ownerReferences":[{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"a-b","uid":"1e7f0f3a-0000-4000-8000-000000000001"}]`
		released = `,"annotations":{"dynamo.nvidia.com/released-from":"a-b"}`
		label    = `,"nvidia.com/dynamo-graph-deployment-name":"a-b"`
	)
	cases := map[string]struct {
		reason string
		live   []string
		want   string
	}{
		"Owner":     {reason: "The operator is stopped, and its references are left.", live: []string{component(owner, "")}, want: "Service a-b-c: it belongs to graph a-b, as its owner reference of DynamoGraphDeployment a-b says"},
		"Released":  {reason: "Its references were removed as by command adopt.", live: []string{component(released, "")}, want: "Service a-b-c: it belongs to graph a-b, as its annotation dynamo.nvidia.com/released-from says"},
		"Selector":  {reason: "It selects the pods of the other graph.", live: []string{component("", label)}, want: "Service a-b-c: it belongs to graph a-b, as its label nvidia.com/dynamo-graph-deployment-name says"},
		"Component": {reason: "It selects the pods of a service that the graph does not have.", live: []string{component("", "")}, want: "Service a-b-c: nothing proves"},
		"Ingress":   {reason: "It leads to a name that is also one of the graph.", live: []string{ingress(owner)}, want: "Ingress a-b-c: it belongs to graph a-b, as its owner reference of DynamoGraphDeployment a-b says"},
		"Backend":   {reason: "It leads to a Service of the other graph, and nobody marks it.", live: []string{component(owner, ""), ingress("")}, want: "Service a-b-c: it belongs to graph a-b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := subjectOf(t, "deployments", harness.LWSVolcano, fused)
			manifest, err := harness.Parse([]byte(graph))
			if err != nil {
				t.Fatal(err)
			}
			s.manifest, s.live = manifest[0], nil
			for _, text := range tc.live {
				object, err := harness.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				object[0].SetManagedFields(managersOf(object[0]))
				s.live = append(s.live, object[0])
			}
			g, err := s.adopt(t.Context())
			if want := "cannot adopt " + tc.want; err == nil || !strings.Contains(err.Error(), want) || len(g.Objects()) > 0 {
				t.Errorf("%s\nwant %q and nothing composed, got %v, and %v", tc.reason, want, err, g.Composed())
			}
		})
	}
}
