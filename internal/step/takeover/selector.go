package takeover

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// labelsOfPods that run, of each template of each observed workload; leaders come before their workers.
func labelsOfPods(observed map[string]*fnv1.Resource) []*structpb.Struct {
	var all []*structpb.Struct
	add := func(template *structpb.Struct) {
		if labels := tree.At(template, "metadata", "labels"); labels != nil {
			all = append(all, labels)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(observed)) {
		object := observed[key].GetResource()
		if key == string(names.KeyPodCliqueSet) {
			for _, clique := range tree.At(object, "spec", "template").GetFields()["cliques"].GetListValue().GetValues() {
				all = append(all, tree.At(clique.GetStructValue(), "labels"))
			}
		}
		if _, _, ok := names.WorkloadOf(key); ok {
			add(tree.At(object, "spec", "template"))
			add(tree.At(object, "spec", "leaderWorkerTemplate", "leaderTemplate"))
			add(tree.At(object, "spec", "leaderWorkerTemplate", "workerTemplate"))
		}
	}
	return all
}

// reaching is a selector of a component that selects none of its pods, made to select them; nil when it does, or when there are none. The
// operator selects pods of a component without a type by an empty one, and those of some multinode components by a namespace that they
// are not in.
func reaching(selector *structpb.Struct, pods []*structpb.Struct) *structpb.Struct {
	component := tree.Text(selector, metadata.LabelComponent)
	pods = slices.DeleteFunc(slices.Clone(pods), func(labels *structpb.Struct) bool {
		return component == "" || tree.Text(labels, metadata.LabelComponent) != component
	})
	if len(pods) == 0 || slices.ContainsFunc(pods, func(labels *structpb.Struct) bool { return selects(selector, labels) }) {
		return nil
	}
	out := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for label := range selector.GetFields() {
		if value, ok := pods[0].GetFields()[label]; ok {
			out.Fields[label] = value
		}
	}
	return out
}

func selects(selector, labels *structpb.Struct) bool {
	for label, value := range selector.GetFields() {
		if got, ok := labels.GetFields()[label]; !ok || got.GetStringValue() != value.GetStringValue() {
			return false
		}
	}
	return true
}
