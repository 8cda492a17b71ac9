package restart

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Decide which services restart now. nil if there is nothing to report about restarts. The pod templates in the cluster show which services
// the restart has reached. The plan must already contain the children of the PodCliqueSet.
func Decide(f *subject.Facts, p *graphplan.Plan) *graphplan.Restart {
	r := &restart{
		request:  f.Graph.Spec.Restart,
		status:   f.Observed.Status.Restart(),
		reported: f.Observed.Status.HasServices(),
	}
	r.services = servicesOf(f, p, false)
	if r.isActive() {
		r.services = servicesOf(f, p, true)
	}
	return r.decide()
}

// servicesOf a graph, sorted by name. Whether their objects are ready only matters to a restart that is active, and takes longer than the rest.
func servicesOf(f *subject.Facts, p *graphplan.Plan, judged bool) []restartable {
	var all []restartable
	for _, name := range f.Graph.ServiceNames() {
		s := restartable{name: name}
		if !f.Graph.Component(name).OwnsRestarts() {
			s.objects = objectsOf(f, p, name, judged)
		}
		all = append(all, s)
	}
	return all
}

// objectsOf are the objects that run a service.
func objectsOf(f *subject.Facts, p *graphplan.Plan, name string, judged bool) []object {
	service := f.Graph.Component(name)
	switch {
	case p.Orchestrator == graphplan.Grove:
		return []object{cliqueOf(f, p, name, judged)}
	case p.Orchestrator == graphplan.LeaderWorkerSet && service.IsMultinode():
		var objects []object
		for i := range service.Sets() {
			objects = append(objects, setOf(f.Observed.Object(names.KeyLeaderWorkerSet(name, i)), judged))
		}
		return objects
	default:
		deployment := f.Observed.Object(names.KeyDeployment(name))
		return []object{{
			live:  deployment != nil,
			mark:  graphplan.RestartMark{At: tree.Text(deployment, metadata.AnnotationRestartAt, "spec", "template", "metadata", "annotations")},
			ready: judged && (service.Replicas() == 0 || workload.Deployment(deployment).Done),
		}}
	}
}

// cliqueOf a service on Grove. All its cliques have the same mark.
func cliqueOf(f *subject.Facts, p *graphplan.Plan, name string, judged bool) object {
	set := f.Observed.PodCliqueSet
	if set == nil {
		return object{}
	}
	o := object{live: true}
	for _, clique := range set.Spec.Template.Cliques {
		if clique.Name == names.Clique(name) || clique.Name == names.LeaderClique(name) {
			o.mark.At = clique.Annotations[metadata.AnnotationRestartAt]
		}
	}
	if !judged {
		return o
	}
	w := workload.Of(f.Graph, p, f.Observed.Resources(), name)[name]
	o.ready, o.stale = w.Settled && w.Ready, !w.Settled && w.Ready
	return o
}

// setOf one replica of a multinode service: its LeaderWorkerSet.
func setOf(observed *structpb.Struct, judged bool) object {
	template := tree.At(observed, "spec", "leaderWorkerTemplate", "workerTemplate")
	return object{
		live:  observed != nil,
		mark:  graphplan.RestartMark{At: tree.Text(template, metadata.AnnotationRestartAt, "metadata", "annotations")},
		ready: judged && workload.LeaderWorkerSet(observed).Done,
	}
}
