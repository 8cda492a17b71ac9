// Package pods inspects the built pods of a graph for what only they show.
package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Of builds the pods of a graph as if they were new. All decisions of step plan that depend on pods read these pods. The mark of a restart and the
// generation of workers are decided later, so these pods have neither.
func Of(f *subject.Facts, p *graphplan.Plan) pod.Pods {
	builder := pod.Builder{Graph: f.Buildable, Plan: p}
	return builder.All()
}

// processesOf the pods of a component, as they would be if they were new.
func processesOf(p *graphplan.Plan, built pod.Pods, s *graph.Component) []pod.Process {
	var all []pod.Process
	for _, seen := range built[s.Name] {
		all = append(all, pod.ProcessesOf(s, p.Components[s.Name].Framework, &seen.Template)...)
	}
	return all
}

// written pods of a component: those in the roles whose template the facts have. The pods of workers with a template of their own have facts of
// their own.
func written(f *subject.Facts, built pod.Pods, s *graph.Component) []pod.Built {
	if f.OfWorkers() == nil || !s.HasRoleTemplates() {
		return built[s.Name]
	}
	return slices.DeleteFunc(slices.Clone(built[s.Name]), func(seen pod.Built) bool { return seen.Settings.Role == backend.RoleWorker })
}

// together are the containers of a pod that run at the same time. Init containers other than sidecars have ended by then.
func together(spec *corev1.PodSpec) []*corev1.Container {
	var all []*corev1.Container
	for i := range spec.InitContainers {
		if ptr.Deref(spec.InitContainers[i].RestartPolicy, "") == corev1.ContainerRestartPolicyAlways {
			all = append(all, &spec.InitContainers[i])
		}
	}
	for i := range spec.Containers {
		all = append(all, &spec.Containers[i])
	}
	return all
}
