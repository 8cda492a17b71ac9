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
	for _, name := range f.Graph.ServiceNames() {
		s := restartable{name: name}
		if !f.Graph.Component(name).OwnsRestarts() {
			s.objects = objectsOf(f, p, name)
		}
		r.services = append(r.services, s)
	}
	return r.decide()
}

// objectsOf are the objects that run a service.
func objectsOf(f *subject.Facts, p *graphplan.Plan, name string) []object {
	service := f.Graph.Component(name)
	switch {
	case p.Orchestrator == graphplan.Grove:
		return []object{cliqueOf(f, p, name)}
	case p.Orchestrator == graphplan.LeaderWorkerSet && service.IsMultinode():
		var objects []object
		for i := range service.Sets() {
			objects = append(objects, setOf(f.Observed.Object(names.KeyLeaderWorkerSet(name, i))))
		}
		return objects
	default:
		deployment := f.Observed.Object(names.KeyDeployment(name))
		return []object{{
			live:  deployment != nil,
			mark:  graphplan.RestartMark{At: tree.Text(deployment, metadata.AnnotationRestartAt, "spec", "template", "metadata", "annotations")},
			ready: service.Replicas() == 0 || workload.Deployment(deployment).Done,
		}}
	}
}

// cliqueOf a service on Grove. All its cliques have the same mark.
func cliqueOf(f *subject.Facts, p *graphplan.Plan, name string) object {
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
	w := workload.Of(f.Graph, p, f.Observed.Resources(), name)[name]
	o.ready, o.stale = w.Settled && w.Ready, !w.Settled && w.Ready
	return o
}

// setOf one replica of a multinode service: its LeaderWorkerSet.
func setOf(observed *structpb.Struct) object {
	template := tree.At(observed, "spec", "leaderWorkerTemplate", "workerTemplate")
	return object{
		live:  observed != nil,
		mark:  graphplan.RestartMark{At: tree.Text(template, metadata.AnnotationRestartAt, "metadata", "annotations")},
		ready: workload.LeaderWorkerSet(observed).Done,
	}
}
