package pods

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// drainVariables are how many seconds a process of Dynamo may take for requests in progress after it is told to end. The first one that has a
// value counts.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/fault-tolerance/graceful-shutdown.mdx
//
//nolint:gochecknoglobals // It never changes.
var drainVariables = [...]string{"DYN_WORKER_SHUTDOWN_TOTAL_TIMEOUT_SECS", "DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT"}

// drainMargin is how many seconds a process takes in addition: releases differ in whether the time for routers to notice is part of the variable, and
// the process has to end before the pod is killed.
const drainMargin = 5

// DrainWarnings name the components whose pods are killed before their processes have to be done with requests in progress.
func DrainWarnings(f *subject.Facts, built pod.Pods) message.List {
	var warnings message.List
	for _, component := range f.Buildable.ComponentsByName() {
		if !setsDrain(f.Buildable, component) {
			continue
		}
		pods := built[component.Name]
		spec := pods[len(pods)-1].Template.Spec
		grace := *spec.TerminationGracePeriodSeconds
		for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
			if variable, seconds := drainOf(f.Graph.CommandLines, &c); seconds > 0 && seconds > grace-drainMargin {
				warnings = append(warnings, message.About(graph.PodPath(graph.ComponentPath(component.Name), "terminationGracePeriodSeconds"), "is %d, after which the pods are killed, but variable %s lets container %s serve requests in progress for %d seconds, and the process needs %d more to end; set terminationGracePeriodSeconds to at least %d, or lower the variable", grace, variable, c.Name, seconds, drainMargin, seconds+drainMargin))
			}
		}
	}
	return warnings
}

// setsDrain reports whether the user sets one of the variables for any container of a component. Pods are only built to see which value has effect.
func setsDrain(g *graph.Graph, c *graph.Component) bool {
	lists := [][]corev1.EnvVar{g.Spec.Env, c.Main().Env}
	if sidecar, _ := pod.FrontendSidecar(c); sidecar != nil {
		lists = append(lists, sidecar.Env)
	}
	for _, beside := range slices.Concat(c.Pod().InitContainers, c.Beside()) {
		lists = append(lists, beside.Env)
	}
	return slices.ContainsFunc(slices.Concat(lists...), func(e corev1.EnvVar) bool { return slices.Contains(drainVariables[:], e.Name) })
}

// drainOf a container is the variable that says how long it serves requests in progress, and its value. One that is not in the graph is 0.
func drainOf(texts *backend.Texts, c *corev1.Container) (variable string, seconds int64) {
	for _, name := range drainVariables {
		told, _ := texts.SettingOf(c, name, "")
		if value := strings.TrimSpace(told.Value); value != "" || !told.Known {
			seconds, _ = strconv.ParseInt(value, 10, 64)
			return name, seconds
		}
	}
	return "", 0
}
