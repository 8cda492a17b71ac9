// Package override contains the topology constraints that a user writes in Grove's own form, with providerOverride. They replace those that
// the graph would have, and stay as they are written, so that fields of a later version of Grove work too.
package override

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// Targets are the parts of a PodCliqueSet that have a constraint, by the names of their types in Grove.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/provideroverride/registry.go
const (
	TargetSet    = "PodCliqueSet"
	TargetClique = "PodCliqueTemplateSpec"
	TargetGroup  = "PodCliqueScalingGroupConfig"
)

// Constraint is the key of the constraint in each target.
const Constraint = "topologyConstraint"

// Override of one part of a PodCliqueSet.
type Override struct {
	v1alpha1.ProviderOverride

	// Path of the override in the form with services.
	Path *field.Path

	// Of is the target that the place in the graph stands for. The user may leave it out.
	Of string

	// Name of the clique or scaling group. Empty for the PodCliqueSet itself.
	Name string
}

// In a graph: that of the graph itself first, then those of services by name.
func In(g *graph.Graph) []Override {
	var all overrides
	spec := field.NewPath("spec")
	all.add(g.Spec.ProviderOverride, spec, TargetSet, "")
	for _, name := range g.ServiceNames() {
		service := g.Spec.Services[name]
		path, of := spec.Child("services").Key(name), TargetClique
		if pod.IsScalingGroup(g, name) {
			of = TargetGroup
		}
		all.add(service.ProviderOverride, path, of, names.Clique(name))
		all = append(all, OfRoles(&service, path, name)...)
	}
	return all
}

// OfRoles are the overrides of the roles of a service at a path, which they have in roles, or in multinode.
func OfRoles(s *v1alpha1.Service, path *field.Path, name string) []Override {
	var all overrides
	cliques := map[string]string{v1alpha1.RoleLeader: names.LeaderClique(name), v1alpha1.RoleWorker: names.WorkerClique(name)}
	if m := s.Multinode; m != nil && m.Leader != nil {
		all.add(m.Leader.ProviderOverride, path.Child("multinode", "leader"), TargetClique, cliques[v1alpha1.RoleLeader])
	}
	if m := s.Multinode; m != nil && m.Worker != nil {
		all.add(m.Worker.ProviderOverride, path.Child("multinode", "worker"), TargetClique, cliques[v1alpha1.RoleWorker])
	}
	for i := range s.Roles {
		all.add(s.Roles[i].ProviderOverride, path.Child("roles").Index(i), TargetClique, cliques[s.Roles[i].Name])
	}
	return all
}

// overrides of a graph.
type overrides []Override

// add the override at a path, if there is one.
func (all *overrides) add(given *v1alpha1.ProviderOverride, path *field.Path, of, name string) {
	if given != nil {
		*all = append(*all, Override{*given, path.Child("providerOverride"), of, name})
	}
}

// HasTyped reports whether the graph or any of its services has a constraint in the form of the API. It is refused beside overrides.
func HasTyped(g *graph.Graph) bool {
	if g.Spec.TopologyConstraint != nil {
		return true
	}
	for _, service := range g.Spec.Services {
		if service.TopologyConstraint != nil {
			return true
		}
	}
	return false
}

// Parents are the keys in the value that lead to the constraint.
func (o *Override) Parents() []string {
	if o.Of == TargetSet {
		return []string{"spec", "template"}
	}
	return nil
}

// Tree is the value as it is written; nil if it is not an object.
func (o *Override) Tree() *structpb.Struct {
	value := &structpb.Struct{}
	if err := value.UnmarshalJSON(o.Value.Raw); err != nil {
		return nil
	}
	return value
}

// Wanted is the constraint; nil if there is none.
func (o *Override) Wanted() *structpb.Struct {
	return tree.At(o.Tree(), append(o.Parents(), Constraint)...)
}

// Into is a copy of a PodCliqueSet with the constraint in its place.
func (o *Override) Into(set *structpb.Struct) *structpb.Struct {
	constraint := structpb.NewStructValue(o.Wanted())
	template := tree.At(set, "spec", "template")
	switch o.Of {
	case TargetSet:
		return tree.With(set, constraint, Constraint, "spec", "template")
	case TargetGroup:
		return tree.With(set, withConstraint(template.GetFields()["podCliqueScalingGroups"], o.Name, constraint), "podCliqueScalingGroups", "spec", "template")
	default:
		return tree.With(set, withConstraint(template.GetFields()["cliques"], o.Name, constraint), "cliques", "spec", "template")
	}
}

// withConstraint is a copy of a list in which the element of a name has a constraint.
func withConstraint(list *structpb.Value, name string, constraint *structpb.Value) *structpb.Value {
	values := slices.Clone(list.GetListValue().GetValues())
	for i, value := range values {
		if element := value.GetStructValue(); tree.Text(element, "name") == name {
			values[i] = structpb.NewStructValue(tree.With(element, constraint, Constraint))
		}
	}
	return structpb.NewListValue(&structpb.ListValue{Values: values})
}

// Others are the keys of an object beside the only one that may be set, sorted.
func Others(object *structpb.Struct, only string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(object.GetFields())), func(key string) bool { return key == only })
}
