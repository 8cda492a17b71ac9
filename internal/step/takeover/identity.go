package takeover

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// identity are the labels by which Services, pools and discovery know the pods of a component, and the generation of the workers that
// find each other by it. They stay for as long as the workload does.
func identity() []string {
	return []string{
		metadata.LabelSelector, metadata.LabelGraphName, metadata.LabelComponent, metadata.LabelComponentType,
		metadata.LabelDynamoNamespace, metadata.LabelWorkerHash,
	}
}

// withIdentity is an object with what others know the pods of the live one by. labels and spec are the paths of those of its pods.
func withIdentity(object, live *structpb.Struct, labels, spec []string) *structpb.Struct {
	for _, label := range identity() {
		if value := tree.Text(live, label, labels...); value != "" && tree.Text(object, label, labels...) != value {
			object = tree.WithText(object, value, label, labels...)
		}
	}
	suffixes := suffixesOf(tree.At(live, spec...))
	if len(suffixes) == 0 {
		return object
	}
	for _, list := range containerLists() {
		containers := tree.At(object, spec...).GetFields()[list].GetListValue().GetValues()
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
		object = tree.With(object, structpb.NewListValue(&structpb.ListValue{Values: written}), list, spec...)
	}
	return object
}

// containerLists of a pod in which the runtime of a worker may be.
func containerLists() []string { return []string{"containers", "initContainers"} }

// suffixesOf the workers' namespace in the spec of a pod, by container. Workers of one Dynamo namespace find each other.
func suffixesOf(spec *structpb.Struct) map[string]*structpb.Struct {
	suffixes := map[string]*structpb.Struct{}
	for _, list := range containerLists() {
		for _, container := range spec.GetFields()[list].GetListValue().GetValues() {
			for _, variable := range container.GetStructValue().GetFields()["env"].GetListValue().GetValues() {
				if tree.Text(variable.GetStructValue(), "name") == pod.EnvWorkerSuffix {
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
		if name == pod.EnvWorkerSuffix {
			return container
		}
		if !added && name > pod.EnvWorkerSuffix {
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
