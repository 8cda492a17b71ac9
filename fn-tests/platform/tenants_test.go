package platform

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

const readVerbs = "get list watch"

// tenantObjects of a file, by kind and name, decoded strictly.
func tenantObjects[T any](t *testing.T, file, kind string) map[string]*T {
	t.Helper()
	data := harness.File(t, filepath.Join("package", file))
	objects, err := harness.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*T{}
	for _, object := range objects {
		if object.GetKind() != kind {
			continue
		}
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
			t.Fatalf("%s: %v", object.GetName(), err)
		}
		found[object.GetName()] = typed
	}
	return found
}

// TestEditor pins what tenants may write.
func TestEditor(t *testing.T) {
	role := tenantObjects[rbacv1.ClusterRole](t, "tenants.yaml", "ClusterRole")["dgd-editor"]
	want := map[permission]bool{}
	for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete"} {
		want[permission{"nvidia.com", "dynamographdeployments", verb}] = true
	}
	for _, verb := range []string{"get", "update", "patch"} {
		want[permission{"nvidia.com", "dynamographdeploymentscalingadapters/scale", verb}] = true
	}
	if got := permissions(role.Rules); !maps.Equal(want, got) {
		t.Errorf("dgd-editor: want %v, got %v", want, got)
	}
	if diff := cmp.Diff("true", role.Labels["rbac.authorization.k8s.io/aggregate-to-edit"]); diff != "" {
		t.Errorf("label of aggregation: -want, +got:\n%s", diff)
	}
}

// TestViewer shows that tenants can look at everything in their namespace that a graph is composed of or that is looked up for it, except for
// what grants permissions or is secret.
func TestViewer(t *testing.T) {
	role := tenantObjects[rbacv1.ClusterRole](t, "tenants.yaml", "ClusterRole")["dgd-viewer"]
	if diff := cmp.Diff("true", role.Labels["rbac.authorization.k8s.io/aggregate-to-view"]); diff != "" {
		t.Errorf("label of aggregation: -want, +got:\n%s", diff)
	}
	want := map[string]bool{
		"nvidia.com/dynamographdeployments": true, "nvidia.com/dynamoworkermetadatas": true, "scheduler.grove.io/podgangs": true,
		"scheduling.run.ai/podgroups": true, "resource.k8s.io/resourceclaims": true,
	}
	for _, k := range kinds.All() {
		if k.Readers == kinds.Viewers {
			want[k.Group+"/"+k.Resource] = true
		}
	}
	got := map[string]bool{}
	for _, rule := range role.Rules {
		if verbs := strings.Join(rule.Verbs, " "); verbs != readVerbs {
			t.Errorf("%v: want verbs %s, got %s", rule.Resources, readVerbs, verbs)
		}
		for _, resource := range rule.Resources {
			got[rule.APIGroups[0]+"/"+resource] = true
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dgd-viewer: -want, +got:\n%s", diff)
	}
}

// TestRolesForWhy shows that the command why needs no more than the roles view and dgd-viewer.
func TestRolesForWhy(t *testing.T) {
	// These are in the role view of Kubernetes.
	allowed := map[string]bool{
		"deployments": true, "events": true, "horizontalpodautoscalers": true, "persistentvolumeclaims": true, "pods": true, "replicasets": true, "statefulsets": true,
	}
	for _, rule := range tenantObjects[rbacv1.ClusterRole](t, "tenants.yaml", "ClusterRole")["dgd-viewer"].Rules {
		for _, resource := range rule.Resources {
			allowed[resource] = true
		}
	}
	found := kindsIn(t, whyFolder)
	if len(found) < 5 {
		t.Fatalf("want more kinds in %s, got %v", whyFolder, found)
	}
	for kind, at := range found {
		// Composite resources of claims, and functions, belong to the platform, and are done without.
		if resource := strings.ToLower(kind) + "s"; kind != "Composite" && kind != "Function" && !allowed[resource] {
			t.Errorf("%s reads %s, which neither view nor dgd-viewer allows", at, resource)
		}
	}
}

// TestNetworkPolicies shows that each policy of the example of a namespace selects pods of a graph, whose ports have the names in it.
func TestNetworkPolicies(t *testing.T) {
	pods := podsOf(t, "examples/planner.yaml")
	for name, policy := range tenantObjects[networkingv1.NetworkPolicy](t, "tenant-namespace.yaml", "NetworkPolicy") {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ports, selected := map[string]bool{}, 0
		for _, pod := range pods {
			if selector.Matches(labels.Set(pod.labels)) {
				selected++
				maps.Copy(ports, pod.ports)
			}
		}
		if selected == 0 {
			t.Errorf("%s selects none of the %d pods", name, len(pods))
		}
		for _, rule := range policy.Spec.Ingress {
			for _, port := range rule.Ports {
				if !ports[port.Port.StrVal] {
					t.Errorf("%s: none of the pods has a port %s", name, port.Port.String())
				}
			}
		}
	}
}

type templatePod struct {
	labels map[string]string
	ports  map[string]bool
}

// podsOf a graph that is rendered on Deployments.
func podsOf(t *testing.T, example string) []templatePod {
	t.Helper()
	output := harness.New(t).RenderAccepted(t, harness.Render{XR: example, Cluster: "examples/cluster/none.yaml"})
	var pods []templatePod
	for _, object := range output.Composed {
		template, found, err := unstructured.NestedMap(object.Object, "spec", "template")
		if err != nil || !found {
			continue
		}
		pod := templatePod{ports: map[string]bool{}}
		pod.labels, _, _ = unstructured.NestedStringMap(template, "metadata", "labels")
		containers, _, _ := unstructured.NestedSlice(template, "spec", "containers")
		for _, container := range containers {
			fields, _ := container.(map[string]any)
			list, _, _ := unstructured.NestedSlice(fields, "ports")
			for _, port := range list {
				if entry, ok := port.(map[string]any); ok {
					if name, ok := entry["name"].(string); ok {
						pod.ports[name] = true
					}
				}
			}
		}
		pods = append(pods, pod)
	}
	return pods
}
