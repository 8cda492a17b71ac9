package retain

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Statuses of workloads of generation 2.
const (
	rolledOut = `"observedGeneration":2,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]`
	rolling   = `"observedGeneration":2,"replicas":2,"updatedReplicas":1,"readyReplicas":1`
)

func deployment(pod, status string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker","generation":2},"spec":{"template":` + pod + `},"status":{` + status + `}}`
}

func leaderWorkerSet(leader, worker, status string) string {
	return `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0","generation":2},
		"spec":{"leaderWorkerTemplate":{` + leader + `"workerTemplate":` + worker + `}},"status":{` + status + `}}`
}

func podCliqueSet(clique, status string) string {
	return `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","generation":2},
		"spec":{"template":{"cliques":[{"name":"other","spec":{}},` + clique + `]}},"status":{` + status + `}}`
}

// Pod templates.
const (
	plainPod = `{"spec":{"containers":[{"name":"main"}]}}`
	pod      = `{"metadata":{"labels":{"component":"Worker","discovery":"x","nvidia.com/dynamo-discovery-backend":"kubernetes"},"annotations":{"scheduling.k8s.io/group-name":"llama-worker-0"}},
		"spec":{"serviceAccountName":"account","imagePullSecrets":[{"name":"pull"}],
			"resourceClaims":[{"name":"gpus","resourceClaimTemplateName":"claims"},{"name":"mine","resourceClaimName":"claim"}],
			"volumes":[{"name":"a","configMap":{"name":"volume-map"}},{"name":"b","secret":{"secretName":"volume-secret"}},{"name":"e","emptyDir":{}},
				{"name":"p","projected":{"sources":[{"configMap":{"name":"projected-map"}},{"secret":{"name":"projected-secret"}}]}}],
			"initContainers":[{"name":"init","envFrom":[{"configMapRef":{"name":"env-from-map"}},{"secretRef":{"name":"env-from-secret"}}]}],
			"containers":[{"name":"main","command":["sh","-c","curl http://llama-command:8000"],"args":["--pool","llama-arg"],"env":[
				{"name":"A","value":"llama-value.inference.svc"},{"name":"F","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
				{"name":"B","valueFrom":{"configMapKeyRef":{"name":"env-map","key":"k"}}},
				{"name":"C","valueFrom":{"secretKeyRef":{"name":"env-secret","key":"k"}}}]}]}}`
)

func object(apiVersion, kind, name, more string) string {
	return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","metadata":{"name":"` + name + `"}` + more + `}`
}

func service(name, labels, selector string) string {
	return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"` + name + `","labels":{` + labels + `}},"spec":{"selector":{` + selector + `}}}`
}

func binding(subjects string) string {
	return object("rbac.authorization.k8s.io/v1", "RoleBinding", "binding", `,"roleRef":{"kind":"Role","name":"role"},"subjects":[`+subjects+`]`)
}

func usage(kind, name, domain string) string {
	return object("protection.crossplane.io/v1beta1", "Usage", "usage", `,"spec":{"of":{"resourceRef":{"name":"`+domain+`"}},"by":{"kind":"`+kind+`","resourceRef":{"name":"`+name+`"}}}`)
}

func domain(claimTemplate string) string {
	return object("resource.nvidia.com/v1beta1", "ComputeDomain", claimTemplate, `,"spec":{"numNodes":0,"channel":{"resourceClaimTemplate":{"name":"`+claimTemplate+`"}}}`)
}

// keeper of a graph with these observed objects, JSON, by key. Crossplane has looked for what is leaving and found these, by the
// name of the requirement; nil: it has not looked.
func keeper(orchestrator graphplan.Orchestrator, observed, found map[string]string) *Keeper {
	req := &fnv1.RunFunctionRequest{
		Meta:              &fnv1.RequestMeta{Tag: "tag"},
		Observed:          &fnv1.State{Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{},
	}
	for key, object := range observed {
		req.Observed.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object)}
	}
	for _, name := range []string{"leaving-leaderworkerset", "leaving-usage"} {
		if found == nil {
			break
		}
		req.RequiredResources[name] = &fnv1.Resources{}
		if object, ok := found[name]; ok {
			req.RequiredResources[name].Items = []*fnv1.Resource{{Resource: resource.MustStructJSON(object)}}
		}
	}
	call := &step.Call{
		Request: req, Response: response.To(req, step.TTL),
		Graph: &graph.Graph{Name: "llama", Namespace: "inference"}, Plan: &graphplan.Plan{Orchestrator: orchestrator},
	}
	return New(call, require.New(req))
}
