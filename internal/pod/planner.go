package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// The variables that name the graph of a component. A planner reads and scales the graph that it finds there.
const (
	EnvParentName      = "DYN_PARENT_DGD_K8S_NAME"
	EnvParentNamespace = "DYN_PARENT_DGD_K8S_NAMESPACE"
)

// Planned is the graph that a planner reads and scales.
type Planned struct {
	// Graph is its name, in the namespace of the planner. It is the graph of the planner, unless the user names another one there.
	Graph string

	// Namespace that the user names, if it is another one. A planner looks for graphs in that of its ServiceAccount all the same.
	// https://github.com/ai-dynamo/dynamo/blob/7da481c7/components/src/dynamo/planner/connectors/clients/kubernetes_api.py
	Namespace string

	// Unreadable is the variable whose value is not in the graph, or is no name. Empty if there is none.
	Unreadable string
}

// PlannedBy returns the graph that a component plans.
func PlannedBy(c *graph.Component) Planned {
	g := c.Graph()
	envs := slices.Concat(g.Spec.Env, RuntimeOf(c).Env)
	namespace, readable := parent(envs, EnvParentNamespace, g.Namespace)
	if !readable {
		return Planned{Graph: g.Name, Unreadable: EnvParentNamespace}
	}
	// A manifest without a namespace is for any one.
	if g.Namespace != "" && namespace != g.Namespace {
		return Planned{Graph: g.Name, Namespace: namespace}
	}
	planned, readable := parent(envs, EnvParentName, g.Name)
	if !readable {
		return Planned{Graph: g.Name, Unreadable: EnvParentName}
	}
	return Planned{Graph: planned}
}

// parent is what a variable of the user names, or what it is by default. false: its value is not in the graph, or is no name.
func parent(envs []corev1.EnvVar, variable, own string) (name string, readable bool) {
	name, readable = own, true
	for _, e := range envs {
		switch {
		case e.Name != variable:
		case e.ValueFrom == nil:
			// A reference to another variable begins with a dollar sign, which is in no name.
			name, readable = e.Value, len(validation.IsDNS1123Subdomain(e.Value)) == 0
		default:
			ref := e.ValueFrom.FieldRef
			name, readable = own, variable == EnvParentNamespace && ref != nil && ref.FieldPath == "metadata.namespace"
		}
	}
	return name, readable
}
