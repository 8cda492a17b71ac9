package grove

import (
	"cmp"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
)

// podCliqueSet is the whole graph: a clique for each single-node component, a scaling group of a leader and a worker
// clique for each multinode component. A single-node component that asks for it is a scaling group of one clique of one pod, and one with weight
// servers a scaling group with two cliques for each node.
func podCliqueSet(g *graph.Graph, p *graphplan.Plan) *grovev1alpha1.PodCliqueSet {
	b := builder{graph: g, plan: p, pods: pod.Builder{Graph: g, Plan: p}}
	set := &grovev1alpha1.PodCliqueSet{
		TypeMeta: metav1.TypeMeta{APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet},
		ObjectMeta: metav1.ObjectMeta{
			Name:        g.Names().PodCliqueSet(),
			Namespace:   g.Namespace,
			Labels:      setLabels(g, p),
			Annotations: b.withTopologyName(b.setAnnotations()),
		},
		Spec: grovev1alpha1.PodCliqueSetSpec{
			// Replicas of a component are replicas of its cliques; the set as a whole exists once.
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
	pod.Queue(&set.ObjectMeta, p)
	template := &set.Spec.Template
	template.TopologyConstraint = b.topology("")
	for _, name := range g.ComponentNames() {
		if !g.Component(name).IsScalingGroup() {
			template.Cliques = append(template.Cliques, b.single(name))
			continue
		}
		for _, c := range pod.Cliques(g.Component(name)) {
			template.Cliques = append(template.Cliques, b.grouped(name, c))
		}
		template.ScalingGroups = append(template.ScalingGroups, b.scalingGroup(name))
		template.ResourceClaimTemplates = append(template.ResourceClaimTemplates, b.claimTemplates(name)...)
	}
	if slices.ContainsFunc(template.Cliques, func(c grovev1alpha1.Clique) bool { return len(c.Spec.StartsAfter) > 0 }) {
		template.StartupType = grovev1alpha1.StartupExplicit
	}
	return set
}

// setLabels name the graph, because the name of the set may be cut. Grove refuses a set in another queue of KAI than its cliques.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/scheduler/kai/backend.go
func setLabels(g *graph.Graph, p *graphplan.Plan) map[string]string {
	labels := maps.Clone(g.Spec.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[metadata.LabelGraphName] = g.Name
	inSpec := g.Spec.Labels[metadata.LabelKAIQueue] + g.Spec.Annotations[metadata.LabelKAIQueue]
	if inSpec != "" && p.Grove.SchedulerName == graphplan.KAIScheduler {
		labels[metadata.LabelKAIQueue] = p.Grove.Queue
	}
	return labels
}

type builder struct {
	graph *graph.Graph
	plan  *graphplan.Plan
	pods  pod.Builder
}

// single is the clique of a component without a scaling group, whose pods are its replicas.
func (b *builder) single(name string) grovev1alpha1.Clique {
	component := b.graph.Component(name)
	clique := b.clique(name, pod.Cliques(component)[0])
	clique.Spec.Replicas, clique.Spec.MinAvailable = component.Replicas(), component.MinAvailable()
	clique.TopologyConstraint = b.topology(name)
	clique.RollingUpdate = override.LimitsOf(component)
	return clique
}

// grouped is a clique of a scaling group. A model that is spread over nodes needs all of them, so all must be placed together.
func (b *builder) grouped(name string, c pod.Clique) grovev1alpha1.Clique {
	clique := b.clique(name, c)
	if c.After != "" {
		clique.Spec.StartsAfter = []string{c.After}
	}
	// mpirun logs in to every worker as soon as it starts.
	if c.Role == backend.RoleLeader && backend.NeedsSSH(b.pods.BackendSettings(name, c.Role, pod.HostsOnGrove(b.graph.Component(name), c.Rank))) {
		clique.Spec.StartsAfter = append(clique.Spec.StartsAfter, names.WorkerClique(name))
	}
	return clique
}

func (b *builder) clique(component string, c pod.Clique) grovev1alpha1.Clique {
	pods := b.pods
	pods.Rank = c.Rank
	template := pods.Build(component, c.Role, pod.HostsOnGrove(b.graph.Component(component), c.Rank))
	// A scheduler that the user names needs a queue of its own kind.
	if scheduler := b.plan.Grove.SchedulerName; scheduler != "" && cmp.Or(template.Spec.SchedulerName, scheduler) == scheduler {
		template.Spec.SchedulerName = scheduler
		if scheduler == graphplan.KAIScheduler {
			template.Labels[metadata.LabelKAIQueue] = b.plan.Grove.Queue
		}
	}
	return grovev1alpha1.Clique{
		Name:        c.Name,
		Labels:      template.Labels,
		Annotations: b.cliqueAnnotations(component, template.Annotations),
		Spec:        grovev1alpha1.CliqueSpec{RoleName: c.Name, PodSpec: template.Spec, Replicas: c.Replicas, MinAvailable: c.Least},
	}
}

func (b *builder) scalingGroup(name string) grovev1alpha1.ScalingGroup {
	component := b.graph.Component(name)
	return grovev1alpha1.ScalingGroup{
		Name:               names.Clique(name),
		CliqueNames:        pod.CliqueNames(component),
		Annotations:        b.groupAnnotations(name),
		Replicas:           component.Replicas(),
		MinAvailable:       component.MinAvailable(),
		TopologyConstraint: b.topology(name),
		RollingUpdate:      override.LimitsOf(component),
		ResourceSharing:    b.resourceSharing(name),
	}
}
