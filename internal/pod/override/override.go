// Package override contains what a user writes in Grove's own form, with providerOverride. Topology constraints replace those that the graph
// would have, and stay as they are written, so that fields of a later version of Grove work too.
package override

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Targets are the parts of a PodCliqueSet that have a constraint, by the names of their types in Grove.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/provideroverride/registry.go
const (
	TargetSet    = "PodCliqueSet"
	TargetClique = "PodCliqueTemplateSpec"
	TargetGroup  = "PodCliqueScalingGroupConfig"
)

// Keys of the values.
const (
	// Constraint is the key of the constraint in each target.
	Constraint = "topologyConstraint"
	// MinAvailable is the key of the number of replicas that a gang needs: in a scaling group, or in the spec of a clique.
	MinAvailable = "minAvailable"
	// RollingUpdate is the key of the limits of rolling updates, in a scaling group or in a clique without one.
	RollingUpdate = "rollingUpdate"
)

// Override of one part of a PodCliqueSet.
type Override struct {
	v1alpha1.ProviderOverride

	// Path of the override in the form with components.
	Path *field.Path

	// Of is the target that the place in the graph stands for. The user may leave it out.
	Of string

	// Name of the clique or scaling group. Empty for the PodCliqueSet itself.
	Name string

	// Component whose clique or scaling group it is. Empty for the PodCliqueSet itself.
	Component string

	// OfRole says that it is the clique of a role, which belongs to the scaling group of its component.
	OfRole bool
}

// In a graph: that of the graph itself first, then those of components by name.
func In(g *graph.Graph) []Override {
	var all overrides
	root := field.NewPath("spec")
	all.add(g.Spec.ProviderOverride, root, Override{Of: TargetSet})
	for _, component := range g.ComponentsByName() {
		path, target := graph.ComponentPath(component.Name), TargetClique
		if component.IsScalingGroup() {
			target = TargetGroup
		}
		all.add(component.ProviderOverride, path, Override{Of: target, Name: names.Clique(component.Name), Component: component.Name})
		all = append(all, OfRoles(component, path, component.Name)...)
	}
	return all
}

// Constraints are the overrides in a graph that replace a topology constraint.
func Constraints(g *graph.Graph) []Override {
	return slices.DeleteFunc(In(g), func(o Override) bool { return !o.IsConstraint() })
}

// OfRoles are the overrides of the roles of a component at a path, which they have in roles, or in multinode.
func OfRoles(s *graph.Component, path *field.Path, name string) []Override {
	var all overrides
	cliques := map[string]string{v1alpha1.RoleLeader: names.LeaderClique(name), v1alpha1.RoleWorker: names.WorkerClique(name)}
	if m := s.Multinode; m != nil && m.Leader != nil {
		all.add(m.Leader.ProviderOverride, path.Child("multinode", "leader"), ofRole(name, cliques[v1alpha1.RoleLeader]))
	}
	if m := s.Multinode; m != nil && m.Worker != nil {
		all.add(m.Worker.ProviderOverride, path.Child("multinode", "worker"), ofRole(name, cliques[v1alpha1.RoleWorker]))
	}
	for i := range s.Roles {
		all.add(s.Roles[i].ProviderOverride, path.Child("roles").Index(i), ofRole(name, cliques[s.Roles[i].Name]))
	}
	return all
}

func ofRole(component, clique string) Override {
	return Override{Of: TargetClique, Name: clique, Component: component, OfRole: true}
}

// overrides of a graph.
type overrides []Override

// add the override at a path, if there is one, of a part of a PodCliqueSet.
func (all *overrides) add(given *v1alpha1.ProviderOverride, path *field.Path, target Override) {
	if given != nil {
		target.ProviderOverride, target.Path = *given, path.Child("providerOverride")
		*all = append(*all, target)
	}
}

// HasTyped reports whether the graph or any of its components has a constraint in the form of the API. It is refused beside overrides.
func HasTyped(g *graph.Graph) bool {
	if g.Spec.TopologyConstraint != nil {
		return true
	}
	for _, component := range g.Components {
		if component.TopologyConstraint != nil {
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

// MinAvailableKeys are the keys in the value of a component that lead to the minimum.
func (o *Override) MinAvailableKeys() []string {
	if o.Of == TargetClique {
		return []string{"spec", MinAvailable}
	}
	return []string{MinAvailable}
}

// MinAvailablePath is where the value of a component has the minimum.
func (o *Override) MinAvailablePath() *field.Path {
	return o.Path.Child("value", o.MinAvailableKeys()...)
}

// IsConstraint reports whether the value has a constraint. One without anything is a constraint that is missing.
func (o *Override) IsConstraint() bool {
	fields := o.Tree().GetFields()
	_, has := fields[Constraint]
	return has || o.Component == "" || o.OfRole || len(fields) == 0
}

// Limits of rolling updates in the value; nil if there are none. Those that cannot be read are refused.
func (o *Override) Limits() *grovev1alpha1.RollingUpdate {
	written := tree.At(o.Tree(), RollingUpdate)
	limits := &grovev1alpha1.RollingUpdate{}
	if written == nil || require.Into(written, limits) != nil {
		return nil
	}
	return limits
}

// LimitsOf the rolling updates of a component; nil if it has none.
func LimitsOf(s *graph.Component) *grovev1alpha1.RollingUpdate {
	if s.ProviderOverride == nil {
		return nil
	}
	return (&Override{ProviderOverride: *s.ProviderOverride}).Limits()
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

// Others are the keys of an object beside those that may be set, sorted.
func Others(object *structpb.Struct, known ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(object.GetFields())), func(key string) bool { return slices.Contains(known, key) })
}
