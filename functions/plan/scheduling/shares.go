package scheduling

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Shares of GPUs that the webhook of KAI refuses, or that no other scheduler gives. Pods of a running graph may be older than the annotations.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/binder/plugins/gpusharing/gpu-request/gpu_request_validator.go
func Shares(f *subject.Facts, p *graphplan.Plan) subject.Outcome {
	var o subject.Outcome
	for _, c := range f.Graph.ComponentsByName() {
		s := sharesOf(f, c)
		asked := s.asked()
		switch scheduler := schedulerOf(p, c); {
		case !asked.given:
		case scheduler != graphplan.KAIScheduler:
			o.Warnings = append(o.Warnings, message.About(asked.path, "has no effect, because %s schedules the pods, and only KAI gives them a share of a GPU; request whole GPUs instead, or set {{podTemplate.spec.schedulerName}} to %s", scheduler, graphplan.KAIScheduler))
		case f.Live():
			o.Warnings = append(o.Warnings, s.mistakes(c)...)
		default:
			o.Refuse(subject.Mistake, s.mistakes(c)...)
		}
	}
	return o
}

// shares of GPUs for which the annotations of pods ask.
type shares struct{ fraction, memory, devices written }

func sharesOf(f *subject.Facts, c *graph.Component) shares {
	in := func(key string) written { return first(f, c, toPods(false, key)) }
	return shares{in(graph.AnnotationGPUFraction), in(graph.AnnotationGPUMemory), in(graph.AnnotationGPUDevices)}
}

// asked is the first of the annotations that is written.
func (s shares) asked() written {
	switch {
	case s.fraction.given:
		return s.fraction
	case s.memory.given:
		return s.memory
	default:
		return s.devices
	}
}

// mistakes in them, as the webhook of KAI finds them.
func (s shares) mistakes(c *graph.Component) message.List {
	var errs message.List
	refuse := func(w written, format string, args ...any) {
		errs = append(errs, message.Invalid(w.path, w.value, format, args...))
	}
	switch {
	case s.fraction.given && s.memory.given:
		refuse(s.memory, "a pod gets a fraction of a GPU or a part of its memory, and %s is set too; remove one of the two", s.fraction.path)
	case !s.fraction.given && !s.memory.given:
		refuse(s.devices, "is the number of GPUs of which a pod gets a share, but there is no share; remove it, or set annotation %s or %s instead of limits of %s", graph.AnnotationGPUFraction, graph.AnnotationGPUMemory, graph.DefaultGPU)
	case limitsGPUs(c):
		refuse(s.asked(), "a pod gets a share of a GPU or whole GPUs, and its containers have limits of %s; remove them, or the annotation", graph.DefaultGPU)
	}
	if part, err := strconv.ParseFloat(s.fraction.value, 64); s.fraction.given && (err != nil || part <= 0 || part >= 1) {
		refuse(s.fraction, "must be a number between 0 and 1, such as 0.5")
	}
	alone := !s.fraction.given && !s.memory.given
	for _, w := range []written{s.memory, s.devices} {
		if n, err := strconv.ParseUint(w.value, 10, 64); w.given && !alone && (err != nil || n == 0) {
			refuse(w, "must be a whole number above 0")
		}
	}
	return errs
}

// limitsGPUs reports whether any container of a pod has a limit of NVIDIA's GPUs.
func limitsGPUs(c *graph.Component) bool {
	return slices.ContainsFunc(slices.Concat(c.Pod().InitContainers, c.Beside(), []corev1.Container{c.Main()}), func(container corev1.Container) bool {
		_, limited := container.Resources.Limits[graph.DefaultGPU]
		return limited
	})
}
