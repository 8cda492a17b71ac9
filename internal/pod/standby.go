package pod

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

const (
	// failoverLock is the file that the active engine locks. It is in the volume of the GPU memory service, which both engines mount.
	failoverLock = gpuMemoryFolder + "/failover.lock"

	forwardPassEnv = "DYN_FORWARDPASS_METRIC_PORT"
)

// Ports of the first engine, in addition to its system port and that of its forward-pass metrics. The second engine has the next ones.
const (
	portSideChannel = 5600
	portKVEvents    = 20080
)

// engines are the names of the containers that run the engines of a pod with a standby engine.
func engines() []string { return []string{"engine-0", "engine-1"} }

// MainContainers are the names of the containers that run a component in its pods, the first of which is the first container of the pod.
func MainContainers(s *graph.Component) []string {
	if s.HasStandby() {
		return engines()
	}
	return []string{MainContainer}
}

// MainOfPod is the container that runs the component in a pod that was built for it: the first one if there are two engines. nil if there is
// none.
func MainOfPod(spec *corev1.PodSpec) *corev1.Container {
	for _, name := range []string{MainContainer, engines()[0]} {
		if i := slices.IndexFunc(spec.Containers, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
			return &spec.Containers[i]
		}
	}
	return nil
}

// addStandby replaces the main container with two engines. Whichever locks the file first becomes active. The other one sleeps until the
// lock is released, which is when the active engine ends. While it sleeps it answers its probes, so it is neither restarted nor unready.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/failover.go#L424
func addStandby(spec *corev1.PodSpec, c component) {
	if !c.spec.HasStandby() {
		return
	}
	var containers []corev1.Container
	for id, name := range engines() {
		engine := *spec.Containers[0].DeepCopy()
		engine.Name = name
		configureEngine(&engine, c, id)
		containers = append(containers, engine)
	}
	spec.Containers = append(containers, spec.Containers[1:]...)
}

// configureEngine gives one of the engines of a pod its own ports and probes.
func configureEngine(engine *corev1.Container, c component, id int) {
	if id > 0 {
		c.texts.ShiftPorts(engine, c.decision.Framework)
	}
	// The process of the engine opens no other ports than those of which it is told below.
	system := port(PortSystemName+"-"+strconv.Itoa(id), PortSystem+int32(id)) //nolint:gosec // There are two engines.
	engine.Ports = []corev1.ContainerPort{system}
	for _, probe := range []*corev1.Probe{engine.LivenessProbe, engine.ReadinessProbe, engine.StartupProbe} {
		probePort(probe, system.Name)
	}

	own := engineEnv(engine, c, id)
	engine.Env = slices.DeleteFunc(engine.Env, func(e corev1.EnvVar) bool { return IsEngineEnv(c.spec, e.Name) })
	engine.Env = afterReferences(append(engine.Env, own...))
}

// probePort makes a probe check the port with a name.
func probePort(probe *corev1.Probe, name string) {
	switch {
	case probe == nil:
	case probe.HTTPGet != nil:
		probe.HTTPGet.Port = intstr.FromString(name)
	case probe.TCPSocket != nil:
		probe.TCPSocket.Port = intstr.FromString(name)
	}
}

// engineEnv is what one of the engines of a pod is told.
func engineEnv(engine *corev1.Container, c component, id int) []corev1.EnvVar {
	env := []corev1.EnvVar{
		// Engine 0 loads the weights, and the others only read them.
		{Name: "ENGINE_ID", Value: strconv.Itoa(id)},
		{Name: "CONTAINER_NAME", Value: engine.Name},
		{Name: "FAILOVER_LOCK_PATH", Value: failoverLock},
		// An engine is healthy when it says so, before it waits for the lock. The status of its endpoint does not count: it only has one
		// while it is active.
		{Name: "DYN_SYSTEM_STARTING_HEALTH_STATUS", Value: "notready"},
		{Name: envSystemPort, Value: strconv.Itoa(PortSystem + id)},
		{Name: envSystemEnabled, Value: "true"},
	}
	// Each data-parallel rank adds its number to these ports.
	shift := id * int(c.texts.ParseParallelism(c.decision.Framework, engine.Command, engine.Args, engine.Env...).Data)
	if c.decision.RuntimeVersion.Has(runtime.ForwardPassMetrics) {
		env = append(env, corev1.EnvVar{Name: forwardPassEnv, Value: strconv.Itoa(portForwardPass + shift)})
	}
	env = append(env,
		corev1.EnvVar{Name: "DYN_VLLM_GMS_SHADOW_MODE", Value: "true"},
		corev1.EnvVar{Name: "VLLM_NIXL_SIDE_CHANNEL_PORT", Value: strconv.Itoa(portSideChannel + shift)},
		corev1.EnvVar{Name: "DYN_VLLM_KV_EVENT_PORT", Value: strconv.Itoa(portKVEvents + shift)},
	)
	if c.spec.IsMultinode() {
		env = append(env, corev1.EnvVar{Name: "NNODES", Value: strconv.Itoa(int(c.spec.Nodes()))})
	}
	return env
}

// IsEngineEnv reports whether engines of a component with a standby engine have a value of their own for a variable, or none, whatever the user
// has written.
func IsEngineEnv(s *graph.Component, name string) bool {
	switch name {
	case "NNODES":
		return s.IsMultinode()
	case "ENGINE_ID", "CONTAINER_NAME", "FAILOVER_LOCK_PATH",
		"DYN_SYSTEM_STARTING_HEALTH_STATUS", envSystemPort, envSystemEnabled, "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
		"DYN_HEALTH_CHECK_ENABLED", forwardPassEnv,
		"DYN_VLLM_GMS_SHADOW_MODE", "VLLM_NIXL_SIDE_CHANNEL_PORT", "DYN_VLLM_KV_EVENT_PORT":
		return true
	default:
		return false
	}
}
