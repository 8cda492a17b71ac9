// Package adoption finds the workloads that the Dynamo operator has created for a graph that takes them over: see package takeover. The names
// of all other objects are derived from the name of the graph, and package ownership finds them.
package adoption

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// checkAnnotation of a graph.
func checkAnnotation(seen *subject.Seen) subject.Outcome {
	value, ok := seen.Graph.Annotations[metadata.AnnotationAdoptFrom]
	if !ok || value == metadata.AdoptFromOperator {
		return subject.Outcome{}
	}
	path := field.NewPath("metadata", "annotations").Key(metadata.AnnotationAdoptFrom)
	return subject.Refused(subject.Mistake, message.NotSupported(path, value, []string{metadata.AdoptFromOperator}))
}

// Find the workloads that a graph adopts, as long as it does not have all of its own. They are found by their labels, because the names of some
// of them end with a hash.
func Find(req *fnv1.RunFunctionRequest, seen *subject.Seen) (lost.Objects, subject.Outcome) {
	if !takeover.Requested(seen.Graph) || seen.Graph.Namespace == "" {
		return lost.Objects{}, checkAnnotation(seen)
	}
	s := search{seen: seen, found: map[names.Resource][]*structpb.Struct{}}
	if seen.Observed.PodCliqueSet == nil && seen.Cluster.Grove {
		s.podCliqueSet()
	}
	if s.lacksWorkloads() {
		s.list("adopt-deployment", appsv1.SchemeGroupVersion.String(), "Deployment")
		if seen.Cluster.LWS {
			s.list("adopt-leaderworkerset", lwsv1.GroupVersion.String(), "LeaderWorkerSet")
		}
	}
	return s.workloads(req)
}

type search struct {
	seen     *subject.Seen
	found    map[names.Resource][]*structpb.Struct
	required require.Requirements
}

// lacksWorkloads reports whether a component has no workload, neither its own nor in a PodCliqueSet.
func (s *search) lacksWorkloads() bool {
	if s.seen.Observed.PodCliqueSet != nil {
		return false
	}
	return slices.ContainsFunc(s.seen.Graph.ComponentNames(), func(component string) bool {
		_, ok := s.seen.Observed.Components[names.Lower(component)]
		return !ok
	})
}

// podCliqueSet of the graph. It has a label since the operator shortens long names, and the name of the graph before.
func (s *search) podCliqueSet() {
	g := s.seen.Graph
	object, _ := s.required.Get(s.seen.Answers, require.Object{
		Name: "adopt-podcliqueset", APIVersion: grovev1alpha1.APIVersion, Kind: grovev1alpha1.KindPodCliqueSet,
		ObjectName: names.Of(g.Name, names.Adoption{}).PodCliqueSet(), Namespace: g.Namespace,
	})
	labelled := s.labelled("adopt-podcliquesets", grovev1alpha1.APIVersion, grovev1alpha1.KindPodCliqueSet)
	if object != nil && !slices.ContainsFunc(labelled, func(o *structpb.Struct) bool { return tree.Name(o) == tree.Name(object) }) {
		labelled = append(labelled, object)
	}
	s.add(names.KeyPodCliqueSet, labelled...)
}

// list the workloads of a kind, with the keys of the components and replicas that they run.
func (s *search) list(requirement, apiVersion, kind string) {
	for _, object := range s.labelled(requirement, apiVersion, kind) {
		name := tree.Text(object, metadata.LabelComponent, "metadata", "labels")
		component, ok := s.seen.Graph.Components[name]
		multinode := kind != "Deployment"
		if !ok || multinode != component.IsMultinode() {
			continue
		}
		if !multinode {
			s.add(names.KeyDeployment(name), object)
			continue
		}
		if i, ok := replicaOf(object); ok {
			s.add(names.KeyLeaderWorkerSet(name, i), object)
		}
	}
}

func (s *search) labelled(requirement, apiVersion, kind string) []*structpb.Struct {
	objects, _ := s.required.List(s.seen.Answers, require.Objects{
		Name: requirement, APIVersion: apiVersion, Kind: kind, Namespace: s.seen.Graph.Namespace,
		Labels: map[string]string{metadata.LabelGraphName: metadata.LabelValue(s.seen.Graph.Name)},
	})
	return objects
}

// replicaOf a LeaderWorkerSet is the number at the end of its name.
func replicaOf(object *structpb.Struct) (int32, bool) {
	name := tree.Name(object)
	i, err := strconv.ParseUint(name[strings.LastIndex(name, "-")+1:], 10, 31)
	return int32(i), err == nil
}

func (s *search) add(key names.Resource, objects ...*structpb.Struct) {
	if s.seen.Observed.Has(key) {
		return
	}
	for _, object := range objects {
		if !s.seen.Observed.Controls(object) {
			s.found[key] = append(s.found[key], object)
		}
	}
}

// workloads that are taken over, and the conflicts of the others.
func (s *search) workloads(req *fnv1.RunFunctionRequest) (lost.Objects, subject.Outcome) {
	adopted := lost.Objects{}
	var taken message.List
	for key, objects := range s.found {
		objects = running(objects)
		slices.SortFunc(objects, func(a, b *structpb.Struct) int { return cmp.Compare(tree.Name(a), tree.Name(b)) })
		problem := message.First(problemOf(objects), takeover.Unproven(s.seen.Graph, s.seen.Observed, objects[0]), s.unlikeOurs(key, objects[0]))
		if !problem.IsZero() {
			taken = append(taken, takeover.Invalid(s.seen.Graph, problem))
			continue
		}
		adopted.Adopt(req, string(key), objects[0])
	}
	outcome := subject.Outcome{Requirements: s.required}
	outcome.Refuse(subject.NameTaken, taken.Sorted(s.seen.Graph)...)
	return adopted, outcome
}

// unlikeOurs is why a workload cannot run the graph here, although nobody controls it. It is 0 if it can.
func (s *search) unlikeOurs(key names.Resource, object *structpb.Struct) message.Text {
	if key == names.KeyPodCliqueSet {
		return s.unlikeOurCliques(object)
	}
	component, i, ok := names.ReplicaOfLeaderWorkerSet(string(key))
	if replicas, _ := observed.Replicas(object); ok && replicas > 1 && (i > 0 || s.setsOf(component) > 1) {
		return message.Format("cannot adopt LeaderWorkerSet %s: it runs %d replicas, and other LeaderWorkerSets run the same {{component}}; let the operator complete its rollout first, or delete those that serve nothing any more", tree.Name(object), replicas)
	}
	return message.Text{}
}

// unlikeOurCliques is why the cliques of a PodCliqueSet cannot be those of the graph: a component of the graph has others.
func (s *search) unlikeOurCliques(set *structpb.Struct) message.Text {
	for _, value := range tree.At(set, "spec", "template").GetFields()["cliques"].GetListValue().GetValues() {
		clique := value.GetStructValue()
		name, component := tree.Text(clique, "name"), tree.Text(clique, metadata.LabelComponent, "labels")
		ours := []string{names.Clique(component), names.LeaderClique(component), names.WorkerClique(component)}
		if _, ok := s.seen.Graph.Components[component]; ok && !slices.Contains(append(ours, pod.CliqueNames(s.seen.Graph.Component(component))...), name) {
			return message.Format("cannot adopt PodCliqueSet %s: clique %s is none of {{component}} %s; write its gpuMemoryService, failover and multinode as they were when the operator created it, or replace the graph with another graph", tree.Name(set), name, component)
		}
	}
	return message.Text{}
}

// setsOf a component: its LeaderWorkerSets, those of the operator and those that the graph has already.
func (s *search) setsOf(component string) int {
	sets := 0
	for key := range s.found {
		if owner, _, ok := names.ReplicaOfLeaderWorkerSet(string(key)); ok && owner == component {
			sets++
		}
	}
	for i := range s.seen.Observed.LeaderWorkerSets {
		if s.seen.Observed.LeaderWorkerSets[i].Component == component {
			sets++
		}
	}
	return sets
}

// running omits workloads that the operator has scaled to zero if another one runs, because the operator does not delete all earlier
// generations of workers.
func running(objects []*structpb.Struct) []*structpb.Struct {
	left := slices.DeleteFunc(slices.Clone(objects), func(o *structpb.Struct) bool {
		replicas, ok := tree.At(o, "spec").GetFields()["replicas"]
		return ok && replicas.GetNumberValue() == 0
	})
	if len(left) == 0 {
		return objects[:1]
	}
	return left
}

// problemOf objects of which one is taken over. It is 0 if there is none.
func problemOf(objects []*structpb.Struct) message.Text {
	object := objects[0]
	kind := object.GetFields()["kind"].GetStringValue()
	if len(objects) > 1 {
		var all []string
		for _, o := range objects {
			all = append(all, tree.Name(o))
		}
		return message.Format("cannot adopt one of %d objects of kind %s that run the same pods: %s; let the operator complete its rollout first, or delete those that serve nothing any more", len(objects), kind, strings.Join(all, ", "))
	}
	if owner, controlled := require.Controller(object); controlled {
		return takeover.Controlled(kind, tree.Name(object), owner)
	}
	return message.Text{}
}
