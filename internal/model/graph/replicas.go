package graph

import (
	"cmp"
	"encoding/json"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/utils/ptr"
)

// Scale a component to a number of replicas that counts instead of the one that the user wrote.
func (g *Graph) Scale(component string, replicas int32) {
	c, ok := g.Components[component]
	if !ok {
		return
	}
	c.Component.Replicas = &replicas
	if g.Scaled == nil {
		g.Scaled = map[string]int32{}
	}
	g.Scaled[component] = replicas
}

// WrittenReplicas of a component, whatever it is scaled to. written is false if the user did not choose the number: it is absent, or it is
// the default of components, which the API server adds.
func (g *Graph) WrittenReplicas(component string) (replicas int32, written bool) {
	value, ok := valueAt(g.Raw(component), "replicas").GetKind().(*structpb.Value_NumberValue)
	if !ok {
		return defaultReplicas, false
	}
	replicas = int32(value.NumberValue)
	return replicas, g.Form == Services || replicas != defaultReplicas
}

const defaultReplicas = 1

// Replicas of the component. The default is 1.
func (c *Component) Replicas() int32 { return ptr.Deref(c.Component.Replicas, defaultReplicas) }

// IsAutoscaled reports whether an autoscaler of the graph determines the number of replicas of the component.
func (c *Component) IsAutoscaled() bool { return c.Autoscaling != nil && c.Autoscaling.Enabled }

// HasScalingAdapter reports whether the component requests a scaling adapter.
func (c *Component) HasScalingAdapter() bool { return c.ScalingAdapter != nil }

// defaultNodeCount is the default of the API server for a multinode block without a count. Offline, nothing sets it.
const defaultNodeCount = 2

// Nodes of one replica. It is 1 for a component of a single node.
func (c *Component) Nodes() int32 {
	if c.Multinode == nil {
		return 1
	}
	return cmp.Or(c.Multinode.NodeCount, defaultNodeCount)
}

// IsMultinode reports whether one replica spans several nodes.
func (c *Component) IsMultinode() bool { return c.Nodes() > 1 }

// Sets is the number of LeaderWorkerSets that run a multinode component without Grove: one for each replica, or one for all replicas of a
// component that was adopted like that.
func (c *Component) Sets() int32 {
	if c.graph.Names().InOneSet(c.Name) {
		return min(c.Replicas(), 1)
	}
	return c.Replicas()
}

// Indices of these LeaderWorkerSets, and of those that the component keeps while its scale-in is delayed.
func (c *Component) Indices() []int32 {
	var all []int32
	for i := range c.Sets() {
		all = append(all, i)
	}
	return append(all, c.graph.Retained[c.Name]...)
}

// Retain replicas of a component until it can be scaled in.
func (g *Graph) Retain(component string, replicas []int32) {
	if g.Retained == nil {
		g.Retained = map[string][]int32{}
	}
	g.Retained[component] = replicas
}

// ReplicasOfSet is the number of replicas in each of these LeaderWorkerSets.
func (c *Component) ReplicasOfSet() int32 {
	if c.graph.Names().InOneSet(c.Name) {
		return c.Replicas()
	}
	return 1
}

// HasLeader reports whether only some pods of the component serve requests: those of the first node, and no weight servers.
func (c *Component) HasLeader() bool { return c.IsMultinode() || c.RunsWeightServers() }

// ForcesScalingGroup reports whether the user asks for a scaling group on Grove for a component of one node.
func (c *Component) ForcesScalingGroup() bool {
	grove := c.experimental().Grove
	return grove != nil && grove.ForceScalingGroup
}

// IsScalingGroup reports whether the component is a scaling group on Grove: one whose replicas have several pods, or of which the user asks
// for it.
func (c *Component) IsScalingGroup() bool { return c.HasLeader() || c.ForcesScalingGroup() }

// MinAvailable is how many replicas the gang scheduler must place together. Grove only refuses 0, and scaling to zero is refused before.
func (c *Component) MinAvailable() int32 {
	if native := c.NativeMinAvailable(); native != nil {
		return *native
	}
	return ptr.Deref(c.Component.MinAvailable, 1)
}

// NativeMinAvailable is the number in Grove's own form, which a component has in its override: in the spec of its clique, or in its scaling group.
// nil if there is none, or it is no number, which is refused.
func (c *Component) NativeMinAvailable() *int32 {
	if c.ProviderOverride == nil {
		return nil
	}
	var value struct {
		MinAvailable *int32 `json:"minAvailable"`
		Spec         struct {
			MinAvailable *int32 `json:"minAvailable"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(c.ProviderOverride.Value.Raw, &value); err != nil {
		return nil
	}
	if value.MinAvailable != nil {
		return value.MinAvailable
	}
	return value.Spec.MinAvailable
}
