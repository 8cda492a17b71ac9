package pods

import (
	"maps"
	"slices"
	"strconv"
	"strings"

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
		path, ofPods, ofAll := graph.ComponentPath(s.Name), s.PodMetadata(), s.TemplateLabels()
		ofLabels := keys{wanted: in(ofAll), by: writerOf(p.Orchestrator, s.IsMultinode()), reserved: isReserved}
		ofAnnotations := keys{
			wanted:   either(in(ofPods.Annotations), func(key string) (string, bool) { return s.Annotation(key), true }),
			reserved: func(string) bool { return false },
		}
		for _, seen := range written(f, built, s) {
			got := &seen.Template
			ofLabels.got, ofAnnotations.got = in(got.Labels), in(got.Annotations)
			if p.Orchestrator == graphplan.LeaderWorkerSet && s.IsMultinode() {
				set := (&gang.Builder{Graph: f.Buildable, Plan: p}).Metadata(s.Name, 0, *got)
				ofLabels.got, ofAnnotations.got = in(set.Labels), either(in(set.Annotations), ofAnnotations.got)
			}
			labels.add(field.NewPath("spec", "labels"), f.Graph.Spec.Labels, ofLabels)
			labels.add(path.Child("labels"), s.Labels, ofLabels)
			labels.add(graph.PodMetadataPath(path, "labels"), ofPods.Labels, ofLabels)
			annotations.add(field.NewPath("spec", "annotations"), f.Graph.Spec.Annotations, ofAnnotations)
			annotations.add(path.Child("annotations"), s.Annotations, ofAnnotations)
			annotations.add(graph.PodMetadataPath(path, "annotations"), ofPods.Annotations, ofAnnotations)
		}
	}
	return append(labels.warnings("label"), annotations.warnings("annotation")...).Sorted(f.Graph)
}

// values of labels or annotations. They are looked up and never copied, because a graph may have thousands.
type values func(key string) (string, bool)

func in(all map[string]string) values {
	return func(key string) (string, bool) {
		value, ok := all[key]
		return value, ok
	}
}

func either(first, second values) values {
	return func(key string) (string, bool) {
		if value, ok := first(key); ok {
			return value, true
		}
		return second(key)
	}
}

// keys are the labels or the annotations of the pods of a component.
type keys struct {
	// wanted are those that the user writes, and got those that pods have.
	wanted, got values

	// by is what writes into pods.
	by writer

	// reserved reports whether pods are selected by a key.
	reserved func(key string) bool
}

// Words for values that are not in the graph.
const (
	notSet       = "not set"
	byController = "what the orchestrator sets"
)

// instead of what a user writes, pods have this: the writer decides the values of some labels.
func (k keys) instead(key string) string {
	value, has := k.got(key)
	switch {
	case !has:
		return notSet
	case k.by.replacesLabel(key):
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
func (r replaced) add(place *field.Path, own map[string]string, k keys) {
	for key, value := range own {
		got, has := k.got(key)
		same := has && got == value && !k.by.replacesLabel(key)
		if same && !k.reserved(key) || isDecidedElsewhere(key) {
			continue
		}
		if wanted, _ := k.wanted(key); wanted != value {
			continue
		}
		of := userKey{place.Key(key).String(), k.reserved(key)}
		if r[of] == nil {
			r[of] = map[string]bool{}
		}
		r[of][k.instead(key)] = !same
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
