package computedomain

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// cliquePods are the pods of the cliques of members in a PodCliqueSet, by the name of the clique.
func cliquePods(object *structpb.Struct, members map[string]graphplan.MNNVLMember) ([]claimant, error) {
	template, err := objectAt(object, "spec", "template")
	if err != nil {
		return nil, err
	}
	cliques, err := structs(template, "cliques")
	if err != nil {
		return nil, errors.Wrap(err, "spec.template")
	}
	left := maps.Clone(members)
	var pods []claimant
	for _, clique := range cliques {
		name := clique.GetFields()["name"].GetStringValue()
		member, ok := members[name]
		if !ok {
			continue
		}
		delete(left, name)
		spec, err := objectAt(clique, "spec", "podSpec")
		if err != nil {
			return nil, errors.Wrapf(err, "clique %s", name)
		}
		pods = append(pods, claimant{spec: spec, member: member})
	}
	if len(left) > 0 {
		return nil, errors.Errorf("there is no clique %s", strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return pods, nil
}

func deploymentPods(object *structpb.Struct, member graphplan.MNNVLMember) ([]claimant, error) {
	spec, err := objectAt(object, "spec", "template", "spec")
	return []claimant{{spec: spec, member: member}}, err
}

func leaderWorkerSetPods(object *structpb.Struct, member graphplan.MNNVLMember) ([]claimant, error) {
	leader, err := objectAt(object, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec")
	if err != nil {
		return nil, err
	}
	worker, err := objectAt(object, "spec", "leaderWorkerTemplate", "workerTemplate", "spec")
	return []claimant{{spec: leader, member: member}, {spec: worker, member: member}}, err
}

// objectAt is the object at a path, which must exist.
func objectAt(object *structpb.Struct, path ...string) (*structpb.Struct, error) {
	for i, name := range path {
		value, ok := object.GetFields()[name].GetKind().(*structpb.Value_StructValue)
		if !ok {
			return nil, errors.Errorf("%s is not an object", strings.Join(path[:i+1], "."))
		}
		object = filled(value)
	}
	return object, nil
}

// filled is the object of a value, to which fields can be added: an empty object is decoded without a map.
func filled(value *structpb.Value_StructValue) *structpb.Struct {
	if value.StructValue.GetFields() == nil {
		value.StructValue = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}
	return value.StructValue
}

// child is the object with a name, which is added if it is missing.
func child(object *structpb.Struct, name string) (*structpb.Struct, error) {
	if absent(object, name) {
		object.Fields[name] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
	}
	value, ok := object.GetFields()[name].GetKind().(*structpb.Value_StructValue)
	if !ok {
		return nil, errors.Errorf("%s is not an object", name)
	}
	return filled(value), nil
}

// structs are the objects of the list with a name. There are none if it is missing.
func structs(object *structpb.Struct, name string) ([]*structpb.Struct, error) {
	if absent(object, name) {
		return nil, nil
	}
	list, ok := object.GetFields()[name].GetKind().(*structpb.Value_ListValue)
	if !ok {
		return nil, errors.Errorf("%s is not a list", name)
	}
	all := make([]*structpb.Struct, 0, len(list.ListValue.GetValues()))
	for i, item := range list.ListValue.GetValues() {
		s, ok := item.GetKind().(*structpb.Value_StructValue)
		if !ok {
			return nil, errors.Errorf("%s[%d] is not an object", name, i)
		}
		all = append(all, filled(s))
	}
	return all, nil
}

// add an object to the list with a name, which is created if it is missing. structs has read the list before.
func add(object *structpb.Struct, name string, item map[string]*structpb.Value) {
	list := object.GetFields()[name].GetListValue()
	if list == nil {
		list = &structpb.ListValue{}
		object.Fields[name] = structpb.NewListValue(list)
	}
	list.Values = append(list.Values, structpb.NewStructValue(&structpb.Struct{Fields: item}))
}

// absent reports whether there is no value with a name. null counts as no value.
func absent(object *structpb.Struct, name string) bool {
	switch object.GetFields()[name].GetKind().(type) {
	case nil, *structpb.Value_NullValue:
		return true
	default:
		return false
	}
}
