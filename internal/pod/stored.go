package pod

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// hashDigits tell the states of one component apart.
const hashDigits = 10

func shortHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])[:hashDigits]
}

// restoreStored restores a pod from the state of pods with the same template, if its graph has had it stored. A pod has the hash of its
// template, by which its state is stored, in either case.
func (b *Builder) restoreStored(t *corev1.PodTemplateSpec, c component) {
	checkpoint := c.decision.Checkpoint
	if checkpoint == nil || !checkpoint.Creates {
		return
	}
	hash := templateHash(t)
	t.Annotations[metadata.AnnotationCheckpointTemplate] = hash
	for _, stored := range checkpoint.Stored {
		if stored.Template == hash {
			target := c.spec.CheckpointTarget()
			maps.Copy(t.Annotations, restoreFrom(stored.PodSnapshot, target, target))
			b.restoreByName(&t.Spec, c)
			return
		}
	}
}

// templateHash of a pod that starts cold, without the mark of its last restart: a restart is what restores it.
func templateHash(t *corev1.PodTemplateSpec) string {
	template := *t
	template.Annotations = maps.Clone(t.Annotations)
	delete(template.Annotations, metadata.AnnotationRestartAt)
	// Encoding sorts the keys of maps, and cannot fail for types of the API.
	encoded, _ := json.Marshal(template) //nolint:errchkjson // See above.
	return shortHash(encoded)
}

// StoredPod is the pod whose state is stored for pods with a template: the same without what would restore it, without the labels by which
// Services, autoscalers and discovery find pods, and without probes, because its program does not serve. It runs once, in the queue of the others:
// in none, it would take GPUs that count for nobody.
func StoredPod(c *graph.Component, template *corev1.PodTemplateSpec) corev1.PodTemplateSpec {
	target := c.CheckpointTarget()
	pod := *template.DeepCopy()
	pod.Labels = map[string]string{}
	for _, key := range append(metadata.QueueKeys(), metadata.LabelKAINodePool, metadata.LabelGraphName, metadata.LabelComponent) {
		if value, ok := template.Labels[key]; ok {
			pod.Labels[key] = value
		}
	}
	for _, key := range []string{
		metadata.AnnotationRestartAt, metadata.AnnotationCheckpointTemplate,
		snapshotv1alpha1.AnnotationRestoreFrom, snapshotv1alpha1.AnnotationRestoreContainerMap,
	} {
		delete(pod.Annotations, key)
	}
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == snapshotv1alpha1.ControlVolume })
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		if container.Name == target {
			container.StartupProbe, container.LivenessProbe, container.ReadinessProbe = nil, nil, nil
			takeOffRestore(container)
		}
	}
	return pod
}

// takeOffRestore takes what would make a container wait to be restored off it.
func takeOffRestore(container *corev1.Container) {
	container.VolumeMounts = slices.DeleteFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == snapshotv1alpha1.ControlVolume })
	container.Env = slices.DeleteFunc(container.Env, func(e corev1.EnvVar) bool {
		return slices.Contains([]string{
			snapshotv1alpha1.ControlFolderEnv, snapshotv1alpha1.LegacyControlFolderEnv, snapshotv1alpha1.RestoreStandbyEnv, snapshotv1alpha1.LegacyRestoreStandbyEnv,
		}, e.Name)
	})
}
