// Package takeover keeps what is fixed of the objects that a graph has taken over from another controller: their names, what
// cannot be changed of them, and what other pods know theirs by. Everything else is as in any other graph.
package takeover

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Requested reports whether the user of a graph lets it take over what the Dynamo operator has made for it.
func Requested(g *graph.Graph) bool {
	return g.Annotations[metadata.AnnotationAdoptFrom] == metadata.AdoptFromOperator
}

// IsAdopted reports whether an object was taken over.
func IsAdopted(object *structpb.Struct) bool {
	return tree.Text(object, metadata.AnnotationAdoptedFrom, "metadata", "annotations") != ""
}

// NamesOf the observed objects of a graph that has adopted any, where they differ from those that it would give them. The user may
// take the annotation away again: the objects tell by themselves that they were adopted.
func NamesOf(g *graph.Graph, observed map[string]*fnv1.Resource) names.Adoption {
	if !Adopts(g, observed) {
		return names.Adoption{}
	}
	adopted := names.Adoption{Components: map[string]string{}}
	if name := nameOf(observed, string(names.KeyPodCliqueSet)); name != names.Of(g.Name, names.Adoption{}).PodCliqueSet() {
		adopted.PodCliqueSet = name
	}
	plain := names.Of(g.Name, names.Adoption{})
	for _, service := range g.ServiceNames() {
		if name := plain.Service(service); nameOf(observed, string(names.KeyService(service))) != name {
			// The Service leads to a workload that is lost: the name tells what that was called.
			setName(&adopted, plain, service, nameOf(observed, string(names.KeyService(service))))
		}
	}
	for key := range observed {
		service, _, ok := names.WorkloadOf(key)
		if !ok {
			continue
		}
		name := nameOf(observed, key)
		if _, i, ok := names.ReplicaOfLeaderWorkerSet(key); ok {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(int(i)))
		}
		setName(&adopted, plain, service, name)
	}
	if len(adopted.Components) == 0 {
		adopted.Components = nil
	}
	for _, service := range g.ServiceNames() {
		if inOneSet(observed, service) {
			adopted.Sets = append(adopted.Sets, names.Lower(service))
		}
	}
	slices.Sort(adopted.Sets)
	return adopted
}

// Account that the live pods of a service run as, in a graph that has adopted any. The Dynamo operator has one for the planners of a
// namespace, which belongs to no graph, and what it allows is deleted together with the operator.
func Account(g *graph.Graph, observed map[string]*fnv1.Resource, service string) string {
	if !Adopts(g, observed) {
		return ""
	}
	if pods := tree.At(observed[string(names.KeyDeployment(service))].GetResource(), "spec", "template", "spec"); pods != nil {
		return tree.Text(pods, "serviceAccountName")
	}
	template := tree.At(observed[string(names.KeyPodCliqueSet)].GetResource(), "spec", "template")
	for _, clique := range template.GetFields()["cliques"].GetListValue().GetValues() {
		if tree.Text(clique.GetStructValue(), "name") == names.Clique(service) {
			return tree.Text(clique.GetStructValue(), "serviceAccountName", "spec", "podSpec")
		}
	}
	return ""
}

// setName sets the base name of a service, unless it has none, or the one that the graph gives it.
func setName(adopted *names.Adoption, plain names.Graph, service, name string) {
	delete(adopted.Components, names.Lower(service))
	if name != "" && name != plain.Component(service) {
		adopted.Components[names.Lower(service)] = name
	}
}

// Adopts reports whether a graph asks for adoption, or has objects that it has adopted.
func Adopts(g *graph.Graph, observed map[string]*fnv1.Resource) bool {
	return Requested(g) || anyAdopted(observed)
}

func anyAdopted(observed map[string]*fnv1.Resource) bool {
	for key, r := range observed {
		if IsAdopted(r.GetResource()) && kinds.IsKey(key) {
			return true
		}
	}
	return false
}

func nameOf(observed map[string]*fnv1.Resource, key string) string {
	return tree.Text(observed[key].GetResource(), "name", "metadata")
}

// identity are the labels by which Services, pools and discovery know the pods of a service, and the generation of the workers that
// find each other by it. They stay for as long as the workload does.
func identity() []string {
	return []string{
		metadata.LabelSelector, metadata.LabelGraphName, metadata.LabelComponent, metadata.LabelComponentType,
		metadata.LabelDynamoNamespace, metadata.LabelWorkerHash,
	}
}

// workerSuffix is the environment variable with the generation of the workers. Workers of one Dynamo namespace find each other, and
// it is part of the namespace.
const workerSuffix = "DYN_NAMESPACE_WORKER_SUFFIX"

// WithIdentity is a new pod template with what others know the pods of the live one by.
func WithIdentity(template, live *structpb.Struct) *structpb.Struct {
	for _, label := range identity() {
		if value := tree.Text(live, label, "metadata", "labels"); value != "" && tree.Text(template, label, "metadata", "labels") != value {
			template = tree.WithText(template, value, label, "metadata", "labels")
		}
	}
	suffixes := suffixesOf(live)
	if len(suffixes) == 0 {
		return template
	}
	for _, list := range containerLists() {
		containers := tree.At(template, "spec").GetFields()[list].GetListValue().GetValues()
		if len(containers) == 0 {
			continue
		}
		written := make([]*structpb.Value, 0, len(containers))
		for _, container := range containers {
			if value, ok := suffixes[tree.Text(container.GetStructValue(), "name")]; ok {
				container = structpb.NewStructValue(withVariable(container.GetStructValue(), value))
			}
			written = append(written, container)
		}
		template = tree.With(template, structpb.NewListValue(&structpb.ListValue{Values: written}), list, "spec")
	}
	return template
}

// containerLists of a pod in which the runtime of a worker may be.
func containerLists() []string { return []string{"containers", "initContainers"} }

// suffixesOf the workers' namespace in a pod template, by container.
func suffixesOf(template *structpb.Struct) map[string]*structpb.Struct {
	suffixes := map[string]*structpb.Struct{}
	for _, list := range containerLists() {
		for _, container := range tree.At(template, "spec").GetFields()[list].GetListValue().GetValues() {
			for _, variable := range container.GetStructValue().GetFields()["env"].GetListValue().GetValues() {
				if tree.Text(variable.GetStructValue(), "name") == workerSuffix {
					suffixes[tree.Text(container.GetStructValue(), "name")] = variable.GetStructValue()
				}
			}
		}
	}
	return suffixes
}

// withVariable is a container with an environment variable, at its place in the order of names, unless the user sets it.
func withVariable(container, variable *structpb.Struct) *structpb.Struct {
	var env []*structpb.Value
	added := false
	for _, other := range container.GetFields()["env"].GetListValue().GetValues() {
		name := tree.Text(other.GetStructValue(), "name")
		if name == workerSuffix {
			return container
		}
		if !added && name > workerSuffix {
			env, added = append(env, structpb.NewStructValue(variable)), true
		}
		env = append(env, other)
	}
	if !added {
		env = append(env, structpb.NewStructValue(variable))
	}
	out := &structpb.Struct{Fields: maps.Clone(container.GetFields())}
	out.Fields["env"] = structpb.NewListValue(&structpb.ListValue{Values: env})
	return out
}
