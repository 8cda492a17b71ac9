package restart

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Decide which components restart now. nil if there is nothing to report about restarts. The pod templates in the cluster show which components
// the restart has reached. The plan must already contain the children of the PodCliqueSet.
func Decide(g *graph.Graph, o *observed.State, p *graphplan.Plan) *graphplan.Restart {
	r := &restart{request: g.Spec.Restart, status: o.Status.Restart(), reported: o.Status.HasComponents()}
	r.components = componentsOf(g, o, p, false)
	if r.isActive() {
		r.components = componentsOf(g, o, p, true)
	}
	return r.decide()
}

// MarkOf a pod template is the ID of the last restart of its pods. Empty if there was none.
func MarkOf(template *structpb.Struct) string {
	return tree.Text(template, metadata.AnnotationRestartAt, "metadata", "annotations")
}

// componentsOf a graph, sorted by name. Whether their objects are ready only matters to a restart that is active, and takes longer than the rest.
func componentsOf(g *graph.Graph, o *observed.State, p *graphplan.Plan, judged bool) []restartable {
	var all []restartable
	for _, component := range g.ComponentsByName() {
		s := restartable{name: component.Name}
		if !component.OwnsRestarts() {
			s.objects = objectsOf(component, o, p, judged)
		}
		all = append(all, s)
	}
	return all
}

// objectsOf are the objects that run a component.
func objectsOf(component *graph.Component, o *observed.State, p *graphplan.Plan, judged bool) []object {
	switch {
	case p.Orchestrator == graphplan.Grove:
		return []object{cliqueOf(component, o, p, judged)}
	case p.Orchestrator == graphplan.LeaderWorkerSet && component.IsMultinode():
		var objects []object
		for i := range component.Sets() {
			set := o.Object(names.KeyLeaderWorkerSet(component.Name, i))
			template := tree.At(set, "spec", "leaderWorkerTemplate", "workerTemplate")
			objects = append(objects, objectOf(set, template, judged && workload.LeaderWorkerSet(set).Done))
		}
		return objects
	default:
		deployment := o.Object(names.KeyDeployment(component.Name))
		ready := judged && (component.Replicas() == 0 || workload.Deployment(deployment).Done)
		return []object{objectOf(deployment, tree.At(deployment, "spec", "template"), ready)}
	}
}

func objectOf(live, template *structpb.Struct, ready bool) object {
	return object{live: live != nil, mark: graphplan.RestartMark{At: MarkOf(template)}, ready: ready}
}

// cliqueOf a component on Grove. All its cliques have the same mark.
func cliqueOf(component *graph.Component, o *observed.State, p *graphplan.Plan, judged bool) object {
	if o.PodCliqueSet == nil {
		return object{}
	}
	out := object{live: true}
	for _, clique := range o.PodCliqueSet.Spec.Template.Cliques {
		if clique.Name == names.Clique(component.Name) || clique.Name == names.LeaderClique(component.Name) {
			out.mark.At = clique.Annotations[metadata.AnnotationRestartAt]
		}
	}
	if !judged {
		return out
	}
	w := workload.Of(component.Graph(), p, o.Resources(), component.Name)[component.Name]
	out.ready, out.stale = w.Settled && w.Ready, !w.Settled && w.Ready
	return out
}
