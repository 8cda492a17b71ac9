package foundation

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// rbacMeta is the metadata of an object of RBAC that belongs to a ServiceAccount.
func rbacMeta(name, account string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "inference", Labels: map[string]string{
		"app.kubernetes.io/managed-by": "configuration-dynamo", "app.kubernetes.io/component": "rbac", "app.kubernetes.io/name": account,
	}}
}

func accountOf(name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: rbacMeta(name, name)}
}

func roleOf(name, account string, rules ...rbacv1.PolicyRule) *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
		ObjectMeta: rbacMeta(name, account), Rules: rules,
	}
}

// allowing verbs on resources of one API group.
func allowing(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// allowingNamed allows verbs on a resource of the graph's API group, only for objects with these names.
func allowingNamed(resource string, names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{"nvidia.com"}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}
}

// bindingOf a role to ServiceAccounts.
func bindingOf(name, account, role string, subjects ...string) *rbacv1.RoleBinding {
	binding := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: rbacMeta(name, account),
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: role},
	}
	for _, subject := range subjects {
		binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: "ServiceAccount", Name: subject, Namespace: "inference"})
	}
	return binding
}

// TestDiscoveryRBAC shows which ServiceAccounts can watch pods and publish what a worker serves.
func TestDiscoveryRBAC(t *testing.T) {
	const account = "llama-k8s-service-discovery"
	role := roleOf(account+"-role", account,
		allowing("", []string{"endpoints", "pods"}, "get", "list", "watch"),
		allowing("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
		allowing("nvidia.com", []string{"dynamoworkermetadatas"}, "create", "get", "list", "watch", "update", "patch", "delete"))
	compareParts(t, "discovery-", map[string]partCase{
		"Kubernetes": {
			reason: "Pods that are discovered through Kubernetes have an account for it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "S"))),
			want: map[string]any{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding":    bindingOf(account+"-binding", account, account+"-role", account),
			},
		},
		"OwnAccounts": {
			reason: "Planner and Endpoint Picker have accounts of their own, which may do the same.",
			req:    steptest.Request(`{"services":{"P":{"componentType":"planner"},"E":{"componentType":"epp"}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "P", "E"))),
			want: map[string]any{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding": bindingOf(account+"-binding", account, account+"-role",
					account, "llama-planner", "llama-epp"),
			},
		},
		"UserAccounts": {
			reason: "An account of the user's own replaces that of the graph, and its pods are to be discovered, too; each is bound once, and only where Kubernetes is asked.",
			req: steptest.Request(`{"services":{
				"P":{"componentType":"planner","extraPodSpec":{"serviceAccountName":"scaler"}},
				"W":{"componentType":"worker","extraPodSpec":{"serviceAccountName":"reader"}},
				"X":{"componentType":"worker","extraPodSpec":{"serviceAccount":"reader"}},
				"Z":{"extraPodSpec":{"serviceAccountName":"llama-planner"}},
				"Y":{"componentType":"worker","extraPodSpec":{"serviceAccountName":"elsewhere"}}}}`,
				steptest.OnGrove(t, steptest.Components("kubernetes", "P", "W", "X", "Z"), func(p *graphplan.Plan) {
					p.Components["Y"] = graphplan.Component{Discovery: "etcd", DynamoNamespace: "inference-llama"}
				})),
			want: map[string]any{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding": bindingOf(account+"-binding", account, account+"-role",
					account, "llama-planner", "reader", "scaler"),
			},
		},
		"Etcd": {
			reason: "With etcd, discovery needs no account.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want:   map[string]any{},
		},
	})
}

func TestPlannerRBAC(t *testing.T) {
	const name = "llama-planner"
	graph := allowingNamed("dynamographdeployments", []string{"llama"}, "get", "patch")
	scaling := func(adapters ...string) rbacv1.PolicyRule {
		return allowingNamed("dynamographdeploymentscalingadapters/scale", adapters, "get", "patch")
	}
	anyScale := allowing("nvidia.com", []string{"dynamographdeploymentscalingadapters/scale"}, "get", "patch")
	anyAdapter := allowing("nvidia.com", []string{"dynamographdeploymentscalingadapters"}, "get")
	metadatas := allowing("nvidia.com", []string{"dynamoworkermetadatas"}, "list")
	compareParts(t, "planner-", map[string]partCase{
		"Planner": {
			reason: "A planner may scale its own graph and no other, and try the adapters of its workers.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"},"Worker":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S", "Worker"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, scaling("llama-worker"), metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"Adapters": {
			reason: "Where a service has an adapter, whatever its type, the planner may scale by it and look at it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"},"Decode":{"scalingAdapter":{"enabled":true}},"Prefill":{"componentType":"prefill"}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, scaling("llama-decode", "llama-prefill"), allowingNamed("dynamographdeploymentscalingadapters", []string{"llama-decode"}, "get"), metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"NoWorkers": {
			reason: "A planner without workers has no adapters to try.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"UserAccount": {
			reason: "A planner that runs as an account of the user's own may do the same, and no other account may.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner","extraPodSpec":{"serviceAccountName":"scaler"}},
				"W":{"extraPodSpec":{"serviceAccountName":"reader"}}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S", "W"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, scaling("llama-w"), metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name, "scaler"),
			},
		},
		"Power": {
			reason: "A planner that distributes power looks at the pods, which the role for discovery allows where there is one, and changes none.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner"},"W":{"extraPodMetadata":{"annotations":{"dynamo.nvidia.com/gpu-power-limit":"350"}}}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "S", "W"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, scaling("llama-w"), metadatas, allowing("", []string{"pods"}, "list")),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"OtherGraph": {
			reason: "A planner that is told another graph may scale that one and not its own; the names of the adapters there are not known.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner","envs":[{"name":"DYN_PARENT_DGD_K8S_NAME","value":"qwen"},{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"inference"}]}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, allowingNamed("dynamographdeployments", []string{"qwen"}, "get", "patch"), anyScale, anyAdapter, metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"BothGraphs": {
			reason: "With a planner for each of two graphs, the account may scale both.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner"},"T":{"componentType":"planner","envs":[{"name":"DYN_PARENT_DGD_K8S_NAME","value":"qwen"}]}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "S", "T"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, allowingNamed("dynamographdeployments", []string{"llama", "qwen"}, "get", "patch"), anyScale, anyAdapter, metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"OtherNamespace": {
			reason: "No permission is given for a graph in another namespace, nor for one of its name here.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner","envs":[{"name":"DYN_PARENT_DGD_K8S_NAME","value":"qwen"},{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"batch"}]}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"NotAPlanner": {
			reason: "What a worker is told to be its graph gives nobody a permission.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner"},"W":{"componentType":"worker","envs":[{"name":"DYN_PARENT_DGD_K8S_NAME","value":"qwen"}]}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "S", "W"))),
			want: map[string]any{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, graph, scaling("llama-w"), metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"NoPlanner": {
			reason: "Without a planner, no account may scale the graph.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "S"))),
			want:   map[string]any{},
		},
	})
}

func TestEPPRBAC(t *testing.T) {
	const name, config = "llama-epp", `"eppConfig":{"configMapRef":{"name":"c","key":"k"}}`
	rules := []rbacv1.PolicyRule{
		allowing("", []string{"pods"}, "get", "list", "watch"),
		allowing("inference.networking.k8s.io", []string{"inferencepools"}, "get", "list", "watch"),
		allowing("inference.networking.x-k8s.io", []string{"inferencemodelrewrites", "inferenceobjectives"}, "get", "list", "watch"),
	}
	native := []rbacv1.PolicyRule{
		rules[0],
		allowing("", []string{"services"}, "get"),
		allowing("discovery.k8s.io", []string{"endpointslices"}, "get", "list", "watch"),
		allowing("inference.networking.k8s.io", []string{"inferencepools", "inferencepools/status"}, "get", "list", "watch"),
		allowing("nvidia.com", []string{"dynamoworkermetadatas"}, "get", "list", "watch"),
	}
	// live is the picker of the frontend image, after one with a configuration: what the pods were built from, and whether they are ready.
	live := func(written string, ready int32, rules ...rbacv1.PolicyRule) *fnv1.RunFunctionRequest {
		components := map[string]graphplan.Component{"S": {Discovery: "etcd", Written: "now"}}
		req := steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, steptest.OnDeployments(t, components))
		req.Observed.Composite.Resource = tree.WithText(req.GetObserved().GetComposite().GetResource(), written, "written", "status", "services", "S", "revision")
		req.Observed.Resources = steptest.State(map[string]any{
			"epp-role": roleOf(name, name, rules...),
			"deployment-s": fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-s"},"spec":{"replicas":1},
				"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":%d,"availableReplicas":%d,"conditions":[{"type":"Available","status":"True"}]}}`, ready, ready),
		}).GetResources()
		return req
	}
	objects := func(rules ...rbacv1.PolicyRule) map[string]any {
		return map[string]any{"epp-serviceaccount": accountOf(name), "epp-role": roleOf(name, name, rules...), "epp-rolebinding": bindingOf(name, name, name, name)}
	}
	compareParts(t, "epp-", map[string]partCase{
		"Edited": {
			reason: "Until the pods of another kind of picker are replaced, they read what they read before.",
			req:    live("before", 1, rules...), want: objects(append(slices.Clone(native), rules[1:]...)...),
		},
		"Rolling": {
			reason: "While its pods are not ready, the picker before may still run.",
			req:    live("now", 0, append(slices.Clone(native), rules[1:]...)...), want: objects(append(slices.Clone(native), rules[1:]...)...),
		},
		"Rolled":  {reason: "When the pods are ready, the picker before is gone.", req: live("now", 1, append(slices.Clone(native), rules[1:]...)...), want: objects(native...)},
		"Crashed": {reason: "What was taken away does not come back.", req: live("now", 0, native...), want: objects(native...)},
		"Native": {
			reason: "The Endpoint Picker of the frontend image also reads what workers publish, and Services.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"epp-serviceaccount": accountOf(name),
				"epp-role":           roleOf(name, name, native...),
				"epp-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"EPP": {
			reason: "The Endpoint Picker watches its pool and the pods of the pool.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp",`+config+`}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"epp-serviceaccount": accountOf(name),
				"epp-role":           roleOf(name, name, rules...),
				"epp-rolebinding":    bindingOf(name, name, name, name),
			},
		},
		"UserAccount": {
			reason: "An Endpoint Picker that runs as an account of the user's own watches its pool and the pods of the pool.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp",`+config+`,"extraPodSpec":{"serviceAccountName":"picker"}}}}`, steptest.OnGrove(t, steptest.Components("etcd", "S"))),
			want: map[string]any{
				"epp-serviceaccount": accountOf(name),
				"epp-role":           roleOf(name, name, rules...),
				"epp-rolebinding":    bindingOf(name, name, name, name, "picker"),
			},
		},
		"NoEPP": {
			reason: "Without an Endpoint Picker no account may watch pools.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Components("kubernetes", "S"))),
			want:   map[string]any{},
		},
	})
}
