package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// ExecutorOf returns the executor for which a pod with multinode vLLM was built. It compares the main container with that of the user, and looks for
// additions that only one executor makes. It is empty if there are none, because the container of the user already has what the executors add.
func (t *Texts) ExecutorOf(built *corev1.PodSpec, own *corev1.Container) Executor {
	if slices.ContainsFunc(built.InitContainers, func(c corev1.Container) bool { return c.Name == WaitContainer }) {
		return ExecutorMP
	}
	if len(built.Containers) == 0 {
		return ""
	}
	// The main container comes first. Elastic engines run on Ray with both executors.
	main := &built.Containers[0]
	switch {
	case startsRay(main) && !startsRay(own) && !t.readShape(v1alpha1.BackendVLLM, own).elastic:
		return ExecutorRay
	case mentions(main, dataParallelFlag) && !mentions(own, dataParallelFlag):
		// If the engines wait for each other, one of their pods has the init container.
		if announces(main) && !announces(own) {
			return ExecutorMP
		}
		return ExecutorRay
	case announces(own):
		return ""
	case announces(main):
		return ExecutorMP
	default:
		return ExecutorRay
	}
}

// ExecutorNamedBy the command of a user. text is what names it, such as --nnodes. Both are empty if the command names none. Only one flag
// and one command belong to Ray: every other executor, and every flag for the nodes of an engine, is that of vLLM's own processes.
// https://docs.vllm.ai/en/latest/serving/parallelism_scaling.html
func (t *Texts) ExecutorNamedBy(c *corev1.Container) (e Executor, text string) {
	if told, given := t.SettingOf(c, "", executorFlag); given {
		switch value := Executor(strings.Trim(told.Value, ` "'`)); value {
		case ExecutorRay, ExecutorMP:
			return value, "--" + executorFlag + " " + string(value)
		default:
			// Any other text is not repeated, because it may be a misplaced secret.
			return ExecutorMP, "--" + executorFlag
		}
	}
	if startsRay(c) {
		return ExecutorRay, strings.TrimSpace(rayStart)
	}
	flags := []string{"nnodes", "node-rank", "master-addr"}
	if scriptIn(slices.Concat(c.Command, c.Args)) < 0 {
		// In a script, they may be flags of another program.
		flags = append(flags, "n", "r")
	}
	for word := range t.commandWords(c) {
		if name, _, _ := splitFlag(word); slices.Contains(flags, name) {
			return ExecutorMP, strings.SplitN(word, "=", 2)[0]
		}
	}
	return "", ""
}

// executorFlag selects the executor of vLLM.
const executorFlag = "distributed-executor-backend"

// RayUse says what of a pod needs Ray in its image.
type RayUse struct {
	// Needed by the pod.
	Needed bool

	// Text in the command of the user that needs it. It is empty if it is needed because the executor is Ray.
	Text string
}

// UsesRay reports what of a container needs Ray, given the container as the user has written it, and as ConfigureContainer has configured it.
func UsesRay(own, configured *corev1.Container, s Settings) RayUse {
	if engine.Of(s.Framework).Nodes != engine.ByExecutor {
		return RayUse{}
	}
	if e, text := s.Texts.ExecutorNamedBy(own); e == ExecutorRay {
		return RayUse{Needed: true, Text: text}
	}
	switch read := s.Texts.readShape(s.Framework, own); {
	case read.onRay:
		return RayUse{Needed: true, Text: "--data-parallel-backend ray"}
	case !startsRay(configured):
		return RayUse{}
	case read.elastic:
		return RayUse{Needed: true, Text: "--" + elasticFlag}
	default:
		return RayUse{Needed: true}
	}
}

// UsesProcesses reports whether ConfigureContainer has made a container a node of vLLM's own processes.
func UsesProcesses(c *corev1.Container, s Settings) bool {
	if !s.multinode() || engine.Of(s.Framework).Nodes != engine.ByExecutor || s.Executor != ExecutorMP {
		return false
	}
	read := s.Texts.readShape(s.Framework, c)
	return read.span(s.GPULimit) == spanWorld
}

func startsRay(c *corev1.Container) bool { return mentions(c, rayStart) }

func mentions(c *corev1.Container, text string) bool {
	return strings.Contains(strings.Join(slices.Concat(c.Command, c.Args), " "), text)
}

func announces(c *corev1.Container) bool {
	return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == envSideChannelHost })
}
