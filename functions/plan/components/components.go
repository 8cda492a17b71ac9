// Package components decides about each component separately: its engine, its discovery, and the host of a frontend.
package components

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Decide for each component its backend, executor, discovery and Dynamo namespace. versions are the releases of Dynamo in their images, on
// which executors depend. Services with the newest one have no entry.
func Decide(f *subject.Facts, versions map[string]runtime.Version) (map[string]graphplan.Component, subject.Outcome) {
	components, outcome := decide(f.Graph, f.Input, versions, rememberedChoices(f.Graph, f.Observed.Pods))
	for name, decision := range components {
		decision.ClaimedGPUs = f.ClaimedGPUs(f.Graph.Component(name).Pod())
		components[name] = decision
	}
	return components, outcome
}

func decide(g *graph.Graph, in *inputv1alpha1.Input, versions map[string]runtime.Version, current choices) (map[string]graphplan.Component, subject.Outcome) {
	var outcome subject.Outcome
	components := make(map[string]graphplan.Component, len(g.Components))
	for _, component := range g.ComponentsByName() {
		decision := graphplan.Component{
			Discovery:       current.discoveryOf(g, component.Name, in),
			DynamoNamespace: dynamoNamespaceOf(g, component),
			RuntimeVersion:  versions[component.Name],
		}
		main := component.Main()
		framework, err := g.CommandLines.Detect(g.Spec.BackendFramework, component.ComponentType, main.Command, main.Args)
		// An unknown framework is a separate error.
		if err != nil && (g.Spec.BackendFramework == "" || engine.IsKnown(g.Spec.BackendFramework)) {
			path := graph.MainPath(graph.ComponentPath(component.Name))
			outcome.Refuse(subject.Mistake, message.Invalid(path, field.OmitValueType{}, "%s", err.Error()))
		}
		decision.Framework = framework
		if component.HasStandby() && component.IsWorker() && err == nil && !backend.HasStandby(framework) {
			outcome.Refuse(subject.Mistake, withoutStandby(component.Name, framework))
		}
		if component.RunsWeightServers() && component.IsWorker() && err == nil && !backend.HasStandby(framework) {
			outcome.Refuse(subject.Mistake, withoutWeightServer(component.Name, framework))
		}
		nodes := engine.Of(framework).Nodes
		if nodes == engine.ByMPI {
			if err := checkRanks(g, component.Name, framework); err != nil {
				outcome.Refuse(subject.Mistake, err)
			}
		}
		if nodes == engine.ByExecutor && component.IsMultinode() {
			executor := current.executorOf(g, component.Name, in, versions[component.Name])
			decision.Executor, decision.ExecutorFrom = string(executor.executor), executor.from
			outcome.Warnings = append(outcome.Warnings, executor.warnings(g, component.Name, versions[component.Name])...)
		}
		components[component.Name] = decision
	}
	return components, outcome
}

// withoutStandby refuses failover for an engine that cannot stand by.
func withoutStandby(name string, framework v1alpha1.BackendFramework) *message.Message {
	path := graph.ComponentPath(name, "experimental", "failover")
	if framework == "" {
		return message.Forbidden(path, "is only supported for vLLM, and the command runs no known engine; set backendFramework to vllm if it runs vLLM, otherwise remove failover")
	}
	return message.Forbidden(path, "is only supported for vLLM, and this {{component}} runs %s; remove failover, and set replicas to 2", framework)
}

// withoutWeightServer refuses weights in pods of their own for an engine that cannot use them.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/webhook/validation/dynamographdeployment.go#L284
func withoutWeightServer(name string, framework v1alpha1.BackendFramework) *message.Message {
	path := graph.ComponentPath(name, "experimental", "gpuMemoryService", "mode")
	if framework == "" {
		return message.Forbidden(path, "{{InterPod}} is only supported for vLLM, and the command runs no known engine; set backendFramework to vllm if it runs vLLM, otherwise use {{IntraPod}}")
	}
	return message.Forbidden(path, "{{InterPod}} is only supported for vLLM, and this {{component}} runs %s; use {{IntraPod}}", framework)
}

func dynamoNamespaceOf(g *graph.Graph, component *graph.Component) string {
	if component.GlobalDynamoNamespace {
		return names.GlobalDynamoNamespace
	}
	return g.Names().DynamoNamespace(g.Namespace)
}

// TotalGPUs that a graph requests: replicas times nodes times GPUs per pod, of all its containers and claims, over all components. A claim that
// exists counts once.
func TotalGPUs(f *subject.Facts) int64 {
	total := f.SharedGPUs()
	for _, component := range f.Graph.Components {
		total += int64(component.Replicas()) * component.PerReplica(f.TakenGPUs)
	}
	return total
}

// checkRanks refuses a multinode engine that needs more MPI ranks than there are GPUs: TensorRT-LLM exits as soon as it has counted them.
func checkRanks(g *graph.Graph, name string, framework v1alpha1.BackendFramework) *message.Message {
	component := g.Component(name)
	gpus, nodes := component.GPUs(), int64(component.Nodes())
	own := ownContainer(g, name)
	if component.NamesNoProgram() {
		own.Command = engine.Command(framework)
	}
	p, ok := g.CommandLines.CertainParallelism(framework, own)
	if !ok || nodes == 1 || gpus == 0 || component.HasRoleTemplates() || p.WorldSize() <= gpus*nodes {
		return nil
	}
	return message.Invalid(graph.MainPath(graph.ComponentPath(name)), field.OmitValueType{}, "tensor x pipeline parallel size is %d x %d = %d ranks, but a replica has only %d GPUs (%d nodes x %d); lower the sizes, or raise nodeCount or %s", p.Tensor, p.Pipeline, p.WorldSize(), gpus*nodes, nodes, gpus, component.GPUPath())
}
