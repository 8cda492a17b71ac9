package pods

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
)

// LabelWarnings name labels and annotations that users write for pods, and of which pods get another value, or none. Which ones these are is read from
// what is composed, and from what controllers write into pods.
func LabelWarnings(f *subject.Facts, p *graphplan.Plan, built pod.Pods) message.List {
	labels, annotations := replaced{}, replaced{}
	for _, s := range f.Buildable.ComponentsByName() {
		path, by := graph.ComponentPath(s.Name), writerOf(p.Orchestrator, s.IsMultinode())
		ofPods, ofAll := s.PodMetadata(), s.TemplateLabels()
		label := func(key string) string { return ofAll[key] }
		// A graph may have thousands of annotations.
		annotation := func(key string) string {
			if value, ok := ofPods.Annotations[key]; ok {
				return value
			}
			return s.Annotation(key)
		}
		for _, got := range composed(f, p, built, s) {
			for place, own := range map[*field.Path]map[string]string{
				field.NewPath("spec", "labels"): f.Graph.Spec.Labels, path.Child("labels"): s.Labels, graph.PodMetadataPath(path, "labels"): ofPods.Labels,
			} {
				labels.add(place, own, label, got.Labels, by, isReserved)
			}
			for place, own := range map[*field.Path]map[string]string{
				field.NewPath("spec", "annotations"): f.Graph.Spec.Annotations, path.Child("annotations"): s.Annotations,
				graph.PodMetadataPath(path, "annotations"): ofPods.Annotations,
			} {
				annotations.add(place, own, annotation, got.Annotations, writer{}, func(string) bool { return false })
			}
		}
	}
	return append(labels.warnings("label"), annotations.warnings("annotation")...).Sorted(f.Graph)
}

// composed are the labels and annotations of the pods of a component in each role.
func composed(f *subject.Facts, p *graphplan.Plan, built pod.Pods, s *graph.Component) []metav1.ObjectMeta {
	sets := gang.Builder{Graph: f.Buildable, Plan: p}
	var all []metav1.ObjectMeta
	for _, seen := range written(f, built, s) {
		if p.Orchestrator == graphplan.LeaderWorkerSet && s.IsMultinode() {
			all = append(all, sets.Metadata(s.Name, 0, seen.Template))
		} else {
			all = append(all, seen.Template.ObjectMeta)
		}
	}
	return all
}

// Words for values that are not in the graph.
const (
	notSet       = "not set"
	byController = "what the orchestrator sets"
)

// instead of what a user writes, pods have this: the writer decides the values of some labels.
func (w writer) instead(key string, got map[string]string) string {
	value, has := got[key]
	switch {
	case !has:
		return notSet
	case w.replacesLabel(key):
		return byController
	default:
		return strconv.Quote(value)
	}
}

// userKey is a label or an annotation that a user writes.
type userKey struct {
	path string
	// reserved is true of a label by which pods are selected.
	reserved bool
}

// replaced are what pods have in place of what users write.
type replaced map[userKey]map[string]bool

// add what users write in a place. What they write for the same pods in a nearer one is theirs, too.
func (r replaced) add(place *field.Path, own map[string]string, wanted func(string) string, got map[string]string, by writer, reserved func(string) bool) {
	for key, value := range own {
		has, isThere := got[key]
		same := isThere && has == value && !by.replacesLabel(key)
		if same && !reserved(key) || value != wanted(key) || isDecidedElsewhere(key) {
			continue
		}
		k := userKey{place.Key(key).String(), reserved(key)}
		if r[k] == nil {
			r[k] = map[string]bool{}
		}
		r[k][by.instead(key, got)] = !same
	}
}

func (r replaced) warnings(what string) message.List {
	var all message.List
	for k, values := range r {
		lost := slices.Contains(slices.Collect(maps.Values(values)), true)
		detail := message.Format("has no effect on pods, where this %s is %s; use another key, or remove it", what, strings.Join(slices.Sorted(maps.Keys(values)), " or "))
		switch {
		case k.reserved && lost:
			detail = message.Format("has no effect on pods, which are selected by this label; remove it")
		case k.reserved:
			detail = message.Format("is a label by which pods are selected, and those that should be have it anyway; remove it")
		}
		all = append(all, &message.Message{Field: k.path, Detail: detail})
	}
	return all
}

// isReserved reports whether pods are selected by a label, which could be wrong where a user sets it and nothing replaces it.
func isReserved(key string) bool {
	return slices.Contains([]string{
		metadata.LabelBaseModelHash, metadata.LabelComponent, metadata.LabelComponentClass, metadata.LabelDiscoveryBackend, metadata.LabelDiscoveryEnabled,
		metadata.LabelDynamoNamespace, metadata.LabelGraphName, metadata.LabelInferencePool, metadata.LabelSelector,
	}, key)
}

// isDecidedElsewhere reports whether other warnings are about a key: those of queues and of the snapshot operator.
func isDecidedElsewhere(key string) bool {
	return slices.Contains(slices.Concat(metadata.QueueKeys(), snapshotv1alpha1.AgentLabels()), key)
}
