// Package platform shows that platform teams can install what is in package/ beside the functions, and what it does: package/rbac.yaml allows
// what the functions need and nothing else, tenants may do what package/tenants.yaml says, the policies in package/admission refuse what they
// should, as an API server evaluates them, and Argo CD and Flux read the health of graphs in every state.
package platform

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// A permission is one verb on one resource.
type permission struct{ group, resource, verb string }

// own is the API that this Configuration publishes. Crossplane's RBAC manager grants Crossplane every verb on it.
var own = []string{"dynamographdeployments", "xdynamographdeployments"}

func clusterRole(t *testing.T) *rbacv1.ClusterRole {
	t.Helper()
	data := harness.File(t, "package/rbac.yaml")
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(data, role); err != nil {
		t.Fatalf("cannot parse package/rbac.yaml: %v", err)
	}
	return role
}

func permissions(rules []rbacv1.PolicyRule) map[permission]bool {
	all := map[permission]bool{}
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all[permission{group, resource, verb}] = true
				}
			}
		}
	}
	return all
}

// TestRBACRules maps every permission to a kind that is composed or required or to a rule that a composed Role grants, and back.
func TestRBACRules(t *testing.T) {
	want := map[permission]bool{}
	for _, k := range kinds.All() {
		if k.Builtin {
			continue
		}
		for _, verb := range k.Verbs() {
			want[permission{k.Group, k.Resource, verb}] = true
		}
	}
	maps.Copy(want, granted(t))

	got := permissions(clusterRole(t).Rules)
	for p := range got {
		if !want[p] {
			t.Errorf("package/rbac.yaml allows %s of %s.%s, which nothing needs", p.verb, p.resource, p.group)
		}
	}
	for p := range want {
		if !got[p] {
			t.Errorf("package/rbac.yaml does not allow %s of %s.%s", p.verb, p.resource, p.group)
		}
	}
}

// granted is what the Roles grant that a graph with every kind of component composes, but for access to the graph itself.
func granted(t *testing.T) map[permission]bool {
	t.Helper()
	all := map[permission]bool{}
	renders := []harness.Render{
		{XR: "fn-tests/platform/testdata/roles.yaml", Cluster: harness.GroveKAI},
		{XR: "fn-tests/support/corpus/manifests/everything/components-endpoint-picker-of-frontend.yaml", Cluster: harness.GroveKAI},
	}
	roles := 0
	for _, output := range harness.New(t).RenderAll(t, renders) {
		if output.Err != nil {
			t.Fatalf("cannot render the graph with roles: %s", output.Stderr)
		}
		for _, object := range output.Composed {
			if object.GetKind() != "Role" {
				continue
			}
			roles++
			role := &rbacv1.Role{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, role); err != nil {
				t.Fatalf("Role %s: %v", object.GetName(), err)
			}
			maps.Copy(all, permissions(role.Rules))
		}
	}
	if roles != 5 {
		t.Fatalf("want the Roles of discovery and both kinds of Endpoint Pickers, and that of the planner, got %d", roles)
	}
	maps.DeleteFunc(all, func(p permission, _ bool) bool {
		// Crossplane's own role has Services.
		return p.group == "nvidia.com" && slices.Contains(own, p.resource) || p.group == "" && p.resource == "services"
	})
	return all
}

// TestKindsOfTheSource holds the table of kinds to the source of the functions.
func TestKindsOfTheSource(t *testing.T) {
	listed := map[string]bool{}
	for _, k := range kinds.All() {
		listed[k.Kind] = true
	}
	found := sourceKinds(t)
	for kind, at := range found {
		if !listed[kind] {
			t.Errorf("%s names the kind %s: is it composed or required? Then list it in internal/kinds/kinds.go and run make generate", at, kind)
		}
	}
	for kind := range listed {
		if _, ok := found[kind]; !ok {
			t.Errorf("internal/kinds/kinds.go lists the kind %s, which the source of the functions does not name", kind)
		}
	}
}

// TestRBACLabel is what makes the rules Crossplane's.
func TestRBACLabel(t *testing.T) {
	if diff := cmp.Diff("true", clusterRole(t).Labels["rbac.crossplane.io/aggregate-to-crossplane"]); diff != "" {
		t.Errorf("label of aggregation: -want, +got:\n%s", diff)
	}
}

// TestRBACComments wants every rule explained, and none to grant everything.
func TestRBACComments(t *testing.T) {
	data := harness.File(t, "package/rbac.yaml")
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  - apiGroups:") && !strings.HasPrefix(strings.TrimSpace(lines[i-1]), "#") {
			t.Errorf("line %d: a rule without a comment", i+1)
		}
		if strings.Contains(line, "*") && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			t.Errorf("line %d: a rule for everything", i+1)
		}
	}
}
