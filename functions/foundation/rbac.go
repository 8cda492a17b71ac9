package foundation

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
)

// account is a ServiceAccount with the Role that it is bound to.
type account struct {
	serviceAccountKey, roleKey, bindingKey resource.Name
	serviceAccount, role, binding          string
	rules                                  []rbacv1.PolicyRule
}

// discoveryRBAC lets pods find each other through Kubernetes.
func (f *foundation) discoveryRBAC() []composed {
	if !f.plan.UsesKubernetesDiscovery() {
		return nil
	}
	n := f.graph.Names()
	return f.account(account{
		names.KeyDiscoveryServiceAccount, names.KeyDiscoveryRole, names.KeyDiscoveryRoleBinding,
		n.DiscoveryServiceAccount(), n.DiscoveryRole(), n.DiscoveryRoleBinding(),
		[]rbacv1.PolicyRule{
			rule("", []string{"endpoints", "pods"}, "get", "list", "watch"),
			rule("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
			workerMetadata(),
		},
	})
}

// plannerRBAC lets the planner watch its graph and scale it, and find workers as every pod does.
func (f *foundation) plannerRBAC() []composed {
	if !f.has(v1alpha1.ComponentPlanner) {
		return nil
	}
	n := f.graph.Names().Planner()
	own := rule(v1alpha1.Group, []string{"dynamographdeployments"}, "get", "update", "patch")
	own.ResourceNames = []string{f.graph.Name}
	return f.account(account{
		names.KeyPlannerServiceAccount, names.KeyPlannerRole, names.KeyPlannerRoleBinding, n, n, n,
		[]rbacv1.PolicyRule{
			own,
			// A list cannot be granted by name; a watch of one name needs it.
			rule(v1alpha1.Group, []string{"dynamographdeployments"}, "list", "watch"),
			rule("", []string{"endpoints", "pods"}, "get", "list", "watch"),
			rule("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
			workerMetadata(),
		},
	})
}

// eppRBAC lets the Endpoint Picker watch its pool and the pods behind it.
func (f *foundation) eppRBAC() []composed {
	if !f.has(v1alpha1.ComponentEPP) {
		return nil
	}
	n := f.graph.Names().EPP()
	return f.account(account{
		names.KeyEPPServiceAccount, names.KeyEPPRole, names.KeyEPPRoleBinding, n, n, n,
		[]rbacv1.PolicyRule{
			rule("", []string{"endpoints", "pods"}, "get", "list", "watch"),
			rule("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
			rule("inference.networking.k8s.io", []string{"inferencepools"}, "get", "list", "watch"),
			rule("inference.networking.x-k8s.io", []string{"inferencemodelrewrites", "inferenceobjectives", "inferencepools"}, "get", "list", "watch"),
			workerMetadata(),
		},
	})
}

func (f *foundation) account(a account) []composed {
	labels := func() map[string]string {
		return map[string]string{
			metadata.LabelManagedBy:    metadata.ManagedBy,
			metadata.LabelAppComponent: "rbac",
			metadata.LabelAppName:      a.serviceAccount,
		}
	}
	meta := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
	}
	return []composed{
		{a.serviceAccountKey, &corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: rbacv1.ServiceAccountKind},
			ObjectMeta: f.objectMeta(a.serviceAccount, labels()),
		}},
		{a.roleKey, &rbacv1.Role{TypeMeta: meta("Role"), ObjectMeta: f.objectMeta(a.role, labels()), Rules: a.rules}},
		{a.bindingKey, &rbacv1.RoleBinding{
			TypeMeta:   meta("RoleBinding"),
			ObjectMeta: f.objectMeta(a.binding, labels()),
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: a.serviceAccount, Namespace: f.graph.Namespace}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.role},
		}},
	}
}

// workerMetadata is where Dynamo's runtime publishes what each worker serves.
func workerMetadata() rbacv1.PolicyRule {
	return rule(v1alpha1.Group, []string{"dynamoworkermetadatas"}, "create", "get", "list", "watch", "update", "patch", "delete")
}

func rule(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// has reports whether any service is of a component type.
func (f *foundation) has(componentType string) bool {
	for _, service := range f.graph.Spec.Services {
		if service.ComponentType == componentType {
			return true
		}
	}
	return false
}
