package validate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// MaxGroveName limits the names that Grove combines into the name of a pod, without dashes and indices.
const MaxGroveName = 45

// grove checks the rules of Grove's admission webhook.
func (v *validator) grove() {
	owners := map[string]string{}
	for _, component := range v.graph.ComponentsByName() {
		path := graph.ComponentsPath().Key(component.Name)
		v.groveLength(path, component.Name)
		for _, clique := range pod.CliqueNames(component) {
			v.sameClique(clique, owners[clique], component.Name)
			owners[clique] = component.Name
		}
		if component.Component.Replicas != nil && *component.Component.Replicas == 0 {
			remedy := message.Format(
				"remove the {{component}} from the graph while it is not needed, or, unless only Grove can run its nodes, create the graph with annotation %s: \"false\"",
				metadata.AnnotationEnableGrove)
			if v.options.Live {
				// The components and the orchestrator of a live graph stay.
				remedy = message.Format("set 1 or more, or delete the graph and create it without the {{component}}")
			}
			v.invalid(path.Child("replicas"), 0, "may not be 0 on Grove, %s; %s", zeroOnGrove(v.graph, component.Name), remedy)
		}
		extra := graph.PodPath(path)
		if len(component.Pod().TopologySpreadConstraints) > 0 {
			v.forbidden(extra.Child("topologySpreadConstraints"), "not supported on Grove; use topologyConstraint or affinity instead")
		}
		if component.Pod().NodeName != "" {
			v.forbidden(extra.Child("nodeName"), "not supported on Grove; use nodeSelector or affinity instead")
		}
	}
	v.suffixes(owners)
	v.oneScheduler()
}

// zeroOnGrove is what Grove does with no replicas.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/webhook/admission/pcs/validation/podcliqueset.go
func zeroOnGrove(g *graph.Graph, name string) string {
	if g.Component(name).IsScalingGroup() {
		return "which refuses a scaling group without replicas"
	}
	return "which sets it to 1 when it admits the PodCliqueSet, so that one replica runs"
}

// sameClique refuses two components that have a clique with the same name, because the name of one is that of a role of the other.
func (v *validator) sameClique(clique, one, other string) {
	if one == "" || names.Lower(one) == names.Lower(other) {
		return
	}
	if names.Clique(one) == clique {
		one, other = other, one
	}
	v.invalid(graph.ComponentsPath().Key(other), other, "on Grove its clique would have the same name, %s, as a clique of {{component}} %s; rename one of the two {{components}}", clique, one)
}

func (v *validator) groveLength(path *field.Path, name string) {
	set := v.graph.Names().PodCliqueSet()
	length := len(set) + lengthInGrove(v.graph, name)
	component := v.graph.Component(name)
	why := "the names of its PodCliqueSet (%s) and of the {{component}} have %d characters in total, but Grove allows at most %d; shorten the name of the {{component}}"
	switch {
	case component.RunsWeightServers():
		why = "the name of its PodCliqueSet (%s), twice the name of the {{component}}, and the role of a weight server have %d characters in total, but Grove allows at most %d; shorten the name of the {{component}}"
	case component.IsMultinode():
		why = "the name of its PodCliqueSet (%s), twice the name of the {{component}}, and 4 for the role have %d characters in total, but Grove allows at most %d; shorten the name of the {{component}}"
	case component.IsScalingGroup():
		why = "the name of its PodCliqueSet (%s) and twice the name of the {{component}} have %d characters in total, but Grove allows at most %d; shorten the name of the {{component}}"
	}
	if len(validation.IsDNS1123Label(names.Lower(name))) > 0 || v.excessOfDynamoNamespace() > 0 {
		return // A name that is too long by itself is a separate error.
	}
	if _, admitted := v.options.Admitted[names.Lower(name)]; length > MaxGroveName && !admitted {
		v.invalid(path, name, why, set, length, MaxGroveName)
	}
}

// lengthInGrove is how much of the length of a pod's name a component takes: its clique, and the scaling group that has it.
func lengthInGrove(g *graph.Graph, name string) int {
	length := 0
	for _, clique := range pod.CliqueNames(g.Component(name)) {
		length = max(length, len(clique))
	}
	if g.Component(name).IsScalingGroup() {
		length += len(names.Clique(name))
	}
	return length
}

// RoomForPodCliqueSet is how long the name of the PodCliqueSet of a graph may be.
func RoomForPodCliqueSet(g *graph.Graph) int {
	longest := 0
	for name := range g.Components {
		longest = max(longest, lengthInGrove(g, name))
	}
	return MaxGroveName - longest
}

// suffixes refuses a clique whose name ends with that of another: Grove finds the template of a clique by the end of its name, and would
// use the wrong one.
func (v *validator) suffixes(owners map[string]string) {
	for _, long := range slices.Sorted(maps.Keys(owners)) {
		// Each end of the name is looked up: a graph can have thousands of cliques.
		for i := 1; i < len(long); i++ {
			short := long[i:]
			if _, ok := owners[short]; ok {
				v.invalid(graph.ComponentsPath().Key(owners[long]), owners[long], "Grove would mistake clique %s for clique %s of {{component}} %s, because the first name ends with the second name; rename one of the two {{components}}", long, short, owners[short])
			}
		}
	}
}

// oneScheduler refuses components with different schedulers: a PodCliqueSet has only one.
func (v *validator) oneScheduler() {
	defaultScheduler := cmp.Or(v.options.Scheduler, "default-scheduler")
	byScheduler := map[string][]string{}
	for _, name := range v.graph.ComponentNames() {
		scheduler := cmp.Or(v.graph.Component(name).SchedulerName(), defaultScheduler)
		byScheduler[scheduler] = append(byScheduler[scheduler], name)
	}
	if len(byScheduler) < 2 {
		return
	}
	var parts []string
	for _, scheduler := range slices.Sorted(maps.Keys(byScheduler)) {
		parts = append(parts, fmt.Sprintf("%s is used by %s", scheduler, strings.Join(byScheduler[scheduler], ", ")))
	}
	slices.Sort(parts)
	v.forbidden(graph.ComponentsPath(), "all {{components}} of a graph must have the same scheduler on Grove, but %s; set the same {{podTemplate.spec.schedulerName}} for all {{components}}, or for none", strings.Join(parts, " and "))
}
