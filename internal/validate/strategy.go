package validate

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Strategies refuses annotations with which no rollout could make progress. They are combined as on a Deployment: those in the metadata of
// the pods take precedence over those of the component, and those over those of the graph. They mean the same for the LeaderWorkerSets of a
// multinode component.
func Strategies(g *graph.Graph) message.List {
	var errs message.List
	for _, name := range g.ComponentNames() {
		errs = append(errs, strategyOf(g, name).check()...)
	}
	return errs
}

// StrategyWarnings name annotations that a multinode component cannot follow.
func StrategyWarnings(g *graph.Graph) message.List {
	var warnings message.List
	for _, name := range g.ComponentNames() {
		warnings = append(warnings, strategyOf(g, name).warn()...)
	}
	return warnings
}

// strategy of the rollout of one component, as annotations.
type strategy struct {
	graph       *graph.Graph
	component   string
	multinode   bool
	annotations map[string]string
}

func strategyOf(g *graph.Graph, name string) strategy {
	component := g.Component(name)
	return strategy{graph: g, component: name, multinode: component.IsMultinode(), annotations: pod.WorkloadAnnotations(component)}
}

// warn about a multinode component. No replica is added during a rollout: one has to be deleted before another is created.
func (s strategy) warn() message.List {
	if !s.multinode || s.annotations[metadata.AnnotationDeploymentStrategy] == string(appsv1.RecreateDeploymentStrategyType) {
		return nil
	}
	var warnings message.List
	surge := s.path(metadata.AnnotationMaxSurge)
	// Annotations of the graph also apply to its other components.
	if _, given := s.annotations[metadata.AnnotationMaxSurge]; given && surge.String() != s.ofGraph(metadata.AnnotationMaxSurge).String() {
		warnings = append(warnings, message.About(surge, "has no effect on a {{component}} that spans nodes, because a rollout adds no replica"))
	}
	if most, errs := s.number(metadata.AnnotationMaxUnavailable); most == 0 && len(errs) == 0 {
		warnings = append(warnings, message.About(s.path(metadata.AnnotationMaxUnavailable), "is treated as 1 for a {{component}} that spans nodes, because a rollout adds no replica, so one replica has to be unavailable"))
	}
	return warnings
}

func (s strategy) check() message.List {
	var errs message.List
	switch value := s.annotations[metadata.AnnotationDeploymentStrategy]; appsv1.DeploymentStrategyType(value) {
	case appsv1.RecreateDeploymentStrategyType:
		return nil
	case appsv1.RollingUpdateDeploymentStrategyType, "":
	default:
		errs = append(errs, message.NotSupported(s.path(metadata.AnnotationDeploymentStrategy), value,
			[]appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType}))
	}
	return append(errs, s.checkCounts()...)
}

func (s strategy) checkCounts() message.List {
	surge, errs := 1, message.List(nil)
	if !s.multinode {
		surge, errs = s.number(metadata.AnnotationMaxSurge)
	}
	unavailable, more := s.number(metadata.AnnotationMaxUnavailable)
	errs = append(errs, more...)
	value, given := s.annotations[metadata.AnnotationMaxUnavailable]
	switch {
	case len(errs) > 0:
	case given && surge == 0 && unavailable == 0:
		errs = append(errs, message.Invalid(s.path(metadata.AnnotationMaxUnavailable), value,
			"may not be 0 when %s is 0, because no pod could ever be replaced", metadata.AnnotationMaxSurge))
	case unavailable > 100 && strings.HasSuffix(value, "%"):
		errs = append(errs, message.Invalid(s.path(metadata.AnnotationMaxUnavailable), value, "must be at most 100%%"))
	}
	return errs
}

// number in an annotation, of pods or in percent. A missing number counts as 1, because the default is not 0.
func (s strategy) number(key string) (int, message.List) {
	value, ok := s.annotations[key]
	if !ok {
		return 1, nil
	}
	parsed := intstr.Parse(value)
	if parsed.Type == intstr.Int && parsed.IntVal >= 0 {
		return parsed.IntValue(), nil
	}
	if parsed.Type == intstr.String && len(validation.IsValidPercent(value)) == 0 {
		if number, err := strconv.Atoi(strings.TrimSuffix(value, "%")); err == nil {
			return number, nil
		}
	}
	return 0, message.List{message.Invalid(s.path(key), value, "must be a number such as 1 or a percentage such as 25%%")}
}

// path of an annotation in the place where it takes effect.
func (s strategy) path(key string) *field.Path {
	spec := field.NewPath("spec")
	component := s.graph.Component(s.component)
	if _, ok := component.PodMetadata().Annotations[key]; ok {
		return graph.PodMetadataPath(spec.Child("components").Key(s.component), "annotations").Key(key)
	}
	if _, ok := component.Annotations[key]; ok {
		return spec.Child("components").Key(s.component).Child("annotations").Key(key)
	}
	return s.ofGraph(key)
}

// ofGraph is the path of an annotation of the graph.
func (s strategy) ofGraph(key string) *field.Path {
	return field.NewPath("spec", "annotations").Key(key)
}
