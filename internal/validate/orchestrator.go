package validate

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// GroveWarnings name settings that Grove's CustomResourceDefinition drops silently, because it has no schema for the metadata of an
// embedded template.
func GroveWarnings(g *graph.Graph) message.List {
	var warnings message.List
	for _, component := range g.ComponentsByName() {
		path := graph.PodPath(graph.ComponentPath(component.Name), "volumes")
		for i, volume := range component.Pod().Volumes {
			if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
				continue
			}
			if meta := volume.Ephemeral.VolumeClaimTemplate.ObjectMeta; len(meta.Labels)+len(meta.Annotations) > 0 {
				warnings = append(warnings, message.About(path.Index(i).Child("ephemeral", "volumeClaimTemplate", "metadata"), "has no effect on Grove, which does not support it; create the claim separately and mount it through volumeMounts"))
			}
		}
	}
	return append(warnings, coherentWarnings(g)...)
}

// coherentWarnings name the components of which an update with strategy Coherent replaces all replicas at once. Planners serve no requests.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/rolling-updates.mdx
func coherentWarnings(g *graph.Graph) message.List {
	if g.Annotations[metadata.AnnotationGroveUpdateStrategy] != grovev1alpha1.UpdateCoherent {
		return nil
	}
	var down []string
	for _, s := range g.ComponentsByName() {
		together := s.MinAvailable()
		if limits := override.LimitsOf(s); limits != nil {
			together = max(together, limits.MaxUnavailable)
		}
		if s.Type != v1beta1.ComponentPlanner && s.Replicas() > 0 && s.Replicas() <= together {
			down = append(down, fmt.Sprintf("%s (%d of %d)", s.Name, s.Replicas(), s.Replicas()))
		}
	}
	if len(down) == 0 {
		return nil
	}
	return message.List{message.About(field.NewPath("metadata", "annotations").Key(metadata.AnnotationGroveUpdateStrategy),
		"strategy %s removes old replicas before it creates new ones, and an update removes all replicas of some {{components}} at once, which are down until the new replicas are ready: %s; raise their replicas above minAvailable and maxUnavailable", grovev1alpha1.UpdateCoherent, strings.Join(down, ", "))}
}

// DisaggregatedSetWarnings name the annotation that asks for an orchestrator that there is not, and the one that runs the graph.
func DisaggregatedSetWarnings(g *graph.Graph, o graphplan.Orchestrator) message.List {
	if !strings.EqualFold(g.Annotations[metadata.AnnotationDisaggregatedSet], "true") || o == "" {
		return nil
	}
	runs := map[graphplan.Orchestrator]string{
		graphplan.Grove: "on Grove", graphplan.LeaderWorkerSet: "on LeaderWorkerSets and Deployments", graphplan.Deployment: "on Deployments",
	}[o]
	return message.List{message.About(field.NewPath("metadata", "annotations").Key(metadata.AnnotationDisaggregatedSet), "has no effect, because DisaggregatedSets are not supported; the graph runs %s, and its phases are updated separately: remove the annotation", runs)}
}

// OffGroveWarnings name settings that only Grove supports.
func OffGroveWarnings(g *graph.Graph, o graphplan.Orchestrator) message.List {
	var warnings message.List
	warn := func(path *field.Path, format string, args ...any) {
		warnings = append(warnings, message.About(path, format, args...))
	}
	spec := field.NewPath("spec")
	if g.Spec.PriorityClassName != "" {
		warn(spec.Child("priorityClassName"), "has no effect on %s; set the class in {{podTemplate.spec}} of each {{component}}", o)
	}
	if _, ok := g.Annotations[metadata.AnnotationGroveUpdateStrategy]; ok {
		path := field.NewPath("metadata", "annotations").Key(metadata.AnnotationGroveUpdateStrategy)
		warn(path, "has no effect on %s; set %s in spec.annotations instead", o, metadata.AnnotationDeploymentStrategy)
	}
	for _, given := range override.In(g) {
		if given.IsConstraint() {
			warn(given.Path, "has no effect on %s, which does not have the constraints of Grove", o)
		} else {
			warn(given.Path, "has no effect on %s, where there are no objects of Grove", o)
		}
	}
	for _, component := range g.ComponentsByName() {
		path := spec.Child("components").Key(component.Name)
		if ptr.Deref(component.Component.MinAvailable, 1) > 1 {
			warn(path.Child("minAvailable"), "has no effect on %s: each replica is scheduled separately", o)
		}
		if component.ForcesScalingGroup() {
			warn(path.Child("experimental", "grove", "forceScalingGroup"), "has no effect on %s, where there are no scaling groups", o)
		}
		if component.IsAutoscaled() && component.IsMultinode() {
			warn(path.Child("autoscaling"), "has no effect on a {{component}} that spans nodes on %s, where each replica is a separate object; set replicas, or run the graph on Grove", o)
		}
	}
	return warnings
}
