package plan

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/workload"
)

// planRestart decides about the restart by what is observed. The plan holds all that it needs to know of the workloads.
func (d *decider) planRestart(p *graphplan.Plan) *graphplan.Restart {
	status := tree.At(d.req.GetObserved().GetComposite().GetResource(), "status")
	r := &restart{
		asked:    d.graph.Spec.Restart,
		status:   restartStatus(status),
		reported: len(tree.At(status, "services").GetFields()) > 0,
	}
	for _, name := range d.graph.ServiceNames() {
		s := restartable{name: name}
		if !pod.OwnsRestarts(d.graph, name) {
			s.objects = d.restartObjects(p, name)
		}
		r.services = append(r.services, s)
	}
	return r.decide()
}

func restartStatus(status *structpb.Struct) *v1alpha1.RestartStatus {
	fields := tree.At(status, "restart").GetFields()
	if fields == nil {
		return nil
	}
	restart := &v1alpha1.RestartStatus{ObservedID: fields["observedID"].GetStringValue(), Phase: fields["phase"].GetStringValue()}
	for _, name := range fields["inProgress"].GetListValue().GetValues() {
		restart.InProgress = append(restart.InProgress, name.GetStringValue())
	}
	return restart
}

// restartObjects are the objects that run a service.
func (d *decider) restartObjects(p *graphplan.Plan, name string) []restartObject {
	service := d.graph.Spec.Services[name]
	observed := d.req.GetObserved().GetResources()
	switch {
	case p.Orchestrator == graphplan.Grove:
		return []restartObject{d.restartClique(p, name)}
	case p.Orchestrator == graphplan.LeaderWorkerSet && pod.IsMultinode(&service):
		var objects []restartObject
		for i := range pod.Replicas(&service) {
			objects = append(objects, restartSet(observed[string(names.KeyLeaderWorkerSet(name, i))].GetResource()))
		}
		return objects
	default:
		deployment := observed[string(names.KeyDeployment(name))].GetResource()
		return []restartObject{{
			live:    deployment != nil,
			mark:    graphplan.RestartMark{At: tree.Text(deployment, metadata.AnnotationRestartAt, "spec", "template", "metadata", "annotations")},
			settled: pod.Replicas(&service) == 0 || workload.Deployment(deployment).Done,
		}}
	}
}

// restartClique is a service on Grove. All its cliques have the same mark.
func (d *decider) restartClique(p *graphplan.Plan, name string) restartObject {
	set := d.memory.podCliqueSet
	if set == nil {
		return restartObject{}
	}
	o := restartObject{live: true}
	for _, clique := range set.Spec.Template.Cliques {
		if clique.Name == names.Clique(name) || clique.Name == names.LeaderClique(name) {
			o.mark.At = clique.Annotations[metadata.AnnotationRestartAt]
		}
	}
	w := workload.Of(d.graph, p, name, d.req.GetObserved().GetResources())
	o.settled, o.obscured = w.Settled && w.Ready, !w.Settled && w.Ready
	return o
}

// restartSet is one replica of a multinode service on LeaderWorkerSets.
func restartSet(observed *structpb.Struct) restartObject {
	template := tree.At(observed, "spec", "leaderWorkerTemplate", "workerTemplate")
	return restartObject{
		live:    observed != nil,
		mark:    graphplan.RestartMark{At: tree.Text(template, metadata.AnnotationRestartAt, "metadata", "annotations")},
		settled: workload.LeaderWorkerSet(observed).Done,
	}
}
