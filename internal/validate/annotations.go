package validate

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// annotations of the graph's metadata that the chain reads.
func (v *validator) annotations() {
	path := field.NewPath("metadata", "annotations")
	v.knownAnnotations(path, v.graph.Annotations)
	if value, ok := v.graph.Annotations[metadata.AnnotationGroveUpdateStrategy]; ok {
		v.oneOf(path.Key(metadata.AnnotationGroveUpdateStrategy), value,
			grovev1alpha1.UpdateCoherent, grovev1alpha1.UpdateOnDelete, grovev1alpha1.UpdateRollingRecreate)
	}
	switch value, ok := v.graph.Annotations[metadata.AnnotationWorkloadProvider]; {
	case value == metadata.ProviderDisaggregatedSet:
		v.invalid(path.Key(metadata.AnnotationWorkloadProvider), value,
			"DisaggregatedSets, which are an experiment of Dynamo 1.6, are not supported; set component or grove, or remove the annotation")
	case ok:
		v.oneOf(path.Key(metadata.AnnotationWorkloadProvider), value, metadata.ProviderComponent, metadata.ProviderGrove)
	}
	if value, ok := v.graph.Annotations[metadata.AnnotationWorkerGenerations]; ok {
		v.oneOf(path.Key(metadata.AnnotationWorkerGenerations), value, metadata.GenerationsSeparate, metadata.GenerationsShared)
	}
	for key, value := range map[string]string{
		// Spaces around the name of a queue are removed, as by the operator.
		metadata.AnnotationKAIQueue:            strings.TrimSpace(v.graph.Annotations[metadata.AnnotationKAIQueue]),
		metadata.AnnotationVolcanoQueue:        strings.TrimSpace(v.graph.Annotations[metadata.AnnotationVolcanoQueue]),
		metadata.AnnotationVolcanoQueueOnGrove: strings.TrimSpace(v.graph.Annotations[metadata.AnnotationVolcanoQueueOnGrove]),
		metadata.AnnotationSSHSecret:           v.graph.Annotations[metadata.AnnotationSSHSecret],
	} {
		if value == "" {
			continue
		}
		v.malformed(path.Key(key), value, validation.IsDNS1123Subdomain(value))
		if problem := LabelProblem(value); problem != "" && key == metadata.AnnotationKAIQueue {
			v.invalid(path.Key(key), value, "%s", problem)
		}
	}
}

// MisplacedWarnings name annotations with a meaning in another place than theirs, where the Dynamo operator does not read them either.
func MisplacedWarnings(g *graph.Graph) message.List {
	var warnings message.List
	find := func(path *field.Path, annotations map[string]string, keys []string, remedy string) {
		for _, key := range keys {
			if value, ok := annotations[key]; ok {
				warnings = append(warnings, message.About(path.Key(key), "%q has no effect here; move the annotation to "+remedy, value))
			}
		}
	}
	find(field.NewPath("metadata", "annotations"), g.Annotations, metadata.ComponentAnnotations(), "spec.annotations, or to those of a {{component}}")
	find(field.NewPath("spec", "annotations"), g.Spec.Annotations, metadata.GraphAnnotations(), "metadata.annotations of the graph")
	for _, c := range g.ComponentsByName() {
		path := graph.ComponentPath(c.Name)
		find(path.Child("annotations"), c.Annotations, metadata.GraphAnnotations(), "metadata.annotations of the graph")
		find(graph.PodMetadataPath(path, "annotations"), c.PodMetadata().Annotations, metadata.GraphAnnotations(), "metadata.annotations of the graph")
	}
	return warnings
}

// knownAnnotations checks the values of annotations that work on a graph and on a component.
func (v *validator) knownAnnotations(path *field.Path, annotations map[string]string) {
	if len(annotations) == 0 {
		return
	}
	oneOf := map[string][]string{
		metadata.AnnotationVLLMExecutor:       {"mp", "ray"},
		metadata.AnnotationKubeDiscoveryMode:  {"container", "pod"},
		metadata.AnnotationDiscoveryBackend:   {"etcd", "kubernetes"},
		metadata.AnnotationDeploymentStrategy: {"Recreate", "RollingUpdate"},
	}
	for _, key := range slices.Sorted(maps.Keys(oneOf)) {
		written, ok := annotations[key]
		value := written
		if key == metadata.AnnotationVLLMExecutor {
			value = strings.ToLower(value)
		}
		if ok && !slices.Contains(oneOf[key], value) {
			v.add(message.NotSupported(path.Key(key), written, oneOf[key]))
		}
	}
	if value, ok := annotations[metadata.AnnotationOriginVersion]; ok {
		if _, err := version.ParseSemantic(value); err != nil {
			v.invalid(path.Key(metadata.AnnotationOriginVersion), value, "must be a semantic version such as 1.0.0")
		}
	}
	v.underRule(rule.Power).powerLimit(path, annotations)
	for _, key := range []string{metadata.AnnotationMaxSurge, metadata.AnnotationMaxUnavailable} {
		if value, ok := annotations[key]; ok && !isCount(value) {
			v.invalid(path.Key(key), value, "must be a number such as 1 or a percentage such as 25%%")
		}
	}
}

// propagated are those of the annotations of pods that apply to their component as well.
func propagated(annotations map[string]string) map[string]string {
	all := map[string]string{}
	for _, key := range metadata.PropagatedAnnotations() {
		if value, ok := annotations[key]; ok {
			all[key] = value
		}
	}
	return all
}

func isCount(value string) bool {
	parsed := intstr.Parse(value)
	if parsed.Type == intstr.Int {
		return parsed.IntVal >= 0
	}
	return len(validation.IsValidPercent(value)) == 0
}
