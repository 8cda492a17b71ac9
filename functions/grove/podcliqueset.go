package grove

import (
	"cmp"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// podCliqueSet is the whole graph: a clique for each single-node service, a scaling group of a leader and a worker
// clique for each multinode service. A single-node service that asks for it is a scaling group of one clique of one pod.
func podCliqueSet(g *graph.Graph, p *graphplan.Plan) *grovev1alpha1.PodCliqueSet {
	b := builder{graph: g, plan: p, pods: pod.Builder{Graph: g, Plan: p}}
	set := &grovev1alpha1.PodCliqueSet{
		TypeMeta: metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{
			Name:        g.Names().PodCliqueSet(),
			Namespace:   g.Namespace,
			Labels:      setLabels(g),
			Annotations: b.withTopologyName(b.setAnnotations()),
		},
		Spec: grovev1alpha1.PodCliqueSetSpec{
			// Replicas of a service are replicas of its cliques; the set as a whole exists once.
			Replicas: 1,
			Template: grovev1alpha1.PodCliqueSetTemplate{
				StartupType:           grovev1alpha1.StartupAnyOrder,
				PriorityClassName:     g.Spec.PriorityClassName,
				HeadlessServiceConfig: grovev1alpha1.HeadlessServiceConfig{PublishNotReadyAddresses: true},
				TerminationDelay:      p.Grove.TerminationDelay,
			},
		},
	}
	if strategy := g.Annotations[metadata.AnnotationGroveUpdateStrategy]; strategy != "" {
		set.Spec.UpdateStrategy = &grovev1alpha1.UpdateStrategy{Type: strategy}
	}
	template := &set.Spec.Template
	template.TopologyConstraint = b.topology("")
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		if pod.IsMultinode(&service) {
			template.Cliques = append(template.Cliques, b.leader(name), b.worker(name))
		} else {
			template.Cliques = append(template.Cliques, b.single(name))
		}
		if pod.IsScalingGroup(g, name) {
			template.ScalingGroups = append(template.ScalingGroups, b.scalingGroup(name))
		}
	}
	if slices.ContainsFunc(template.Cliques, func(c grovev1alpha1.Clique) bool { return len(c.Spec.StartsAfter) > 0 }) {
		template.StartupType = grovev1alpha1.StartupExplicit
	}
	return set
}

// setLabels name the graph, because the name of the set may be cut.
func setLabels(g *graph.Graph) map[string]string {
	labels := maps.Clone(g.Spec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[metadata.LabelGraphName] = g.Name
	return labels
}

type builder struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	pods  pod.Builder
}

// single is the clique of a single-node service. In a scaling group, it is the group that has replicas.
func (b *builder) single(name string) grovev1alpha1.Clique {
	if pod.IsScalingGroup(b.graph, name) {
		clique := b.clique(name, names.Clique(name), backend.RoleMain, 1)
		clique.Spec.MinAvailable = 1
		return clique
	}
	service := b.graph.Spec.Services[name]
	clique := b.clique(name, names.Clique(name), backend.RoleMain, pod.Replicas(&service))
	clique.Spec.MinAvailable = pod.MinAvailable(&service)
	clique.TopologyConstraint = b.topology(name)
	return clique
}

// leader is the clique of the first node of each replica of a multinode service.
func (b *builder) leader(name string) grovev1alpha1.Clique {
	clique := b.clique(name, names.LeaderClique(name), backend.RoleLeader, 1)
	clique.Spec.MinAvailable = 1
	// mpirun logs in to every worker as soon as it starts.
	if backend.NeedsSSH(b.pods.BackendSettings(name, backend.RoleLeader, hosts(name))) {
		clique.Spec.StartsAfter = []string{names.WorkerClique(name)}
	}
	return clique
}

// worker is the clique of all further nodes. The model is spread over all of them, so all must be placed together.
func (b *builder) worker(name string) grovev1alpha1.Clique {
	service := b.graph.Spec.Services[name]
	nodes := pod.NodeCount(&service) - 1
	clique := b.clique(name, names.WorkerClique(name), backend.RoleWorker, nodes)
	clique.Spec.MinAvailable = nodes
	return clique
}

func (b *builder) clique(service, name string, role backend.Role, replicas int32) grovev1alpha1.Clique {
	template := b.pods.Build(service, role, hosts(service))
	// A scheduler that the user names needs a queue of its own kind.
	if scheduler := b.plan.Grove.SchedulerName; scheduler != "" && cmp.Or(template.Spec.SchedulerName, scheduler) == scheduler {
		template.Spec.SchedulerName = scheduler
		if scheduler == graphplan.KAIScheduler {
			template.Labels[metadata.LabelKAIQueue] = b.plan.Grove.Queue
		}
	}
	return grovev1alpha1.Clique{
		Name:        name,
		Labels:      template.Labels,
		Annotations: b.cliqueAnnotations(service, template.Annotations),
		Spec:        grovev1alpha1.CliqueSpec{RoleName: name, PodSpec: template.Spec, Replicas: replicas},
	}
}

func (b *builder) scalingGroup(name string) grovev1alpha1.ScalingGroup {
	service := b.graph.Spec.Services[name]
	return grovev1alpha1.ScalingGroup{
		Name:               names.Clique(name),
		CliqueNames:        names.Cliques(name, pod.IsMultinode(&service)),
		Annotations:        b.groupAnnotations(name),
		Replicas:           pod.Replicas(&service),
		MinAvailable:       pod.MinAvailable(&service),
		TopologyConstraint: b.topology(name),
	}
}

func hosts(service string) backend.GroveHosts {
	return backend.GroveHosts{Service: names.Lower(service)}
}
