package backend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// Registers reports whether a pod with a role registers as an instance that gets requests, given its main container as it will run. The first
// node of a replica does. Another node only does if it runs the module of Dynamo, and not as a part of the engine of the first one: that is
// what --headless means for vLLM, and a rank for SGLang, with and without data-parallel attention. Data-parallel engines of vLLM with hybrid or
// external load balancing are workers on each node, and so is a program that does not span nodes.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/vllm/headless.py
// https://docs.vllm.ai/en/latest/serving/data_parallel_deployment.html
func (t *Texts) Registers(main *corev1.Container, f v1alpha1.BackendFramework, role Role) bool {
	switch {
	case role == RoleWeights:
		return false
	case role != RoleWorker:
		return true
	case t.OtherModule(main) != "":
		return true
	case !t.RunsEngine(f, main):
		return false
	}
	partOfEngine, balanced := false, false
	for word := range t.commandWords(main) {
		name, _, _ := splitFlag(word)
		switch {
		case name == "headless":
			return false
		case isExternal(name), "--"+name == dataParallelFlag, name == "dph":
			balanced = true
		case name == "node-rank":
			partOfEngine = true
		}
	}
	return balanced && engine.Of(f).Nodes == engine.ByExecutor || !partOfEngine
}
