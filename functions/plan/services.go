package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// planServices decides for each service its backend, executor, discovery and Dynamo namespace.
func planServices(g *graph.Graph, in *inputv1alpha1.Input, m *memory) (map[string]graphplan.Service, field.ErrorList) {
	var errs field.ErrorList
	services := make(map[string]graphplan.Service, len(g.Spec.Services))
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		decision := graphplan.Service{
			Discovery:       discoveryOf(g, name, in, m),
			DynamoNamespace: dynamoNamespaceOf(g, &service),
		}
		main := pod.UserContainer(&service)
		framework, err := backend.Detect(g.Spec.BackendFramework, service.ComponentType, main.Command, main.Args)
		// A framework that is unknown is a mistake of its own.
		if err != nil && isFramework(g.Spec.BackendFramework) {
			errs = append(errs, field.Invalid(field.NewPath("spec", "services").Key(name).Child("extraPodSpec", "mainContainer"), field.OmitValueType{}, err.Error()))
		}
		decision.Framework = framework
		if framework == v1alpha1.BackendTRTLLM {
			if err := checkRanks(g, field.NewPath("spec", "services").Key(name), &service); err != nil {
				errs = append(errs, err)
			}
		}
		if framework == v1alpha1.BackendVLLM && pod.IsMultinode(&service) {
			decision.Executor = executorOf(g, name, in, m)
		}
		services[name] = decision
	}
	return services, errs
}

// isFramework reports whether a declared framework is one; none is one as well.
func isFramework(f v1alpha1.BackendFramework) bool {
	switch f {
	case "", v1alpha1.BackendSGLang, v1alpha1.BackendTRTLLM, v1alpha1.BackendVLLM:
		return true
	default:
		return false
	}
}

func dynamoNamespaceOf(g *graph.Graph, service *v1alpha1.Service) string {
	if service.GlobalDynamoNamespace {
		return names.GlobalDynamoNamespace
	}
	return g.Names().DynamoNamespace(g.Namespace)
}

// totalGPUs that a graph asks for: replicas times nodes times GPUs per pod, over all services.
func totalGPUs(g *graph.Graph) int64 {
	var total int64
	for _, service := range g.Spec.Services {
		total += int64(pod.Replicas(&service)) * int64(pod.NodeCount(&service)) * pod.GPUs(&service)
	}
	return total
}

// parallelismWarning compares the GPUs of one replica with what the engine's arguments ask for; empty when they fit, and
// when the GPUs do not come as a number.
func parallelismWarning(service *v1alpha1.Service, seen pod.Inspection) string {
	p := seen.Parallelism
	gpus, nodes := pod.GPUs(service), int64(pod.NodeCount(service))
	have := gpus * nodes
	fits := p.GPUs() <= have && (p.WorldSize() == 1 || have%p.WorldSize() == 0)
	if have == 0 || fits && seen.IdleGPUs == 0 {
		return ""
	}
	sizes := fmt.Sprintf("tensor x pipeline x data parallel size is %d x %d x %d = %d, and a replica has %d GPUs (%d nodes x %d)",
		p.Tensor, p.Pipeline, p.Data, p.GPUs(), have, nodes, gpus)
	if fits {
		return fmt.Sprintf("%s, of which the engine leaves %d idle; raise the sizes, or ask for fewer GPUs", sizes, seen.IdleGPUs)
	}
	return sizes + ": make them fit"
}

// checkRanks refuses an engine of TensorRT-LLM over several nodes that needs more ranks than there are GPUs: it ends as soon
// as it has counted them.
func checkRanks(g *graph.Graph, path *field.Path, service *v1alpha1.Service) *field.Error {
	gpus, nodes := pod.GPUs(service), int64(pod.NodeCount(service))
	own := ownContainer(g, service)
	if pod.NamesNoProgram(service) {
		own.Command = pod.EngineCommand(v1alpha1.BackendTRTLLM)
	}
	p, ok := backend.CertainParallelism(v1alpha1.BackendTRTLLM, own)
	if !ok || nodes == 1 || gpus == 0 || p.WorldSize() <= gpus*nodes {
		return nil
	}
	return field.Invalid(path.Child("extraPodSpec", "mainContainer"), field.OmitValueType{}, fmt.Sprintf(
		"tensor x pipeline parallel size is %d x %d = %d ranks, and a replica has %d GPUs (%d nodes x %d): lower the sizes, or raise nodeCount or resources.limits.gpu",
		p.Tensor, p.Pipeline, p.WorldSize(), gpus*nodes, nodes, gpus))
}

func rolesOf(service *v1alpha1.Service) []backend.Role {
	if pod.IsMultinode(service) {
		return []backend.Role{backend.RoleLeader, backend.RoleWorker}
	}
	return []backend.Role{backend.RoleMain}
}

func hostsOf(o graphplan.Orchestrator, service string) backend.Hosts {
	if o == graphplan.Grove {
		return backend.GroveHosts{Service: names.Lower(service)}
	}
	return backend.LWSHosts{}
}
