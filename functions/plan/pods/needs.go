package pods

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Needs of the pods of a graph.
type Needs struct {
	// WaitForLeader says that some pod mounts the script that makes workers wait for their leader.
	WaitForLeader bool

	// SSHSecret is the name of the Secret with the key pair that some pods mount. It is empty if none of them does, or the user provides the
	// Secret.
	SSHSecret string
}

// Inspect the pods of each component for their needs, for warnings, and for a second engine that they cannot run.
func Inspect(f *subject.Facts, p *graphplan.Plan) (Needs, subject.Outcome) {
	var needs Needs
	var outcome subject.Outcome
	pods := pod.Builder{Graph: f.Graph, Plan: p}
	for _, component := range f.Graph.ComponentsByName() {
		var problem, executor string
		hidden := false
		for _, role := range subject.Roles(f.Graph, component.Name) {
			seen := pods.Inspect(component.Name, role, subject.Hosts(f.Graph, p.Orchestrator, component.Name, role))
			needs.WaitForLeader = needs.WaitForLeader || seen.WaitsForLeader
			if seen.NeedsSSH && f.Graph.Annotations[metadata.AnnotationSSHSecret] == "" {
				needs.SSHSecret = f.Graph.Names().SSHSecret()
			}
			problem = cmp.Or(problem, seen.NoStandby)
			hidden = hidden || seen.HidesElasticEngine
			executor = cmp.Or(executor, executorWarning(p.Components[component.Name], seen))
			for _, problem := range append(seen.Warnings, parallelismWarnings(component, func(c *graph.Component) int64 { return claimedBy(f, c) }, seen)...) {
				outcome.Warn(graph.ComponentPath(component.Name), "%s", problem)
			}
		}
		if executor != "" {
			outcome.Warn(graph.ComponentPath(component.Name), "%s", executor)
		}
		if problem := nodesWarning(f.Graph, p, component.Name); !problem.IsZero() {
			outcome.Warn(graph.ComponentPath(component.Name, "multinode"), "%s", problem)
		}
		if hidden {
			outcome.Refuse(subject.Mistake, message.Required(graph.MainPath(graph.ComponentPath(component.Name), "command"),
				"specify the program of the elastic engine, because Ray has to run before it; the entry point of the image is not known"))
		}
		if problem != "" {
			outcome.Refuse(subject.Mistake, message.Forbidden(graph.ComponentPath(component.Name, "experimental", "failover"), "%s", problem))
		}
	}
	return needs, outcome
}

// claimedBy the main container of a component are the GPUs in claims of a pod.
func claimedBy(f *subject.Facts, component *graph.Component) int64 {
	spec := corev1.PodSpec{ResourceClaims: slices.DeleteFunc(slices.Clone(component.Pod().ResourceClaims), func(of corev1.PodResourceClaim) bool {
		return !slices.ContainsFunc(component.Main().Resources.Claims, func(c corev1.ResourceClaim) bool { return c.Name == of.Name })
	})}
	return f.ClaimedGPUs(&spec) + f.ExistingGPUs(&spec)
}

// parallelismWarnings compare the GPUs of one replica with the arguments of the engine. There are none if they match, or if the GPUs are
// not requested as a number.
func parallelismWarnings(component *graph.Component, claimed func(*graph.Component) int64, seen pod.Inspection) []message.Text {
	p := seen.Parallelism
	gpusOf := func(c *graph.Component) int64 { return cmp.Or(c.GPUs(), claimed(c)) }
	gpus, nodes, have := gpusOf(component), component.Nodes(), component.PerReplica(gpusOf)
	fits := p.GPUs() <= have && (p.WorldSize() == 1 || have%p.WorldSize() == 0)
	if have == 0 || fits && seen.IdleGPUs == 0 {
		return nil
	}
	sizes := fmt.Sprintf("tensor x pipeline x data parallel size is %d x %d x %d = %d, but a replica has %d GPUs",
		p.Tensor, p.Pipeline, p.Data, p.GPUs(), have)
	if nodes > 1 && gpus*int64(nodes) == have {
		sizes += fmt.Sprintf(" (%d nodes x %d)", nodes, gpus)
	}
	if fits {
		return []message.Text{message.Format("%s, of which the engine leaves %d idle; raise the sizes, or request fewer GPUs", sizes, seen.IdleGPUs)}
	}
	return []message.Text{message.Format("%s; change the sizes or the GPUs so that they match", sizes)}
}
