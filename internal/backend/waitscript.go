package backend

import (
	_ "embed" // For the script.
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

const (
	// WaitScriptKey is the key of WaitScript in its ConfigMap.
	WaitScriptKey = "wait-for-leader.py"

	// WaitVolume is the volume with the script in a pod that waits for its leader.
	WaitVolume = "wait-leader-script"
	// WaitContainer is the init container that runs the script.
	WaitContainer = "wait-for-leader-mp"

	waitPath = "/scripts"
)

//go:embed wait-for-leader.py
var waitScript string

// WaitScript is the Python script that delays a worker until its leader listens.
func WaitScript() string { return waitScript }

// NeedsWaitScript reports whether a pod with this main container, before or after ConfigureContainer, waits for its leader. Workers of
// vLLM's mp executor do: if one starts too early, it gives up, or joins a leader that is being replaced. A worker of Ray only registers with
// the head: see AwaitsRay.
func NeedsWaitScript(s Settings, main *corev1.Container) bool {
	return leaderPort(s, main) != ""
}

// leaderPort is the port on which the leader of an mp worker listens. It is empty if the worker does not wait.
func leaderPort(s Settings, main *corev1.Container) string {
	purpose, otherwise := awaited(s, main)
	if purpose == "" {
		return ""
	}
	return s.Texts.awaitedPort(main, purpose, otherwise)
}

// UnknownLeaderPort is what says where the leader of a worker listens, if only the worker itself knows the value, so that it does not wait. Empty:
// it waits, or need not.
func UnknownLeaderPort(s Settings, main *corev1.Container) string {
	purpose, otherwise := awaited(s, main)
	if purpose == "" || s.Texts.awaitedPort(main, purpose, otherwise) != "" {
		return ""
	}
	port, _ := s.Texts.PortFor(purpose, main)
	return port.Place
}

// awaited is what an mp worker waits for its leader to listen for, and on which port if nothing else says it. Both are empty if it does not wait.
func awaited(s Settings, main *corev1.Container) (purpose Purpose, otherwise string) {
	if !s.multinode() || engine.Of(s.Framework).Nodes != engine.ByExecutor || s.Executor != ExecutorMP || s.Role != RoleWorker {
		return "", ""
	}
	if !s.Texts.readInvocation(s.Framework, main).found && !mentionsLeader(s, main) {
		return "", ""
	}
	read := s.Texts.readShape(s.Framework, main)
	switch read.span(s.GPULimit) {
	case spanWorld:
		return Rendezvous, masterPort
	case spanData:
		// The first data-parallel engine binds this port before it waits for the others, whose handshake ends after five minutes. Until
		// then, nothing listens on the master port.
		// https://github.com/vllm-project/vllm/blob/main/vllm/v1/engine/utils.py
		if s.OwnCommand {
			return DataParallel, ""
		}
		return DataParallel, dataParallelPort
	default:
		return "", ""
	}
}

// awaitedPort is a port as a shell in an init container with the same variables reads it. Empty: only the container itself knows it.
func (t *Texts) awaitedPort(main *corev1.Container, purpose Purpose, otherwise string) string {
	port, given := t.PortFor(purpose, main)
	if !given {
		return otherwise
	}
	assigned := t.assignments(main)
	for _, match := range variable.FindAllStringSubmatch(port.text, -1) {
		if _, isAssigned := assigned[match[1]]; isAssigned || variableIn(main.Env, match[1]) == nil && len(main.EnvFrom) == 0 {
			return port.known()
		}
	}
	if port.Number == 0 && strings.ContainsAny(kubeletReference.ReplaceAllString(port.text, ""), "`(") {
		return ""
	}
	return port.text
}

// mentionsLeader reports whether the container already has the address of its leader.
func mentionsLeader(s Settings, main *corev1.Container) bool {
	line := strings.Join(slices.Concat(main.Command, main.Args), " ")
	leader := s.Hosts.Leader()
	return strings.Contains(line, leader.Argument) || strings.Contains(line, leader.Shell)
}

func addWaitForLeader(p *corev1.PodSpec, main *corev1.Container, s Settings) {
	port := leaderPort(s, main)
	env, envFrom := variablesOf(port, main)
	p.Volumes = append(slices.Clip(p.Volumes), corev1.Volume{
		Name: WaitVolume,
		VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.WaitScriptConfigMap},
		}},
	})
	p.InitContainers = append(slices.Clip(p.InitContainers), corev1.Container{
		Name: WaitContainer,
		// The image of the engine contains Python, and the node needs it anyway.
		Image:           main.Image,
		ImagePullPolicy: main.ImagePullPolicy,
		Command:         []string{"sh", "-c"},
		// The shell expands the host, so %q cannot be used.
		Args: []string{fmt.Sprintf("export LEADER_HOST=\"%s\" LEADER_PORT=\"%s\" && exec python3 %s/%s", //nolint:gocritic // See above.
			s.Hosts.Leader().Shell, port, waitPath, WaitScriptKey)},
		Env:     env,
		EnvFrom: envFrom,
		// In a namespace that restricts its pods, the same rules apply to this container.
		SecurityContext: main.SecurityContext.DeepCopy(),
		VolumeMounts:    []corev1.VolumeMount{{Name: WaitVolume, MountPath: waitPath, ReadOnly: true}},
	})
}

// variable matches references that a shell or the kubelet expands.
var variable = regexp.MustCompile(`\$[({]?([A-Za-z_][A-Za-z0-9_]*)`)

// variablesOf a text are the variables that it refers to, and those that they refer to in turn, in the order of the container. Variables
// that the container does not define may come from envFrom.
func variablesOf(text string, c *corev1.Container) (env []corev1.EnvVar, envFrom []corev1.EnvFromSource) {
	needed := map[string]bool{}
	for texts := []string{text}; len(texts) > 0; texts = texts[1:] {
		for _, match := range variable.FindAllStringSubmatch(texts[0], -1) {
			if name := match[1]; !needed[name] {
				needed[name] = true
				if own := variableIn(c.Env, name); own != nil {
					texts = append(texts, own.Value)
				}
			}
		}
	}
	for _, v := range c.Env {
		if needed[v.Name] {
			env = append(env, *v.DeepCopy())
			delete(needed, v.Name)
		}
	}
	if len(needed) > 0 {
		envFrom = slices.Clone(c.EnvFrom)
	}
	return env, envFrom
}
