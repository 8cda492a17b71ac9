package pod

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// restoreFailures is how often a restored container may fail its startup probe: for 30 minutes, with a check each second.
const restoreFailures = 1800

// restores reports whether the pods of a component are restored from a checkpoint.
func restores(c component) bool {
	return c.spec.CheckpointName() != "" && c.decision.Checkpoint != nil && c.decision.Checkpoint.Restores
}

// BuildCold builds a pod of a component on one node as it starts without its checkpoint. It returns false if it starts like that anyway.
func (b *Builder) BuildCold(component string) (corev1.PodTemplateSpec, bool) {
	c := b.component(component)
	if !restores(c) && (c.decision.Checkpoint == nil || len(c.decision.Checkpoint.Stored) == 0) {
		return corev1.PodTemplateSpec{}, false
	}
	p := *b.Plan
	p.Components = maps.Clone(p.Components)
	decision := p.Components[component]
	decision.Checkpoint = nil
	p.Components[component] = decision
	cold := *b
	cold.Plan = &p
	return cold.Build(component, backend.RoleMain, nil), true
}

// restore prepares a pod to be restored from its checkpoint by the agent of the snapshot operator. The command stays: the programs of Dynamo
// do nothing until the agent replaces them.
func (b *Builder) restore(spec *corev1.PodSpec, c component) {
	switch {
	case !restores(c):
	case c.decision.Checkpoint.Captured != "":
		b.restoreByName(spec, c)
	default:
		b.restoreByID(spec, c)
	}
}

// restoreByName is what the agent requires since v0.1.0, and a startup probe that gives the other probes no say before the process is restored.
// https://github.com/ai-dynamo/snapshot/blob/main/api/podcontract/restore_pod.go
func (b *Builder) restoreByName(spec *corev1.PodSpec, c component) {
	target := c.spec.CheckpointTarget()
	i := slices.IndexFunc(spec.Containers, func(container corev1.Container) bool { return container.Name == target })
	if i < 0 {
		return
	}
	container := &spec.Containers[i]
	if profile := ptr.Deref(b.Plan.Restore, graphplan.Restore{}).SeccompProfile; profile != "" {
		if container.SecurityContext == nil {
			container.SecurityContext = &corev1.SecurityContext{}
		}
		container.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &profile}
	}
	addControlFolder(spec, container)
	setEnv(container, corev1.EnvVar{Name: snapshotv1alpha1.ControlFolderEnv, Value: snapshotv1alpha1.ControlFolder})
	setEnv(container, corev1.EnvVar{Name: snapshotv1alpha1.LegacyControlFolderEnv, Value: snapshotv1alpha1.ControlFolder})
	setEnv(container, corev1.EnvVar{Name: snapshotv1alpha1.RestoreStandbyEnv, Value: "1"})
	if !c.decision.RuntimeVersion.Has(runtime.SnapshotStandby) {
		setEnv(container, corev1.EnvVar{Name: snapshotv1alpha1.LegacyRestoreStandbyEnv, Value: "1"})
	}
	container.StartupProbe = restoredProbe()
}

// restoreByID is what the Dynamo operator of August 2026 does for pods that wait for their checkpoint. For others, it does so in a webhook
// when a pod is created.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/checkpointjob/restore.go#L65
func (b *Builder) restoreByID(spec *corev1.PodSpec, c component) {
	settings := ptr.Deref(b.Plan.Restore, graphplan.Restore{})
	if profile := settings.SeccompProfile; profile != "" {
		if spec.SecurityContext == nil {
			spec.SecurityContext = &corev1.PodSecurityContext{}
		}
		spec.SecurityContext.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &profile}
	}
	if c.spec.IsWorker() {
		checkEachSecond(&spec.Containers[0])
	}
	target := c.spec.CheckpointTarget()
	i := slices.IndexFunc(spec.Containers, func(container corev1.Container) bool { return container.Name == target })
	if i < 0 {
		return
	}
	container := &spec.Containers[i]
	if settings.ClaimName != "" {
		mountOnce(spec, container, corev1.VolumeMount{Name: snapshotv1alpha1.StorageVolume, MountPath: settings.BasePath}, corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: settings.ClaimName},
		})
	}
	addControlFolder(spec, container)
	if !hasEnv(container.Env, snapshotv1alpha1.LegacyControlFolderEnv) {
		container.Env = append(container.Env, corev1.EnvVar{Name: snapshotv1alpha1.LegacyControlFolderEnv, Value: snapshotv1alpha1.ControlFolder})
	}
	setEnv(container, corev1.EnvVar{Name: snapshotv1alpha1.LegacyRestoreStandbyEnv, Value: "1"})
	container.StartupProbe = restoreProbe(container)
}

// addControlFolder of a container that is restored.
func addControlFolder(spec *corev1.PodSpec, container *corev1.Container) {
	mount := corev1.VolumeMount{Name: snapshotv1alpha1.ControlVolume, MountPath: snapshotv1alpha1.ControlFolder, SubPath: container.Name}
	mountOnce(spec, container, mount, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})
}

// checkEachSecond checks often whether a container is ready, because it is restored within seconds.
func checkEachSecond(container *corev1.Container) {
	for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.StartupProbe} {
		if probe != nil {
			probe.PeriodSeconds = 1
		}
	}
}

// mountOnce adds a volume and its mount. Those of the user are kept.
func mountOnce(spec *corev1.PodSpec, container *corev1.Container, mount corev1.VolumeMount, source corev1.VolumeSource) {
	if !slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }) {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: mount.Name, VolumeSource: source})
	}
	same := func(m corev1.VolumeMount) bool {
		return m.Name == mount.Name || path.Clean(m.MountPath) == path.Clean(mount.MountPath)
	}
	if !slices.ContainsFunc(container.VolumeMounts, same) {
		container.VolumeMounts = append(container.VolumeMounts, mount)
	}
}

// restoreProbe waits until a container has been restored: with its first probe, or until the agent says so.
func restoreProbe(container *corev1.Container) *corev1.Probe {
	own := cmp.Or(container.StartupProbe, container.LivenessProbe, container.ReadinessProbe)
	if own == nil {
		return restoredProbe()
	}
	probe := own.DeepCopy()
	probe.InitialDelaySeconds, probe.PeriodSeconds = 0, 1
	probe.FailureThreshold, probe.SuccessThreshold = restoreFailures, 1
	return probe
}

// restoredProbe waits until the agent says that a container has been restored.
func restoredProbe() *corev1.Probe {
	file := path.Join(snapshotv1alpha1.ControlFolder, snapshotv1alpha1.RestoredFile)
	return &corev1.Probe{
		ProbeHandler:   corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"cat", file}}},
		TimeoutSeconds: 1, PeriodSeconds: 1, FailureThreshold: restoreFailures, SuccessThreshold: 1,
	}
}

// restoreLabels of the pods of a component, by which the agent finds them up to v0.1.0-alpha.1.
func restoreLabels(c component) map[string]string {
	if !restores(c) || c.decision.Checkpoint.Captured != "" {
		return nil
	}
	return map[string]string{
		snapshotv1alpha1.LabelRestoreTarget: "true",
		snapshotv1alpha1.LabelCheckpointID:  c.decision.Checkpoint.ID,
	}
}

// restoreAnnotations of the pods of a component. Those that start cold have the annotations by which a webhook can restore pods that are
// created when the checkpoint is ready. All have its name, by which it is remembered, and the policy. The operator removes both from restored
// pods.
func (b *Builder) restoreAnnotations(c component) map[string]string {
	name := c.spec.CheckpointName()
	if name == "" {
		return nil
	}
	annotations := map[string]string{
		metadata.AnnotationCheckpointName:          name,
		metadata.AnnotationCheckpointStartupPolicy: string(c.spec.CheckpointPolicy()),
	}
	target := c.spec.CheckpointTarget()
	if restores(c) && c.decision.Checkpoint.Captured != "" {
		maps.Copy(annotations, restoreFrom(name, c.decision.Checkpoint.Captured, target))
		return annotations
	}
	annotations[snapshotv1alpha1.AnnotationTargetContainers] = target
	if !restores(c) {
		annotations[metadata.AnnotationRestoreCandidate] = "true"
		return annotations
	}
	annotations[snapshotv1alpha1.AnnotationArtifactVersion] = c.decision.Checkpoint.ArtifactVersion
	if settings := b.Plan.Restore; settings != nil && settings.ClaimName != "" {
		annotations[snapshotv1alpha1.AnnotationStorageType] = snapshotv1alpha1.StorageTypePVC
		annotations[snapshotv1alpha1.AnnotationStorageBasePath] = settings.BasePath
	}
	return annotations
}

// restoreFrom are the annotations by which the agent restores a container from a PodSnapshot of another one.
func restoreFrom(name, captured, target string) map[string]string {
	annotations := map[string]string{snapshotv1alpha1.AnnotationRestoreFrom: name}
	if captured != target {
		annotations[snapshotv1alpha1.AnnotationRestoreContainerMap] = captured + "=" + target
	}
	return annotations
}

// LiveCheckpoint is the checkpoint from which live pods of a component are restored. nil if they are not.
func LiveCheckpoint(template *corev1.PodTemplateSpec) *graphplan.Checkpoint {
	if name := template.Annotations[snapshotv1alpha1.AnnotationRestoreFrom]; name != "" {
		return &graphplan.Checkpoint{Name: name, Captured: capturedFor(template)}
	}
	id := template.Labels[snapshotv1alpha1.LabelCheckpointID]
	if id == "" {
		return nil
	}
	return &graphplan.Checkpoint{
		Name: template.Annotations[metadata.AnnotationCheckpointName], ID: id, ArtifactVersion: snapshotv1alpha1.ArtifactVersion(template.Annotations),
	}
}

// capturedFor pods that name their PodSnapshot is the container that was captured: the mapped one, or that of the container that is restored.
func capturedFor(template *corev1.PodTemplateSpec) string {
	if captured, _, mapped := strings.Cut(template.Annotations[snapshotv1alpha1.AnnotationRestoreContainerMap], "="); mapped {
		return captured
	}
	for i := range template.Spec.Containers {
		for _, mount := range template.Spec.Containers[i].VolumeMounts {
			if mount.Name == snapshotv1alpha1.ControlVolume {
				return template.Spec.Containers[i].Name
			}
		}
	}
	return MainContainer
}
