package grove

import (
	"maps"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// setAnnotations are the annotations of the PodCliqueSet: the graph's, with the queue of Volcano. Those about multi-node NVLink are the
// plan's: Grove refuses to change them, so the plan holds what a live set has.
func (b *builder) setAnnotations() map[string]string {
	annotations := maps.Clone(b.graph.Spec.Annotations)
	delete(annotations, metadata.AnnotationAutoMNNVL)
	delete(annotations, metadata.AnnotationMNNVLGroup)
	for key, value := range map[string]string{
		metadata.AnnotationAutoMNNVL:         b.plan.Grove.AutoMNNVL,
		metadata.AnnotationMNNVLGroup:        b.plan.Grove.MNNVLGroup,
		metadata.AnnotationGroveVolcanoQueue: b.volcanoQueue(),
	} {
		if value == "" {
			continue
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
	}
	return annotations
}

// volcanoQueue of the set. It is empty if the annotations of the spec or Grove decide, or without Volcano.
func (b *builder) volcanoQueue() string {
	if b.plan.Grove.SchedulerName != graphplan.VolcanoScheduler {
		return ""
	}
	return b.plan.Grove.Queue
}

// groupAnnotations are those of a scaling group. A component of one node has them on its clique, as without a group.
func (b *builder) groupAnnotations(component string) map[string]string {
	group, ok := b.plan.Grove.MNNVLGroups[component]
	if s := b.graph.Component(component); !ok || !s.IsMultinode() {
		return nil
	}
	return map[string]string{metadata.AnnotationMNNVLGroup: group}
}

// cliqueAnnotations are those of a clique. Grove takes the group that is nearest to the pods: on the cliques of a scaling
// group one is only replaced, where it came there from spec.annotations.
func (b *builder) cliqueAnnotations(component string, annotations map[string]string) map[string]string {
	group, ok := b.plan.Grove.MNNVLGroups[component]
	if !ok {
		return annotations
	}
	s := b.graph.Component(component)
	if _, inherited := annotations[metadata.AnnotationMNNVLGroup]; inherited || !s.IsMultinode() {
		annotations[metadata.AnnotationMNNVLGroup] = group
	}
	return annotations
}
