package foundation

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// rbacMeta is the metadata of an object of RBAC that belongs to a ServiceAccount.
func rbacMeta(name, account string) string {
	return `"metadata":{"name":"` + name + `","namespace":"inference","labels":{"app.kubernetes.io/managed-by":"configuration-dynamo",
		"app.kubernetes.io/component":"rbac","app.kubernetes.io/name":"` + account + `"}}`
}

func accountOf(name string) string {
	return `{"apiVersion":"v1","kind":"ServiceAccount",` + rbacMeta(name, name) + `}`
}

func roleOf(name, account, rules string) string {
	return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",` + rbacMeta(name, account) + `,"rules":[` + rules + `]}`
}

func bindingOf(name, account, role, subjects string) string {
	return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",` + rbacMeta(name, account) + `,
		"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"` + role + `"},"subjects":[` + subjects + `]}`
}

func subject(name string) string {
	return `{"kind":"ServiceAccount","name":"` + name + `","namespace":"inference"}`
}

// TestDiscoveryRBAC shows who may watch pods and publish what a worker serves.
func TestDiscoveryRBAC(t *testing.T) {
	const account = "llama-k8s-service-discovery"
	role := roleOf(account+"-role", account, `
		{"apiGroups":[""],"resources":["endpoints","pods"],"verbs":["get","list","watch"]},
		{"apiGroups":["discovery.k8s.io"],"resources":["endpointslices"],"verbs":["get","list","watch"]},
		{"apiGroups":["nvidia.com"],"resources":["dynamoworkermetadatas"],"verbs":["create","get","list","watch","update","patch","delete"]}`)
	compareParts(t, "discovery-", map[string]partCase{
		"Kubernetes": {
			reason: "Pods that are discovered through Kubernetes have an account for it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "S"))),
			want: map[string]string{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding":    bindingOf(account+"-binding", account, account+"-role", subject(account)),
			},
		},
		"OwnAccounts": {
			reason: "Planner and Endpoint Picker have accounts of their own, which may do the same.",
			req:    steptest.Request(`{"services":{"P":{"componentType":"planner"},"E":{"componentType":"epp"}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "P", "E"))),
			want: map[string]string{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding": bindingOf(account+"-binding", account, account+"-role",
					subject(account)+","+subject("llama-planner")+","+subject("llama-epp")),
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
				steptest.OnGrove(t, steptest.Services("kubernetes", "P", "W", "X", "Z"), func(p *graphplan.Plan) {
					p.Services["Y"] = graphplan.Service{Discovery: "etcd", DynamoNamespace: "inference-llama"}
				})),
			want: map[string]string{
				"discovery-serviceaccount": accountOf(account),
				"discovery-role":           role,
				"discovery-rolebinding": bindingOf(account+"-binding", account, account+"-role",
					subject(account)+","+subject("llama-planner")+","+subject("reader")+","+subject("scaler")),
			},
		},
		"Etcd": {
			reason: "With etcd, discovery needs no account.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want:   map[string]string{},
		},
	})
}

func TestPlannerRBAC(t *testing.T) {
	const name = "llama-planner"
	const metadatas = `{"apiGroups":["nvidia.com"],"resources":["dynamoworkermetadatas"],"verbs":["list"]}`
	compareParts(t, "planner-", map[string]partCase{
		"Planner": {
			reason: "A planner may scale its own graph and no other, and try the adapters of its workers.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"},"Worker":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S", "Worker"))),
			want: map[string]string{
				"planner-serviceaccount": accountOf(name),
				"planner-role": roleOf(name, name, `
					{"apiGroups":["nvidia.com"],"resources":["dynamographdeployments"],"resourceNames":["llama"],"verbs":["get","patch"]},
					{"apiGroups":["nvidia.com"],"resources":["dynamographdeploymentscalingadapters/scale"],"resourceNames":["llama-worker"],"verbs":["patch"]},`+metadatas),
				"planner-rolebinding": bindingOf(name, name, name, subject(name)),
			},
		},
		"Adapters": {
			reason: "Where a service has an adapter, whatever its type, the planner may scale by it and look at it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"},"Decode":{"scalingAdapter":{"enabled":true}},"Prefill":{"componentType":"prefill"}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want: map[string]string{
				"planner-serviceaccount": accountOf(name),
				"planner-role": roleOf(name, name, `{"apiGroups":["nvidia.com"],"resources":["dynamographdeployments"],"resourceNames":["llama"],"verbs":["get","patch"]},
					{"apiGroups":["nvidia.com"],"resources":["dynamographdeploymentscalingadapters/scale"],"resourceNames":["llama-decode","llama-prefill"],"verbs":["patch"]},
					{"apiGroups":["nvidia.com"],"resources":["dynamographdeploymentscalingadapters"],"resourceNames":["llama-decode"],"verbs":["get"]},`+metadatas),
				"planner-rolebinding": bindingOf(name, name, name, subject(name)),
			},
		},
		"NoWorkers": {
			reason: "A planner without workers has no adapters to try.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want: map[string]string{
				"planner-serviceaccount": accountOf(name),
				"planner-role":           roleOf(name, name, `{"apiGroups":["nvidia.com"],"resources":["dynamographdeployments"],"resourceNames":["llama"],"verbs":["get","patch"]},`+metadatas),
				"planner-rolebinding":    bindingOf(name, name, name, subject(name)),
			},
		},
		"UserAccount": {
			reason: "A planner that runs as an account of the user's own may do the same, and no other account may.",
			req: steptest.Request(`{"services":{"S":{"componentType":"planner","extraPodSpec":{"serviceAccountName":"scaler"}},
				"W":{"extraPodSpec":{"serviceAccountName":"reader"}}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S", "W"))),
			want: map[string]string{
				"planner-serviceaccount": accountOf(name),
				"planner-role": roleOf(name, name, `{"apiGroups":["nvidia.com"],"resources":["dynamographdeployments"],"resourceNames":["llama"],"verbs":["get","patch"]},
					{"apiGroups":["nvidia.com"],"resources":["dynamographdeploymentscalingadapters/scale"],"resourceNames":["llama-w"],"verbs":["patch"]},`+metadatas),
				"planner-rolebinding": bindingOf(name, name, name, subject(name)+","+subject("scaler")),
			},
		},
		"NoPlanner": {
			reason: "Without a planner, no account may scale the graph.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "S"))),
			want:   map[string]string{},
		},
	})
}

func TestEPPRBAC(t *testing.T) {
	const name = "llama-epp"
	compareParts(t, "epp-", map[string]partCase{
		"EPP": {
			reason: "The Endpoint Picker watches its pool and the pods of the pool.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want: map[string]string{
				"epp-serviceaccount": accountOf(name),
				"epp-role": roleOf(name, name, `{"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]},
					{"apiGroups":["inference.networking.k8s.io"],"resources":["inferencepools"],"verbs":["get","list","watch"]},
					{"apiGroups":["inference.networking.x-k8s.io"],"resources":["inferencemodelrewrites","inferenceobjectives"],"verbs":["get","list","watch"]}`),
				"epp-rolebinding": bindingOf(name, name, name, subject(name)),
			},
		},
		"UserAccount": {
			reason: "An Endpoint Picker that runs as an account of the user's own watches its pool and the pods of the pool.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp","extraPodSpec":{"serviceAccountName":"picker"}}}}`, steptest.OnGrove(t, steptest.Services("etcd", "S"))),
			want: map[string]string{
				"epp-serviceaccount": accountOf(name),
				"epp-role": roleOf(name, name, `{"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]},
					{"apiGroups":["inference.networking.k8s.io"],"resources":["inferencepools"],"verbs":["get","list","watch"]},
					{"apiGroups":["inference.networking.x-k8s.io"],"resources":["inferencemodelrewrites","inferenceobjectives"],"verbs":["get","list","watch"]}`),
				"epp-rolebinding": bindingOf(name, name, name, subject(name)+","+subject("picker")),
			},
		},
		"NoEPP": {
			reason: "Without an Endpoint Picker no account may watch pools.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, steptest.OnGrove(t, steptest.Services("kubernetes", "S"))),
			want:   map[string]string{},
		},
	})
}
