package backend

import (
	_ "embed" // For the script.
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

const (
	// WaitScriptKey is the key of WaitScript in its ConfigMap.
	WaitScriptKey = "wait-for-leader.py"

	waitVolume    = "wait-leader-script"
	waitPath      = "/scripts"
	waitContainer = "wait-for-leader-mp"
)

//go:embed wait-for-leader.py
var waitScript string

// WaitScript is the Python script that holds a worker back until its leader listens.
func WaitScript() string { return waitScript }

// NeedsWaitScript reports whether a pod with this main container, as it is before or after ConfigureContainer, waits for
// its leader: a worker of vLLM's mp executor, which gives up, or joins a leader that is about to go, when it comes too
// early. A worker of Ray only registers with the head, and is started again until there is one.
func NeedsWaitScript(s Settings, main *corev1.Container) bool {
	return leaderPort(s, main) != ""
}

// leaderPort is the port on which the leader of an mp worker listens, "" where there is none to wait for.
func leaderPort(s Settings, main *corev1.Container) string {
	if !s.multinode() || s.Framework != v1alpha1.BackendVLLM || s.Executor != ExecutorMP || s.Role != RoleWorker {
		return ""
	}
	if !readInvocation(v1alpha1.BackendVLLM, main).found && !mentionsLeader(s, main) {
		return ""
	}
	read := readShape(v1alpha1.BackendVLLM, main)
	switch spanOf(read.parallelism, s.GPULimit) {
	case spanWorld:
		return masterPort
	case spanData:
		// The first data-parallel engine binds this port before it waits for the others, whose handshake gives up after
		// five minutes. Nobody listens on the master port then.
		// https://github.com/vllm-project/vllm/blob/main/vllm/v1/engine/utils.py
		if read.dataParallelPort != "" {
			return read.dataParallelPort
		}
		return dataParallelPort
	default:
		return ""
	}
}

// mentionsLeader reports whether a container is already told where its leader is.
func mentionsLeader(s Settings, main *corev1.Container) bool {
	line := strings.Join(slices.Concat(main.Command, main.Args), " ")
	leader := s.Hosts.Leader()
	return strings.Contains(line, leader.Argument) || strings.Contains(line, leader.Shell)
}

func addWaitForLeader(p *corev1.PodSpec, main *corev1.Container, s Settings) {
	p.Volumes = append(slices.Clip(p.Volumes), corev1.Volume{
		Name: waitVolume,
		VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.WaitScriptConfigMap},
		}},
	})
	p.InitContainers = append(slices.Clip(p.InitContainers), corev1.Container{
		Name: waitContainer,
		// The engine's image has a Python and is on the node anyway.
		Image:           main.Image,
		ImagePullPolicy: main.ImagePullPolicy,
		Command:         []string{"sh", "-c"},
		// The host is an expression that the shell is to expand, so Go's quotes would not do.
		Args: []string{fmt.Sprintf("export LEADER_HOST=\"%s\" LEADER_PORT=\"%s\" && exec python3 %s/%s", //nolint:gocritic // See above.
			s.Hosts.Leader().Shell, leaderPort(s, main), waitPath, WaitScriptKey)},
		// A namespace that restricts its pods judges this container by the same rules.
		SecurityContext: main.SecurityContext.DeepCopy(),
		VolumeMounts:    []corev1.VolumeMount{{Name: waitVolume, MountPath: waitPath, ReadOnly: true}},
	})
}
