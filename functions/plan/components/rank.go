package components

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// envRank is the number of a node in its replica, which programs get since Dynamo 1.6.0 where a variable can contain it.
const envRank = "DYNAMO_RANK"

// RankWarnings name components over several nodes on Grove whose user reads the variable with the number of the node, which is not set there: only
// a shell can compute it. With weight servers, each node has a clique of its own, and the variable. Commands of roles
// depend on it, so they get it.
func RankWarnings(f *subject.Facts, orchestrator graphplan.Orchestrator) message.List {
	if orchestrator != graphplan.Grove {
		return nil
	}
	var warnings message.List
	for _, component := range f.Graph.ComponentsByName() {
		main := component.Main()
		if !component.IsMultinode() || component.RunsWeightServers() || component.HasRoleTemplates() || !readsRank(main, f.Graph.Spec.Env) {
			continue
		}
		warnings = append(warnings, message.About(graph.ComponentPath(component.Name), "reads variable %s, which pods on Grove do not have, because no variable contains the number of a node there; remove what reads it, because the flags that tell an engine its number are added to its command, or set the variable in a script", envRank))
	}
	return warnings
}

// readsRank reports whether a container reads the variable, and nobody sets it.
func readsRank(c corev1.Container, ofGraph []corev1.EnvVar) bool {
	env := slices.Concat(ofGraph, c.Env)
	if slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return e.Name == envRank }) {
		return false
	}
	sets := func(text string) bool { return strings.Contains(text, envRank+"=") }
	reads := func(text string) bool { return strings.Contains(text, envRank) }
	words := slices.Concat(c.Command, c.Args)
	return !slices.ContainsFunc(words, sets) &&
		(slices.ContainsFunc(words, reads) || slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return reads(e.Value) }))
}
