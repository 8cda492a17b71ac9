package pods

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
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
func Inspect(f *subject.Facts, p *graphplan.Plan, built pod.Pods) (Needs, subject.Outcome) {
	var needs Needs
	var outcome subject.Outcome
	logsIn := false
	for _, component := range f.Graph.ComponentsByName() {
		var problem, executor string
		hidden := false
		for _, b := range built[component.Name] {
			needs.WaitForLeader = needs.WaitForLeader || backend.NeedsWaitScript(b.Settings, &b.Own)
			logsIn = logsIn || backend.NeedsSSH(b.Settings)
			problem = cmp.Or(problem, backend.NoStandby(&b.Configured, b.Settings))
			hidden = hidden || backend.HidesElasticEngine(&b.Own, b.Settings)
			ray, processes := backend.UsesRay(&b.Own, &b.Configured, b.Settings), backend.UsesProcesses(&b.Own, b.Settings)
			executor = cmp.Or(executor, executorWarning(p.Components[component.Name], ray, processes))
			for _, warning := range warningsOf(f, component, &b) {
				outcome.Warn(graph.ComponentPath(component.Name), "%s", warning)
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
		if component.HasStandby() && problem != "" {
			outcome.Refuse(subject.Mistake, message.Forbidden(graph.ComponentPath(component.Name, "experimental", "failover"), "%s", problem))
		}
	}
	if logsIn && f.Graph.Annotations[metadata.AnnotationSSHSecret] == "" {
		needs.SSHSecret = f.Graph.Names().SSHSecret()
	}
	return needs, outcome
}

// warningsOf a pod are about what its backend could not configure, for what it cannot wait, and its GPUs.
func warningsOf(f *subject.Facts, component *graph.Component, b *pod.Built) []message.Text {
	warnings := b.Warnings
	if place := backend.UnknownLeaderPort(b.Settings, &b.Configured); place != "" {
		warnings = append(warnings, message.Format("the value of %s is only known to the command itself, so nodes do not wait until the first node listens there; write the number", place))
	}
	claimed := func(c *graph.Component) int64 { return claimedBy(f, c) }
	sizes := f.Graph.CommandLines.ParseParallelism(b.Settings.Framework, b.Own.Command, b.Own.Args, b.Own.Env...)
	return append(warnings, parallelismWarnings(component, claimed, sizes, backend.IdleGPUs(&b.Own, b.Settings))...)
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
func parallelismWarnings(component *graph.Component, claimed func(*graph.Component) int64, p backend.Parallelism, idle int64) []message.Text {
	gpusOf := func(c *graph.Component) int64 { return cmp.Or(c.GPUs(), claimed(c)) }
	gpus, nodes, have := gpusOf(component), component.Nodes(), component.PerReplica(gpusOf)
	fits := p.GPUs() <= have && (p.WorldSize() == 1 || have%p.WorldSize() == 0)
	if have == 0 || fits && idle == 0 {
		return nil
	}
	sizes := fmt.Sprintf("tensor x pipeline x data parallel size is %d x %d x %d = %d, but a replica has %d GPUs",
		p.Tensor, p.Pipeline, p.Data, p.GPUs(), have)
	if nodes > 1 && gpus*int64(nodes) == have {
		sizes += fmt.Sprintf(" (%d nodes x %d)", nodes, gpus)
	}
	if fits {
		return []message.Text{message.Format("%s, of which the engine leaves %d idle; raise the sizes, or request fewer GPUs", sizes, idle)}
	}
	return []message.Text{message.Format("%s; change the sizes or the GPUs so that they match", sizes)}
}
