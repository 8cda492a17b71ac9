package status

import (
	"cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// reportedNamespace is the Dynamo namespace in which planners look for the pods of a component (release 1.5,
// components/src/dynamo/planner/connectors/kubernetes.py). While pods are replaced by others with another namespace, it is that of the pods
// before, so that planners see a generation of workers when it is complete.
func reportedNamespace(call *step.Call, name string, w workload.Workload) string {
	next := runtimeNamespace(call.Response.GetDesired().GetResources(), call.Graph, call.Plan, name)
	before := plainOrNone(observed.StatusOf(call.Request).TextOf(name, "runtimeNamespace"))
	if before == "" || before == next {
		return next
	}
	return untilReplaced(before, runtimeNamespace(call.Request.GetObserved().GetResources(), call.Graph, call.Plan, name), next, w.Ready)
}

// runtimeNamespace is the Dynamo namespace in which the pods of a component in some objects register. It is that of the pods and not that of a
// new graph, because pods of a live graph keep theirs, and workers that were adopted from the Dynamo operator are in a namespace of their own.
func runtimeNamespace(objects map[string]*fnv1.Resource, g *graph.Graph, p *graphplan.Plan, name string) string {
	pods, _ := serving(templatesOf(objects, g, p, name))
	env := map[string]string{}
	if runtime := pod.RuntimeOfPod(pods.decode().Spec); runtime != nil {
		for _, variable := range runtime.Env {
			env[variable.Name] = variable.Value
		}
	}
	namespace := cmp.Or(env["DYN_NAMESPACE"], p.Components[name].DynamoNamespace)
	if suffix := env[pod.EnvWorkerSuffix]; suffix != "" && namespace != "" && g.Component(name).IsWorker() {
		namespace += "-" + suffix
	}
	return plainOrNone(namespace)
}

// plainOrNone returns what can be the name of a Dynamo namespace, and nothing for anything else, which no planner can look for.
func plainOrNone(namespace string) string {
	if !names.IsPlain(namespace) {
		return ""
	}
	return namespace
}
