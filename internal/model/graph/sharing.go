package graph

import "github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"

// experimental settings of the component.
func (c *Component) experimental() v1beta1.ComponentExperimental {
	if c.Experimental == nil {
		return v1beta1.ComponentExperimental{}
	}
	return *c.Experimental
}

// GPUMemoryService of the component. nil if it has none.
func (c *Component) GPUMemoryService() *v1beta1.GPUMemoryService {
	return c.experimental().GPUMemoryService
}

// Failover of the component. nil if it has none.
func (c *Component) Failover() *v1beta1.Failover { return c.experimental().Failover }

// SharesGPUs reports whether the containers of a pod share its GPUs through the GPU memory service. Pods that share GPUs with each other have a
// weight server.
func (c *Component) SharesGPUs() bool {
	return c.GPUMemoryService() != nil && c.GPUMemoryService().Mode != v1beta1.ShareInterPod
}

// HasStandby reports whether each pod runs a second engine, which takes over when the first one fails. Both use the weights in the GPU memory
// service of their pod.
func (c *Component) HasStandby() bool {
	return c.SharesGPUs() && c.Failover() != nil && c.Failover().Mode != v1beta1.ShareInterPod
}

// WantsWeightServers reports whether the user asks for weights in pods of their own.
func (c *Component) WantsWeightServers() bool {
	return c.GPUMemoryService() != nil && c.GPUMemoryService().Mode == v1beta1.ShareInterPod
}

// RunsWeightServers reports whether the weights are in pods of their own. A live graph may not have what its user asks for.
func (c *Component) RunsWeightServers() bool { return c.graph.WeightServers[c.Name] }

// HasStandbyPods reports whether a component with weight servers runs standby engines.
func (c *Component) HasStandbyPods() bool {
	return c.WantsWeightServers() && c.Failover() != nil && c.Failover().Mode == v1beta1.ShareInterPod
}

// HasRuntimeContainer reports whether the runtime is in an init container, and the main container only runs the engine.
func (c *Component) HasRuntimeContainer() bool { return c.graph.RuntimeContainers[c.Name] }
