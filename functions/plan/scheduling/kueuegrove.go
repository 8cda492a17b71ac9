package scheduling

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// maxPodSets is the most pod sets that a Workload of Kueue may have. Grove makes one of each clique of a gang.
const maxPodSets = 18

// onGroveWithKueue is what Grove's backend for Kueue refuses. Its webhook refuses some of it, and its controllers only log the rest, so that
// pods never come.
// https://github.com/ai-dynamo/grove/blob/main/docs/user-guide/08_kueue/kueue.md
func onGroveWithKueue(f *subject.Facts) subject.Outcome {
	if f.Live() {
		return subject.Refused(subject.ImmutableChange, scalesCliques(f)...)
	}
	var errs message.List
	if f.Graph.Annotations[metadata.AnnotationGroveUpdateStrategy] == grovev1alpha1.UpdateCoherent {
		errs = append(errs, message.Invalid(field.NewPath("metadata", "annotations").Key(metadata.AnnotationGroveUpdateStrategy), grovev1alpha1.UpdateCoherent,
			"is not supported in a queue of Kueue; remove the annotation"))
	}
	gangSize, elastic := int32(0), ""
	for _, component := range f.Graph.ComponentsByName() {
		path := graph.ComponentPath(component.Name)
		errs = append(errs, besideKueueOnGrove(component, path)...)
		least, replicas, cliques := component.MinAvailable(), component.Replicas(), pod.Cliques(component)
		if !component.IsScalingGroup() {
			gangSize++
			if least >= replicas {
				continue
			}
			if elastic != "" {
				errs = append(errs, message.Invalid(path.Child("minAvailable"), least, "in a queue of Kueue on Grove, only one {{component}} of one node, here %s, may have fewer than its replicas; delete the graph, and create it with %d", elastic, replicas))
			}
			elastic = component.Name
			continue
		}
		gangSize += int32(len(cliques)) * least //nolint:gosec // A component has few cliques.
		if least != replicas {
			errs = append(errs, message.Invalid(path.Child("minAvailable"), least, "in a queue of Kueue on Grove, it must be the number of replicas, because all of them are admitted together; delete the graph, and create it with %d", replicas))
		}
	}
	if gangSize > maxPodSets {
		errs = append(errs, message.Invalid(graph.ComponentsPath(), gangSize, "the gang of the graph would have so many cliques, but Kueue admits at most %d together; reduce replicas or {{components}}, or split the graph", maxPodSets))
	}
	return subject.Refused(subject.Mistake, errs...)
}

// besideKueueOnGrove refuses what a component may not have.
func besideKueueOnGrove(component *graph.Component, path *field.Path) message.List {
	var errs message.List
	if name := component.SchedulerName(); name != "" && name != graphplan.KueueScheduler && name != graphplan.VolcanoScheduler && name != graphplan.KAIScheduler {
		errs = append(errs, message.Invalid(graph.PodPath(path, "schedulerName"), name,
			"in a queue of Kueue on Grove, all pods have scheduler kueue, which Grove replaces by the scheduler of its configuration; remove it"))
	}
	if component.IsAutoscaled() {
		errs = append(errs, message.Forbidden(path.Child("autoscaling"), "is not supported in a queue of Kueue on Grove; remove it, and set replicas"))
	}
	return errs
}

// scalesCliques refuses another number of replicas of a component whose pods are the replicas of one clique.
func scalesCliques(f *subject.Facts) message.List {
	live := map[string]int32{}
	if set := f.Observed.PodCliqueSet; set != nil {
		for _, clique := range set.Spec.Template.Cliques {
			live[clique.Name] = clique.Spec.Replicas
		}
	}
	var errs message.List
	for _, component := range f.Graph.ComponentsByName() {
		if component.IsScalingGroup() {
			continue
		}
		before, ok := live[pod.Cliques(component)[0].Name]
		if wanted := component.Replicas(); ok && wanted != before {
			errs = append(errs, message.Invalid(graph.ComponentPath(component.Name, "replicas"), wanted, "Grove does not scale a clique in a queue of Kueue; it was %d: undo the change, or create the graph with forceScalingGroup", before))
		}
	}
	return errs
}
