package takeover_test

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
)

// TestUnproven shows for each kind what the operator writes into objects of a graph, and that it is no proof for another graph, nor without the
// operator as a manager.
func TestUnproven(t *testing.T) {
	const (
		labels = `"labels":{"nvidia.com/dynamo-graph-deployment-name":"llama"}`
		access = `"labels":{"app.kubernetes.io/managed-by":"dynamo-operator","app.kubernetes.io/name":"llama-k8s-service-discovery"}`
		pods   = `{"metadata":{` + labels + `}}`
	)
	cases := map[string]struct {
		apiVersion, metadata, rest string
		// manages is the field by which the operator manages the object.
		manages string
		// missing is what is said of the object of another graph.
		missing string
	}{
		"Deployment":                          {apiVersion: "apps/v1", metadata: labels, rest: `"spec":{"template":` + pods + `}`, missing: "it does not have label nvidia.com/dynamo-graph-deployment-name: other, and its pod template does not have label"},
		"LeaderWorkerSet":                     {apiVersion: "leaderworkerset.x-k8s.io/v1", metadata: labels, rest: `"spec":{"leaderWorkerTemplate":{"workerTemplate":` + pods + `}}`, missing: "its pod template does not have label"},
		"PodCliqueSet":                        {apiVersion: "grove.io/v1alpha1", rest: `"spec":{"template":{"cliques":[{"name":"a",` + labels + `}]}}`, missing: "clique a does not have label nvidia.com/dynamo-graph-deployment-name: other"},
		"ConfigMap":                           {apiVersion: "v1", metadata: labels, rest: `"data":{}`, manages: "f:data", missing: "it does not have label"},
		"DynamoGraphDeploymentScalingAdapter": {apiVersion: "nvidia.com/v1alpha1", metadata: labels, rest: `"spec":{}`, missing: "it does not have label"},
		"Role":                                {apiVersion: "rbac.authorization.k8s.io/v1", metadata: access, rest: `"rules":[]`, manages: "f:rules", missing: "it does not have label app.kubernetes.io/name: other-k8s-service-discovery"},
		"ServiceAccount":                      {apiVersion: "v1", metadata: access, rest: `"secrets":[]`, manages: "f:metadata", missing: "it does not have label app.kubernetes.io/name: other-k8s-service-discovery"},
		"Service":                             {apiVersion: "v1", rest: `"spec":{"selector":{"nvidia.com/dynamo-namespace":"inference-llama"}}`, missing: "it does not select pods with label nvidia.com/dynamo-namespace: inference-other"},
		"InferencePool":                       {apiVersion: "inference.networking.k8s.io/v1", rest: `"spec":{"selector":{"matchLabels":{"nvidia.com/dynamo-namespace":"inference-llama"}}}`, missing: "it does not select pods with label"},
		"Ingress": {
			apiVersion: "networking.k8s.io/v1", rest: `"spec":{"rules":[{"http":{"paths":[{"backend":{"service":{"name":"llama-frontend"}}}]}}]}`,
			missing: "it leads to Service llama-frontend, which is none of the graph",
		},
		"VirtualService": {
			apiVersion: "networking.istio.io/v1", rest: `"spec":{"http":[{"route":[{"destination":{"host":"llama-frontend"}}]}]}`,
			missing: "it leads to Service llama-frontend, which is none of the graph",
		},
		"PodGroup":              {apiVersion: "scheduling.volcano.sh/v1beta1", rest: `"spec":{}`, missing: "no pods of the graph that are adopted refer to it"},
		"ResourceClaimTemplate": {apiVersion: "resource.k8s.io/v1", rest: `"spec":{}`, missing: "no pods of the graph that are adopted refer to it"},
	}
	proofs := map[kinds.Proof]bool{kinds.NoProof: true, kinds.OwnerReference: true}
	for kind := range cases {
		proofs[kinds.Of(cases[kind].apiVersion, kind).Proof] = true
	}
	for _, k := range kinds.Composed() {
		if !proofs[k.Proof] {
			t.Errorf("%s: no case has proof %s", k.Kind, k.Proof)
		}
	}
	graphOf := func(name string, options ...plantest.RequestOption) func(object string) string {
		xr := plantest.Graph(plantest.Frontend)
		xr.Name = name
		f := plantest.Facts(t, plantest.Request(xr, options...))
		return func(object string) string {
			return takeover.Unproven(f.Graph, f.Observed, plantest.Struct(object)).In(&graph.Graph{})
		}
	}
	of := graphOf("llama",
		plantest.WithObserved("deployment-frontend", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"template":{"spec":{"resourceClaims":[{"name":"a","resourceClaimTemplateName":"a"}]}}}}`),
		plantest.WithObserved("leaderworkerset-worker-0", `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"a"},
			"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"a"}}}}}}`))
	ofOther := graphOf("other")
	for kind, tc := range cases {
		t.Run(kind, func(t *testing.T) {
			manages := "f:spec"
			if tc.manages != "" {
				manages = tc.manages
			}
			managedBy := func(manager string) string {
				fields := `"name":"a","managedFields":[{"manager":"` + manager + `","fieldsV1":{"` + manages + `":{}}}]`
				if tc.metadata != "" {
					fields += "," + tc.metadata
				}
				return `{"apiVersion":"` + tc.apiVersion + `","kind":"` + kind + `","metadata":{` + fields + `},` + tc.rest + `}`
			}
			if got := of(managedBy("manager")); got != "" {
				t.Errorf("The operator has made it: want no problem, got %q", got)
			}
			if got, want := of(managedBy("kubectl")), "its field managers do not include manager, the field manager of the operator; if"; !strings.Contains(got, want) {
				t.Errorf("Somebody else has made it: want %q, got %q", want, got)
			}
			unlabelled := strings.ReplaceAll(managedBy("manager"), "nvidia.com/dynamo-graph-deployment-name", "example.org/name")
			if got := ofOther(unlabelled); !strings.Contains(got, "cannot adopt "+kind+" a: nothing proves") || !strings.Contains(got, tc.missing) {
				t.Errorf("It belongs to another graph: want %q, got %q", tc.missing, got)
			}
		})
	}
	const unknown = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a","managedFields":[{"manager":"manager","fieldsV1":{"f:spec":{}}}]}}`
	if got, want := of(unknown), "the operator makes no objects of this kind"; !strings.Contains(got, want) {
		t.Errorf("A kind that the operator does not make is never proven by its manager: want %q, got %q", want, got)
	}
}
