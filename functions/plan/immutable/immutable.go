// Package immutable refuses changes of fields that are immutable while a graph runs.
package immutable

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Check compares a graph with the workloads that run it. The API server checks the same rules against the previous spec. Here they also
// apply to a graph that was changed while those rules were not in effect.
func Check(f *subject.Facts) subject.Outcome {
	return subject.Refused(subject.ImmutableChange, slices.Concat(checkWorkloads(f), checkClaimTemplates(f), checkPower(f), checkTransfer(f), checkTypes(f))...)
}

func checkWorkloads(f *subject.Facts) message.List {
	set := f.Observed.PodCliqueSet
	if set == nil {
		return append(checkComponentsKept(f.Graph, f.Observed.Components), checkSizeUnchanged(f.Graph, f.Observed.LeaderWorkerSets)...)
	}
	running := observed.ComponentsOf(set)
	return slices.Concat(
		checkComponentsKept(f.Graph, running), checkNoneAdded(f.Graph, running),
		checkMinAvailableUnchanged(f.Graph, set), checkNodeCountUnchanged(f.Graph, set), checkGroupsUnchanged(f.Graph, set, running),
		checkWeightServers(f.Graph, set),
	)
}

// checkComponentsKept refuses to remove a component, or to change it between single-node and multinode, because its workload would be deleted.
func checkComponentsKept(g *graph.Graph, components observed.Components) message.List {
	path := graph.ComponentsPath()
	wanted := map[string]string{}
	for _, name := range g.ComponentNames() {
		wanted[names.Lower(name)] = name
	}
	var errs message.List
	var removed []string
	for _, lower := range slices.Sorted(maps.Keys(components)) {
		name, ok := wanted[lower]
		if !ok {
			removed = append(removed, lower)
			continue
		}
		if component := g.Component(name); components[lower] != component.IsMultinode() {
			errs = append(errs, message.Forbidden(path.Key(name).Child("multinode"), "a {{component}} cannot change between single-node and multinode after creation: %s", subject.PutBack))
		}
	}
	if len(removed) > 0 {
		errs = append(errs, message.Forbidden(path, "{{components}} cannot be removed after creation; restore %s, or delete and recreate the graph", strings.Join(removed, ", ")))
	}
	return errs
}

// checkNoneAdded refuses new components on Grove, whose cliques cannot change.
func checkNoneAdded(g *graph.Graph, components observed.Components) message.List {
	var errs message.List
	for _, name := range g.ComponentNames() {
		if _, ok := components[names.Lower(name)]; !ok {
			errs = append(errs, message.Forbidden(graph.ComponentPath(name), "{{components}} cannot be added after creation; remove the {{component}}, or delete and recreate the graph"))
		}
	}
	return errs
}

func checkMinAvailableUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) message.List {
	live := map[string]int32{}
	for _, clique := range set.Spec.Template.Cliques {
		live[clique.Name] = clique.Spec.MinAvailable
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		live[group.Name] = group.MinAvailable
	}
	var errs message.List
	for _, component := range g.ComponentsByName() {
		wanted := component.MinAvailable()
		if before := live[names.Lower(component.Name)]; before != 0 && wanted != before {
			errs = append(errs, message.Invalid(minAvailablePath(g, component.Name), wanted,
				"cannot be changed after creation; it was %d: %s", before, subject.PutBack))
		}
	}
	return errs
}

// minAvailablePath of a component is where its graph has the number, which may be in Grove's own form. Both forms may have the same number.
func minAvailablePath(g *graph.Graph, name string) *field.Path {
	component := g.Component(name)
	if component.NativeMinAvailable() != nil {
		for _, o := range override.In(g) {
			if o.Component == name && !o.OfRole {
				return o.MinAvailablePath()
			}
		}
	}
	return graph.ComponentPath(name, "minAvailable")
}

// checkGroupsUnchanged refuses to make a scaling group of a single-node component, or to undo it, because Grove would replace its pods by
// others with other names.
func checkGroupsUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet, multinode observed.Components) message.List {
	groups := observed.GroupsOf(set)
	var errs message.List
	for _, name := range g.ComponentNames() {
		before, ok := groups[names.Lower(name)]
		if component := g.Component(name); !ok || multinode[names.Lower(name)] || component.IsMultinode() || weightServedIn(set, name).nodes > 0 {
			continue
		}
		if g.Component(name).IsScalingGroup() != before {
			errs = append(errs, message.Forbidden(graph.ComponentPath(name, "experimental", "grove", "forceScalingGroup"),
				"cannot be changed after creation; it was %t: %s", before, subject.PutBack))
		}
	}
	return errs
}

// checkNodeCountUnchanged refuses a different number of nodes: all workers of a replica are placed together, so the number is the
// minAvailable of their clique, which Grove refuses to change.
func checkNodeCountUnchanged(g *graph.Graph, set *grovev1alpha1.PodCliqueSet) message.List {
	workers := map[string]int32{}
	for _, clique := range set.Spec.Template.Cliques {
		workers[clique.Name] = clique.Spec.MinAvailable
	}
	var errs message.List
	for _, component := range g.ComponentsByName() {
		before := workers[names.WorkerClique(component.Name)] + 1
		if wanted := component.Nodes(); component.IsMultinode() && before > 1 && wanted != before {
			errs = append(errs, message.Invalid(graph.ComponentPath(component.Name, "multinode", "nodeCount"), wanted,
				"%s; it was %d: %s", subject.NoChange, before, subject.PutBack))
		}
	}
	return errs
}

// checkSizeUnchanged refuses a different number of nodes on LeaderWorkerSets. If any replica has the number of the graph, somebody else has
// changed the others, and they are changed back.
func checkSizeUnchanged(g *graph.Graph, sets []observed.LeaderWorkerSet) message.List {
	live := map[string][]int32{}
	for i := range sets {
		live[sets[i].Component] = append(live[sets[i].Component], sets[i].Nodes)
	}
	var errs message.List
	for _, component := range g.ComponentsByName() {
		before, wanted := live[names.Lower(component.Name)], component.Nodes()
		if len(before) > 0 && before[0] > 0 && component.IsMultinode() && !slices.Contains(before, wanted) {
			errs = append(errs, message.Invalid(graph.ComponentPath(component.Name, "multinode", "nodeCount"), wanted,
				"%s; it was %d: %s", subject.NoChange, before[0], subject.PutBack))
		}
	}
	return errs
}
