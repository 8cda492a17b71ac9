package plan

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// decideGrove decides which scheduler places the gangs, and how they are packed.
func (d *decider) decideGrove(out *decision, p *graphplan.Plan) {
	p.Grove = &graphplan.GrovePlan{TerminationDelay: d.input.Grove.TerminationDelay.Duration.String()}
	var errs field.ErrorList
	if usesKAI(d.cluster, d.memory) {
		queue := d.kaiQueue(kaiQueuesOf(d.memory.podCliqueSet))
		queue.placing = d.memory.podCliqueSet == nil
		d.decideQueue(out, queue, d.cluster.kai)
		p.Grove.SchedulerName, p.Grove.Queue = kaiScheduler, out.queue.name
	}
	out.topology, errs = d.planTopology()
	p.Topology = out.topology.plan
	out.errs = append(out.errs, errs...)
	p.Children = findChildren(d.graph, d.cluster, d.memory, d.requirements)
}

// warnOnGrove names what a graph asks for and Grove's CustomResourceDefinition drops without a word: it holds no schema for
// the metadata of an embedded template.
func warnOnGrove(g *graph.Graph) []string {
	var warnings []string
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		if service.ExtraPodSpec == nil {
			continue
		}
		path := field.NewPath("spec", "services").Key(name).Child("extraPodSpec", "volumes")
		for i, volume := range service.ExtraPodSpec.Volumes {
			if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
				continue
			}
			if meta := volume.Ephemeral.VolumeClaimTemplate.ObjectMeta; len(meta.Labels)+len(meta.Annotations) > 0 {
				warnings = append(warnings, path.Index(i).Child("ephemeral", "volumeClaimTemplate", "metadata").String()+
					": has no effect on Grove, which drops it; create the claim beside the graph and mount it through volumeMounts")
			}
		}
	}
	return warnings
}
