package validate_test

import (
	"strings"
	"testing"
)

// TestBadMetadata shows what becomes metadata of objects that the API server would refuse.
func TestBadMetadata(t *testing.T) {
	half, long := strings.Repeat("x", 130<<10), strings.Repeat("q", 64)
	runBadCases(t, map[string]badCase{
		"QueueNoLabel": {
			reason: "Pods carry the queue of KAI as a label, which is shorter than a name may be.",
			patch:  patchAt(t, long, "metadata", "annotations", "nvidia.com/kai-scheduler-queue"),
			want: []string{
				`metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "` + long + `": must have at most 63 bytes, because it is a label of the pods; use a queue with a shorter name`,
			},
		},
		"VolcanoQueue": {reason: "The queue of Volcano is not a label and may have a longer name.", patch: patchAt(t, long, "metadata", "annotations", "scheduling.volcano.sh/queue-name")},
		"Annotations": {
			reason: "Annotations of graph, service and pods come together on one object.",
			patch: patchAt(t, map[string]any{
				"annotations": map[string]any{"a": half},
				"services":    map[string]any{"decode": map[string]any{"extraPodMetadata": map[string]any{"annotations": map[string]any{"b": half}}}},
			}, "spec"),
			want: []string{
				"spec.services[decode]: Invalid value: the annotations of the graph, the service and its pods have 266242 bytes in total, but must have at most 253952; remove or shorten some",
			},
		},
		"SameAnnotation": {
			reason: "An annotation that overrides another takes its place.",
			patch: patchAt(t, map[string]any{
				"annotations": map[string]any{"a": half}, "services": map[string]any{"decode": map[string]any{"annotations": map[string]any{"a": half}}},
			}, "spec"),
		},
		"IngressAnnotations": {
			reason: "The annotations of an Ingress are limited in size together.",
			patch: patchAt(t, map[string]any{
				"enabled": true, "host": "chat", "annotations": map[string]any{"a": half, "b": half},
			}, "spec", "services", "Frontend", "ingress"),
			want: []string{
				"spec.services[Frontend].ingress.annotations: Invalid value: the annotations have 266242 bytes in total, but must have at most 253952; remove or shorten some",
			},
		},
	})
}

func TestWarningsOfLabels(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"SnapshotLabels": {
			reason: "Users do not choose by a label whose state is restored.",
			patch:  `spec: {labels: {nvidia.com/snapshot-checkpoint-id: a}, services: {decode: {extraPodMetadata: {labels: {nvidia.com/snapshot-is-restore-target: "true"}}}}}`,
			want: []string{
				"spec.labels[nvidia.com/snapshot-checkpoint-id]: has no effect on pods, because the agent of the snapshot operator would restore what anybody has stored; remove it, and name a PodSnapshot in checkpointRef",
				"spec.services[decode].extraPodMetadata.labels[nvidia.com/snapshot-is-restore-target]: has no effect on pods, because the agent of the snapshot operator would restore what anybody has stored; remove it, and name a PodSnapshot in checkpointRef",
			},
		},
	})
}
