package revision

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// The keys of the pod templates of a component that spans nodes. They are those of a LeaderWorkerSet.
const (
	leaderTemplate = "leaderTemplate"
	workerTemplate = "workerTemplate"
)

// form is how the pods of one component stand in the object that runs them. What is read has the same form for all kinds:
// metadata and spec of the pods, or below leaderTemplate and workerTemplate those of a component that spans nodes.
type form interface {
	// read the pods; nil when the object has none.
	read(object *structpb.Struct) *structpb.Struct

	// write other pods into a copy of the object.
	write(object, pods *structpb.Struct) *structpb.Struct

	// templates are the paths of the pod templates in the pods that are read.
	templates() [][]string
}

// whole is a field of the spec of an object with all of its pods, and the keys of the templates in it.
type whole struct {
	field string
	keys  [][]string
}

// inDeployment are the pods in a Deployment.
func inDeployment() form { return whole{"template", [][]string{nil}} }

// inGroup are the pods in a LeaderWorkerSet. All that it says of the group is read: the controller replaces the pods whatever of it
// changes.
// https://github.com/kubernetes-sigs/lws/blob/v0.9.0/pkg/utils/revision/revision_utils.go
func inGroup() form {
	return whole{"leaderWorkerTemplate", [][]string{{leaderTemplate}, {workerTemplate}}}
}

func (w whole) read(object *structpb.Struct) *structpb.Struct {
	return tree.At(object, "spec", w.field)
}

func (w whole) write(object, pods *structpb.Struct) *structpb.Struct {
	return tree.With(object, structpb.NewStructValue(pods), w.field, "spec")
}

func (w whole) templates() [][]string { return w.keys }

// cliques of one component in a PodCliqueSet: the names of its cliques by the keys of the templates. The only clique of a component
// that does not span nodes is under the empty key, and each clique of a component with weight servers under its name.
type cliques map[string]string

func cliquesOf(g *graph.Graph, component string) cliques {
	spec := g.Component(component)
	switch {
	case spec.RunsWeightServers():
		all := cliques{}
		for _, name := range pod.CliqueNames(spec) {
			all[name] = name
		}
		return all
	case spec.IsMultinode():
		return cliques{leaderTemplate: names.LeaderClique(component), workerTemplate: names.WorkerClique(component)}
	default:
		return cliques{"": names.Clique(component)}
	}
}

func (c cliques) read(object *structpb.Struct) *structpb.Struct {
	fields := map[string]*structpb.Value{}
	for key, name := range c {
		clique := cliqueNamed(object, name)
		if clique == nil {
			return nil
		}
		if key == "" {
			return podsOf(clique)
		}
		fields[key] = structpb.NewStructValue(podsOf(clique))
	}
	return &structpb.Struct{Fields: fields}
}

func (c cliques) write(object, pods *structpb.Struct) *structpb.Struct {
	list := cliqueList(object)
	written := make([]*structpb.Value, 0, len(list))
	for _, value := range list {
		written = append(written, c.writeClique(value, pods))
	}
	value := structpb.NewListValue(&structpb.ListValue{Values: written})
	return tree.With(object, value, "cliques", "spec", "template")
}

// writeClique writes its pods into a clique, where it is one of the component.
func (c cliques) writeClique(value *structpb.Value, pods *structpb.Struct) *structpb.Value {
	clique := value.GetStructValue()
	for key, name := range c {
		if tree.Text(clique, "name") != name {
			continue
		}
		from := pods
		if key != "" {
			from = tree.At(pods, key)
		}
		for _, field := range []string{"labels", "annotations"} {
			clique = tree.With(clique, tree.At(from, "metadata").GetFields()[field], field)
		}
		return structpb.NewStructValue(tree.With(clique, from.GetFields()["spec"], "podSpec", "spec"))
	}
	return value
}

func (c cliques) templates() [][]string {
	paths := make([][]string, 0, len(c))
	for key := range c {
		if key == "" {
			return [][]string{nil}
		}
		paths = append(paths, []string{key})
	}
	return paths
}

func cliqueList(object *structpb.Struct) []*structpb.Value {
	return tree.At(object, "spec", "template").GetFields()["cliques"].GetListValue().GetValues()
}

func cliqueNamed(object *structpb.Struct, name string) *structpb.Struct {
	for _, value := range cliqueList(object) {
		if tree.Text(value.GetStructValue(), "name") == name {
			return value.GetStructValue()
		}
	}
	return nil
}

// podsOf a clique, as a template of pods.
func podsOf(clique *structpb.Struct) *structpb.Struct {
	pods := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for _, field := range []string{"labels", "annotations"} {
		if value, ok := clique.GetFields()[field]; ok {
			pods = tree.With(pods, value, field, "metadata")
		}
	}
	if spec, ok := tree.At(clique, "spec").GetFields()["podSpec"]; ok {
		pods.Fields["spec"] = spec
	}
	return pods
}

// Marks of restarts are no part of a revision: they differ between the replicas of a component, and step plan has them from the
// pods in the cluster.

// withoutMarks are pods without the marks of their last restart.
func withoutMarks(f form, pods *structpb.Struct) *structpb.Struct {
	for _, path := range f.templates() {
		if mark := tree.Text(pods, metadata.AnnotationRestartAt, markPath(path)...); mark != "" {
			pods = tree.With(pods, nil, metadata.AnnotationRestartAt, markPath(path)...)
		}
	}
	return pods
}

// withMarks are pods with the marks of others.
func withMarks(f form, pods, as *structpb.Struct) *structpb.Struct {
	for _, path := range f.templates() {
		if mark := tree.Text(as, metadata.AnnotationRestartAt, markPath(path)...); mark != "" {
			pods = tree.WithText(pods, mark, metadata.AnnotationRestartAt, markPath(path)...)
		}
	}
	return pods
}

func markPath(template []string) []string {
	return append(append([]string{}, template...), "metadata", "annotations")
}
