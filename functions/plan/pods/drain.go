package pods

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// drainVariables are how many seconds a worker of Dynamo takes from the signal to its end at most: for requests in progress, and, in later releases, for
// all else. The first one that has a value counts. Of the frontend and of other programs, they say nothing unless their user sets them.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/fault-tolerance/graceful-shutdown.mdx
//
//nolint:gochecknoglobals // It never changes.
var drainVariables = [...]string{"DYN_WORKER_SHUTDOWN_TOTAL_TIMEOUT_SECS", "DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT"}

const (
	// drainDefault is what they are in all releases, for all engines: their workers end by the same code.
	// https://github.com/ai-dynamo/dynamo/blob/main/lib/runtime/src/worker.rs
	drainDefault = 30

	// drainMargin is how many seconds a process takes in addition: releases differ in whether the time for routers to notice is part of the
	// variable, and the process has to end before the pod is killed.
	drainMargin = 5
)

// sleeps is a hook whose command sleeps first, with how long: nobody knows how long another one takes.
var sleeps = regexp.MustCompile(`^(?:\S*sh -[a-z]*c )?\s*(?:\S*/)?sleep (\d{1,9})s?\s*(?:$|;|&&|\n)`)

// DrainWarnings name the components whose pods are killed before their processes have to be done with requests in progress.
func DrainWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	var warnings message.List
	for _, component := range f.Buildable.ComponentsByName() {
		for _, seen := range written(f, built, component) {
			if warning := drainWarning(f.Graph.CommandLines, component, p.Components[component.Name].Framework, &seen.Template); warning != nil {
				warnings = append(warnings, warning)
				break
			}
		}
	}
	return warnings
}

// drainWarning of a pod. nil: it has the time that it takes.
func drainWarning(texts *backend.Texts, component *graph.Component, f v1alpha1.BackendFramework, template *corev1.PodTemplateSpec) *message.Message {
	grace := *template.Spec.TerminationGracePeriodSeconds
	for _, c := range together(&template.Spec) {
		hook := hookOf(c)
		variable, drain := drainOf(texts, c)
		why, remedy := fmt.Sprintf("variable %s lets container %s serve requests in progress for %d seconds", variable, c.Name, drain), "or lower the variable"
		if variable == "" && hook+drainDefault+drainMargin > grace && registers(texts, component, f, template, c) {
			drain = drainDefault
			why = fmt.Sprintf("container %s serves requests in progress for up to %d seconds", c.Name, drain)
			remedy = "or set variable " + drainVariables[len(drainVariables)-1] + " to fewer seconds"
		}
		if hook > 0 {
			why, remedy = fmt.Sprintf("the preStop hook of container %s takes %d seconds and then %s", c.Name, hook, why), "shorten the hook, "+remedy
		}
		if least := hook + drain + drainMargin; drain > 0 && least > grace {
			return message.About(graph.PodPath(graph.ComponentPath(component.Name), "terminationGracePeriodSeconds"), "is %d, after which the pods are killed, but %s, and the process needs %d more to end; set terminationGracePeriodSeconds to at least %d, %s",
				grace, why, drainMargin, least, remedy)
		}
	}
	return nil
}

// registers reports whether a container runs a worker of Dynamo that gets requests. Of a program of the user, nothing is known.
func registers(texts *backend.Texts, component *graph.Component, f v1alpha1.BackendFramework, template *corev1.PodTemplateSpec, c *corev1.Container) bool {
	if !component.IsWorker() || len(texts.Modules(slices.Concat(c.Command, c.Args))) == 0 {
		return false
	}
	processes := pod.ProcessesOf(component, f, template)
	return len(processes) > 0 && processes[0].Container == c && processes[0].Registers
}

// hookOf a container is how many seconds pass before its process is told to end, as far as that is known.
func hookOf(c *corev1.Container) int64 {
	switch {
	case c.Lifecycle == nil || c.Lifecycle.PreStop == nil:
	case c.Lifecycle.PreStop.Sleep != nil:
		return c.Lifecycle.PreStop.Sleep.Seconds
	case c.Lifecycle.PreStop.Exec != nil:
		if match := sleeps.FindStringSubmatch(strings.Join(c.Lifecycle.PreStop.Exec.Command, " ")); match != nil {
			seconds, _ := strconv.ParseInt(match[1], 10, 64)
			return seconds
		}
	}
	return 0
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
