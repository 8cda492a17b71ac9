package status

import (
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// template of the pods of a component, in an object that runs it.
type template struct {
	pod.Group

	annotations, spec *structpb.Struct
}

// templatesOf all pods of the first replica of a component in some objects. If only the first pods of an engine serve requests, they come before
// its other nodes. Those that are not there have no spec.
func templatesOf(objects map[string]*fnv1.Resource, g *graph.Graph, p *graphplan.Plan, name string) []template {
	component := g.Component(name)
	switch {
	case p.Orchestrator == graphplan.Grove:
		return inCliques(objects[string(names.KeyPodCliqueSet)].GetResource(), g, name)
	case component.IsMultinode():
		set := tree.At(objects[string(names.KeyLeaderWorkerSet(name, 0))].GetResource(), "spec", "leaderWorkerTemplate")
		return inGroup(set, int64(component.Nodes()))
	default:
		return []template{templateOf(tree.At(objects[string(names.KeyDeployment(name))].GetResource(), "spec", "template"), 1)}
	}
}

// inCliques of a PodCliqueSet are the templates of a component.
func inCliques(set *structpb.Struct, g *graph.Graph, name string) []template {
	cliques := map[string]*structpb.Struct{}
	for _, value := range tree.At(set, "spec", "template").GetFields()["cliques"].GetListValue().GetValues() {
		cliques[tree.Text(value.GetStructValue(), "name")] = value.GetStructValue()
	}
	var all []template
	for _, c := range pod.Cliques(g.Component(name)) {
		clique := cliques[c.Name]
		all = append(all, template{Group: pod.GroupOf(g.Component(name), c), annotations: tree.At(clique, "annotations"), spec: tree.At(clique, "spec", "podSpec")})
	}
	return all
}

// inGroup of a LeaderWorkerSet are the templates of its leader and its workers, which may be the same.
func inGroup(set *structpb.Struct, nodes int64) []template {
	worker := tree.At(set, "workerTemplate")
	if leader := tree.At(set, "leaderTemplate"); leader != nil {
		return []template{templateOf(leader, 1), templateOf(worker, nodes-1)}
	}
	return []template{templateOf(worker, nodes)}
}

// templateOf some pods, each of which is a node of the engine.
func templateOf(pods *structpb.Struct, nodes int64) template {
	return template{Group: pod.Group{Pods: nodes, Nodes: nodes}, annotations: tree.At(pods, "metadata", "annotations"), spec: tree.At(pods, "spec")}
}

// serving are the templates of the pods that serve requests. ok is false if they are not there.
func serving(all []template) (t template, ok bool) {
	for _, t := range all {
		if t.Nodes > 0 {
			return t, t.spec != nil
		}
	}
	return template{}, false
}

// decode the template. What has no place in pods, as another function may have set it, is left out.
func (t template) decode() pod.GroupTemplate {
	annotations, spec := map[string]string{}, &corev1.PodSpec{}
	_ = strict.Decode(structpb.NewStructValue(t.annotations), &annotations, nil, strict.Options{Lenient: true})
	_ = strict.Decode(structpb.NewStructValue(t.spec), spec, nil, strict.Options{Lenient: true})
	return pod.GroupTemplate{Group: t.Group, Annotations: annotations, Spec: spec}
}
