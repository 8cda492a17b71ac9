package revision

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// running of a graph with the workloads that run it.
type running struct {
	name string

	// written is what the user wrote for the pods, and generation that of the workers, which step plan has decided.
	written    graphplan.Written
	generation string

	form form

	// ownsMarks says that the annotation of restarts on the pods is the user's own, and thus a setting like any other.
	ownsMarks bool

	// numbering of replicas, where each is an object of its own; nil where they are not.
	numbering *numbering

	// workloads by the number of the replica that they run; one where replicas are not objects of their own.
	workloads []workload
}

// workload is an object that runs a component.
type workload struct {
	key     string
	replica int32

	// desired and observed object; observed is nil when there is none.
	desired, observed *structpb.Struct

	// pods as the steps before this one have built them, as replica 0 would have them.
	pods *structpb.Struct

	// runs are the components that run in the object.
	runs []string
}

// id of the pods that the object runs, if they are those of some components. It is stored with the object, and changes with the pods only: the
// API server counts a change of an annotation of a Deployment as one of its spec.
// https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/registry/apps/deployment/strategy.go
func (w *workload) id(components map[string]*structpb.Struct) string {
	if len(w.runs) == 1 {
		return firstDigits(tree.Text(components[w.runs[0]], "hash"))
	}
	hashes := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for _, name := range w.runs {
		hashes.Fields[name] = structpb.NewStringValue(tree.Text(components[name], "hash"))
	}
	return firstDigits(tree.Hash(hashes))
}

// runningOf a graph, in the order of their names.
func runningOf(call *step.Call) []running {
	g, p := call.Graph, call.Plan
	var all []running
	for _, spec := range g.ComponentsByName() {
		multinode := spec.IsMultinode()
		s := running{name: spec.Name, written: p.Components[spec.Name].Written, ownsMarks: spec.OwnsRestarts(), form: inDeployment()}
		if spec.IsWorker() {
			s.generation = p.WorkerGeneration
		}
		switch {
		case p.Orchestrator == graphplan.Grove:
			s.form = cliquesOf(g, spec.Name)
			s.add(call, string(names.KeyPodCliqueSet), 0, g.ComponentNames()...)
		case multinode:
			s.form = inGroup()
			s.numbering = numberingOf(g, p, spec.Name)
			for _, i := range spec.Indices() {
				s.add(call, string(names.KeyLeaderWorkerSet(spec.Name, i)), i, spec.Name)
			}
		default:
			s.add(call, string(names.KeyDeployment(spec.Name)), 0, spec.Name)
		}
		all = append(all, s)
	}
	return all
}

// add the workload of a key, unless it is not desired or has no pods of the component: then another step has taken it away.
func (s *running) add(call *step.Call, key string, replica int32, runs ...string) {
	desired := call.Response.GetDesired().GetResources()[key].GetResource()
	pods := s.form.read(desired)
	if pods == nil {
		return
	}
	s.workloads = append(s.workloads, workload{
		key: key, replica: replica, desired: desired, observed: call.Request.GetObserved().GetResources()[key].GetResource(),
		pods: s.common(pods, replica), runs: runs,
	})
}

// live are the pods of a workload as Crossplane has applied them, without the marks of restarts; nil when there are none.
func (s *running) live(w workload) *structpb.Struct {
	pods := s.form.read(applied.Kept(w.observed))
	if s.numbering != nil && s.numbering.natives {
		// Package rollout tells the gangs of live pods apart.
		pods = gang.Grouped(pods, tree.Name(w.observed), "")
	}
	return s.unmarked(pods)
}

// common pods of all replicas, from those of one: those of replica 0, without the marks of restarts.
func (s *running) common(pods *structpb.Struct, replica int32) *structpb.Struct {
	return s.unmarked(s.forReplica(pods, replica, 0))
}

// unmarked pods are those without the marks of restarts, unless these are the user's own. nil if there are no pods.
func (s *running) unmarked(pods *structpb.Struct) *structpb.Struct {
	if pods == nil || s.ownsMarks {
		return pods
	}
	return withoutMarks(s.form, pods)
}

// forReplica are the pods of one replica as another one has them.
func (s *running) forReplica(pods *structpb.Struct, from, to int32) *structpb.Struct {
	if from == to || s.numbering == nil {
		return pods
	}
	return s.numbering.renumber(pods, from, to)
}

// write pods into a workload that is desired, with the mark of its own last restart.
func (s *running) write(object *structpb.Struct, w workload, pods *structpb.Struct) *structpb.Struct {
	if !s.ownsMarks {
		pods = withMarks(s.form, pods, s.form.read(w.desired))
	}
	return s.form.write(object, pods)
}
