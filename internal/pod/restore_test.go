package pod

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// withCheckpoint builds the pod of component S, JSON, with this decision about its checkpoint.
func withCheckpoint(t *testing.T, body string, c *graphplan.Checkpoint, restore *graphplan.Restore) corev1.PodTemplateSpec {
	t.Helper()
	return restoredIn(t, "", body, c, restore)
}

// restoredIn an image of a release.
func restoredIn(t *testing.T, release runtime.Version, body string, c *graphplan.Checkpoint, restore *graphplan.Restore) corev1.PodTemplateSpec {
	t.Helper()
	b := planned(decodeComponent(t, body), graphplan.Component{Discovery: "etcd", Checkpoint: c, RuntimeVersion: release})
	b.Plan.Restore = restore
	return b.Build("S", backend.RoleMain, nil)
}

// TestRestore shows what pods get of a checkpoint: those of the Dynamo operator, for checkpoints that are ready and for others.
func TestRestore(t *testing.T) {
	const body = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"}}`
	restored := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Ready: true, Restores: true}
	onNodes := &graphplan.Restore{SeccompProfile: "profiles/p.json"}
	control := with(mount("snapshot-control", "/snapshot-control"), fields{"subPath": "main"})
	controlVolume := fields{"name": "snapshot-control", "emptyDir": fields{}}
	shared := mount("shared-memory", "/dev/shm")
	// An engine has two hours to start cold. Its liveness probe is not the one that decides, because it has a startup probe.
	startup := fields{
		"httpGet": fields{"path": "/live", "port": "system"}, "timeoutSeconds": 5.0, "periodSeconds": 1.0, "successThreshold": 1.0, "failureThreshold": 1800.0,
	}
	onRestored := func(annotations fields) fields {
		return fields{
			"labels": fields{"nvidia.com/snapshot-is-restore-target": "true", "nvidia.com/snapshot-checkpoint-id": "a1"},
			"annotations": with(annotations, fields{
				"nvidia.com/dynamo-checkpoint-name": "warm", "nvidia.com/dynamo-checkpoint-startup-policy": "Immediate",
				"nvidia.com/snapshot-artifact-version": "1", "nvidia.com/snapshot-target-containers": "main",
			}),
		}
	}
	cases := map[string]struct {
		reason, body string
		checkpoint   *graphplan.Checkpoint
		restore      *graphplan.Restore
		want         fields
	}{
		"Ready": {
			reason: "A restored pod has a folder for the agent, and its program waits for it.",
			body:   body, checkpoint: restored, restore: onNodes,
			want: with(fields{
				"env":      fields{"DYN_SNAPSHOT_CONTROL_DIR": "/snapshot-control", "DYN_SNAPSHOT_RESTORE_STANDBY": "1"},
				"security": fields{"fsGroup": 1000.0, "seccompProfile": fields{"type": "Localhost", "localhostProfile": "profiles/p.json"}},
				"mounts":   []any{shared, control}, "volumes": []any{sharedMemory("8Gi"), controlVolume},
				"startup": startup, "readiness": 1.0,
			}, onRestored(fields{})),
		},
		"Storage": {
			reason: "Pods mount the storage if the platform has one, and have no profile if it has none.",
			body:   body, checkpoint: restored, restore: &graphplan.Restore{ClaimName: "claim", BasePath: "/checkpoints"},
			want: with(fields{
				"env":      fields{"DYN_SNAPSHOT_CONTROL_DIR": "/snapshot-control", "DYN_SNAPSHOT_RESTORE_STANDBY": "1"},
				"security": fields{"fsGroup": 1000.0},
				"mounts":   []any{shared, mount("checkpoint-storage", "/checkpoints"), control},
				"volumes": []any{
					sharedMemory("8Gi"), fields{"name": "checkpoint-storage", "persistentVolumeClaim": fields{"claimName": "claim"}}, controlVolume,
				},
				"startup": startup, "readiness": 1.0,
			}, onRestored(fields{"nvidia.com/snapshot-storage-type": "pvc", "nvidia.com/snapshot-storage-base-path": "/checkpoints"})),
		},
		"Own": {
			reason: "A folder of the user is kept, and a variable by which the program would not wait is not.",
			body: `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"},"extraPodSpec":{"volumes":[{"name":"snapshot-control","hostPath":{"path":"/own"}}],
				"mainContainer":{"volumeMounts":[{"name":"snapshot-control","mountPath":"/own"}],
				"env":[{"name":"DYN_SNAPSHOT_CONTROL_DIR","value":"/own"},{"name":"DYN_SNAPSHOT_RESTORE_STANDBY","value":"0"}]}}}`,
			checkpoint: restored, restore: onNodes,
			want: with(fields{
				"env":      fields{"DYN_SNAPSHOT_CONTROL_DIR": "/own", "DYN_SNAPSHOT_RESTORE_STANDBY": "1"},
				"security": fields{"fsGroup": 1000.0, "seccompProfile": fields{"type": "Localhost", "localhostProfile": "profiles/p.json"}},
				"mounts":   []any{mount("snapshot-control", "/own"), shared},
				"volumes":  []any{fields{"name": "snapshot-control", "hostPath": fields{"path": "/own"}}, sharedMemory("8Gi")},
				"startup":  startup, "readiness": 1.0,
			}, onRestored(fields{})),
		},
		"OwnMount": {
			reason: "A container has one mount at a path, also if the user ends the path with a slash.",
			body: `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"},"extraPodSpec":{"volumes":[{"name":"own","emptyDir":{}}],
				"mainContainer":{"volumeMounts":[{"name":"own","mountPath":"/snapshot-control/"}]}}}`,
			checkpoint: restored, restore: onNodes,
			want: with(fields{
				"env":      fields{"DYN_SNAPSHOT_CONTROL_DIR": "/snapshot-control", "DYN_SNAPSHOT_RESTORE_STANDBY": "1"},
				"security": fields{"fsGroup": 1000.0, "seccompProfile": fields{"type": "Localhost", "localhostProfile": "profiles/p.json"}},
				"mounts":   []any{mount("own", "/snapshot-control/"), shared},
				"volumes":  []any{fields{"name": "own", "emptyDir": fields{}}, sharedMemory("8Gi"), controlVolume},
				"startup":  startup, "readiness": 1.0,
			}, onRestored(fields{})),
		},
		"NotReady": {
			reason: "A pod that starts cold only says from what a webhook may restore it.",
			body:   body, checkpoint: &graphplan.Checkpoint{Name: "warm"}, restore: onNodes,
			want: fields{
				"labels": fields{},
				"annotations": fields{
					"nvidia.com/dynamo-checkpoint-restore-candidate": "true", "nvidia.com/dynamo-checkpoint-name": "warm",
					"nvidia.com/dynamo-checkpoint-startup-policy": "Immediate", "nvidia.com/snapshot-target-containers": "main",
				},
				"env": fields{}, "security": fields{"fsGroup": 1000.0},
				"mounts": []any{shared}, "volumes": []any{sharedMemory("8Gi")},
				"startup": with(fields{}, startup, fields{"periodSeconds": 10.0, "failureThreshold": 720.0, "successThreshold": nil}), "readiness": 10.0,
			},
		},
		"NoReference": {
			reason: "Nothing restores a pod from a checkpoint that would have to be created.",
			body:   `{"componentType":"worker","checkpoint":{"enabled":true}}`,
			want: fields{
				"labels": fields{}, "annotations": fields{}, "env": fields{}, "security": fields{"fsGroup": 1000.0},
				"mounts": []any{shared}, "volumes": []any{sharedMemory("8Gi")},
				"startup": with(fields{}, startup, fields{"periodSeconds": 10.0, "failureThreshold": 720.0, "successThreshold": nil}), "readiness": 10.0,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := withCheckpoint(t, tc.body, tc.checkpoint, tc.restore)
			got := fields{
				"labels": ofSnapshots(template.Labels), "annotations": ofSnapshots(template.Annotations), "env": ofSnapshots(values(main(template).Env)),
				"security": tree(t, template.Spec.SecurityContext),
				"mounts":   tree(t, main(template).VolumeMounts), "volumes": tree(t, template.Spec.Volumes),
				"startup": tree(t, main(template).StartupProbe), "readiness": float64(main(template).ReadinessProbe.PeriodSeconds),
			}
			if startup, ok := tc.want["startup"].(fields); ok && startup["successThreshold"] == nil {
				delete(startup, "successThreshold")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			if all, one := len(main(template).Env), len(values(main(template).Env)); all != one {
				t.Errorf("%s\nBuild(...): want each variable once, got %v", tc.reason, main(template).Env)
			}
		})
	}
}

// TestRestoreByName shows what pods get of a checkpoint since v0.1.0 of the snapshot operator, whose agent refuses pods without it.
func TestRestoreByName(t *testing.T) {
	const (
		body    = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"}}`
		sidecar = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm","targetContainerName":"loader"},"extraPodSpec":{"containers":[{"name":"loader","image":"a"}]}}`
		own     = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"},"extraPodSpec":{"mainContainer":{
			"env":[{"name":"SNAPSHOT_CONTROL_DIR","value":"/own"},{"name":"SNAPSHOT_RESTORE_STANDBY","value":"0"}],"securityContext":{"runAsUser":7}}}}`
	)
	onNodes := &graphplan.Restore{SeccompProfile: "profiles/p.json"}
	profile := fields{"type": "Localhost", "localhostProfile": "profiles/p.json"}
	annotations := fields{
		"nvidia.com/dynamo-checkpoint-name": "warm", "nvidia.com/dynamo-checkpoint-startup-policy": "Immediate", "nvidia.com/restore-from": "warm",
	}
	env := fields{"SNAPSHOT_CONTROL_DIR": "/snapshot-control", "DYN_SNAPSHOT_CONTROL_DIR": "/snapshot-control", "SNAPSHOT_RESTORE_STANDBY": "1"}
	cases := map[string]struct {
		reason, body string
		release      runtime.Version
		captured     string
		restore      *graphplan.Restore
		container    int
		want         fields
	}{
		"Main": {
			reason: "The pod names its PodSnapshot, and nothing else of it has to be known.", body: body, release: "1.5.0", captured: "main", restore: onNodes,
			want: fields{"annotations": annotations, "env": env, "security": fields{"seccompProfile": profile}, "subPath": "main"},
		},
		"Earlier": {
			reason: "Programs before 1.5.0 wait by another variable.", body: body, release: "1.4.2", captured: "main", restore: onNodes,
			want: fields{"annotations": annotations, "env": with(fields{}, env, fields{"DYN_SNAPSHOT_RESTORE_STANDBY": "1"}), "security": fields{"seccompProfile": profile}, "subPath": "main"},
		},
		"Mapped": {
			reason: "A container of another name than the one that was captured is mapped.", body: sidecar, release: "1.5.0", captured: "main", container: 1,
			want: fields{
				"annotations": with(fields{}, annotations, fields{"nvidia.com/restore-container-map": "main=loader"}), "env": env, "subPath": "loader",
			},
		},
		"Own": {
			reason: "The agent refuses other values of its variables, and keeps what else the user sets.", body: own, release: "1.5.0", captured: "main", restore: onNodes,
			want: fields{"annotations": annotations, "env": env, "security": fields{"runAsUser": 7.0, "seccompProfile": profile}, "subPath": "main"},
		},
	}
	gate := fields{
		"exec": fields{"command": []any{"cat", "/snapshot-control/restore-complete"}}, "timeoutSeconds": 1.0, "periodSeconds": 1.0,
		"successThreshold": 1.0, "failureThreshold": 1800.0,
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := restoredIn(t, tc.release, tc.body, &graphplan.Checkpoint{Name: "warm", Captured: tc.captured, Ready: true, Restores: true}, tc.restore)
			c := template.Spec.Containers[tc.container]
			got := fields{"annotations": ofSnapshots(template.Annotations), "env": ofSnapshots(values(c.Env))}
			if c.SecurityContext != nil {
				got["security"] = tree(t, c.SecurityContext)
			}
			for _, m := range c.VolumeMounts {
				if m.Name == "snapshot-control" && m.MountPath == "/snapshot-control" {
					got["subPath"] = m.SubPath
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(any(gate), tree(t, c.StartupProbe)); diff != "" {
				t.Errorf("%s\nBuild(...): startup probe: -want, +got:\n%s", tc.reason, diff)
			}
			if labels := ofSnapshots(template.Labels); len(labels) > 0 {
				t.Errorf("%s\nBuild(...): want no labels of earlier releases, got %v", tc.reason, labels)
			}
			live := LiveCheckpoint(&corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: template.Annotations}, Spec: template.Spec})
			if diff := cmp.Diff(&graphplan.Checkpoint{Name: "warm", Captured: tc.captured}, live); diff != "" {
				t.Errorf("%s\nLiveCheckpoint(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRestoreReadiness shows whose readiness is checked each second.
func TestRestoreReadiness(t *testing.T) {
	restored := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Restores: true}
	cases := map[string]struct {
		reason string
		kind   string
		want   int32
	}{
		"Worker":   {reason: "A worker that is restored is ready within seconds.", kind: "worker", want: 1},
		"Frontend": {reason: "Other components keep the period of their probe, as with the Dynamo operator.", kind: "frontend", want: 7},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := withCheckpoint(t, `{"componentType":"`+tc.kind+`","checkpoint":{"enabled":true,"checkpointRef":"warm"},
				"readinessProbe":{"tcpSocket":{"port":1},"periodSeconds":7}}`, restored, nil)
			if got := main(template).ReadinessProbe.PeriodSeconds; got != tc.want {
				t.Errorf("%s\nBuild(...): want a check each %d seconds, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// ofSnapshots are the entries about checkpoints.
func ofSnapshots(all map[string]string) fields {
	found := fields{}
	for key, value := range all {
		if strings.Contains(strings.ToLower(key), "snapshot") || strings.Contains(key, "checkpoint") || strings.Contains(key, "restore-") {
			found[key] = value
		}
	}
	return found
}

// TestRestoreTarget shows that a container beside the main one can be restored, and by what it is known that it has been.
func TestRestoreTarget(t *testing.T) {
	const body = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm","targetContainerName":"engine"},
		"extraPodSpec":{"containers":[{"name":"engine","image":"a"}]}}`
	restored := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Restores: true}
	cases := map[string]struct {
		reason, body string
		want         any
	}{
		"NoProbe": {
			reason: "The agent writes a file when it has restored a container that has no probe.", body: body,
			want: fields{"exec": fields{"command": []any{"cat", "/snapshot-control/restore-complete"}}, "timeoutSeconds": 1.0, "periodSeconds": 1.0, "successThreshold": 1.0, "failureThreshold": 1800.0},
		},
		"TwoProbes": {
			reason: "A container that lives has been restored, and may be ready only later.",
			body:   strings.Replace(body, `"image":"a"`, `"image":"a","livenessProbe":{"tcpSocket":{"port":1}},"readinessProbe":{"tcpSocket":{"port":2}}`, 1),
			want:   fields{"tcpSocket": fields{"port": 1.0}, "periodSeconds": 1.0, "successThreshold": 1.0, "failureThreshold": 1800.0},
		},
		"OtherProbe": {
			reason: "A container that answers a probe has been restored.", body: strings.Replace(body, `"image":"a"`, `"image":"a","readinessProbe":{"tcpSocket":{"port":1},"initialDelaySeconds":60}`, 1),
			want: fields{"tcpSocket": fields{"port": 1.0}, "periodSeconds": 1.0, "successThreshold": 1.0, "failureThreshold": 1800.0},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := withCheckpoint(t, tc.body, restored, nil)
			if diff := cmp.Diff(tc.want, tree(t, template.Spec.Containers[1].StartupProbe)); diff != "" {
				t.Errorf("%s\nBuild(...) startup probe: -want, +got:\n%s", tc.reason, diff)
			}
			if got := template.Annotations["nvidia.com/snapshot-target-containers"]; got != "engine" || hasEnv(main(template).Env, "DYN_SNAPSHOT_RESTORE_STANDBY") {
				t.Errorf("%s\nBuild(...): want container engine alone to be restored, got %q", tc.reason, got)
			}
		})
	}
}

// TestBuildCold shows how pods start that were built before their checkpoint was ready.
func TestBuildCold(t *testing.T) {
	const body = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"}}`
	b := planned(decodeComponent(t, body), graphplan.Component{Checkpoint: &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Restores: true}})
	got, ok := b.BuildCold("S")
	if diff := cmp.Diff(withCheckpoint(t, body, nil, nil).Spec.Containers[0].StartupProbe, main(got).StartupProbe); !ok || diff != "" {
		t.Errorf("BuildCold(...): want the pod of a checkpoint that is not ready, got %t; startup probe: -want, +got:\n%s", ok, diff)
	}
	if !restores(b.component("S")) {
		t.Error("BuildCold(...) changes the plan")
	}
	b.Plan.Components = map[string]graphplan.Component{}
	if _, ok := b.BuildCold("S"); ok {
		t.Error("BuildCold(...): want no other pod for a service that starts cold, got one")
	}
}

// TestLiveCheckpoint shows which checkpoint is read from pods that run.
func TestLiveCheckpoint(t *testing.T) {
	const body = `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"}}`
	cases := map[string]struct {
		reason     string
		checkpoint *graphplan.Checkpoint
		want       *graphplan.Checkpoint
	}{
		"Restored": {
			reason: "What was built is read again.", checkpoint: &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "2", Restores: true},
			want: &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "2"},
		},
		"Cold": {reason: "Pods that started cold are restored from nothing.", checkpoint: &graphplan.Checkpoint{Name: "warm", ID: "a1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			built := withCheckpoint(t, body, tc.checkpoint, nil)
			got := LiveCheckpoint(&built)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nLiveCheckpoint(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSnapshotMarks shows that nothing that a user writes makes the agent of the snapshot operator restore or store a pod: it finds what is stored by
// its ID alone, whoever has stored it.
func TestSnapshotMarks(t *testing.T) {
	const marks = `{"nvidia.com/snapshot-is-restore-target":"true","nvidia.com/snapshot-checkpoint-id":"theirs",` +
		`"nvidia.com/snapshot-is-checkpoint-source":"true","nvidia.com/snapshot-capture-eligible":"true","other":"a"}`
	restored := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Ready: true, Restores: true}
	cases := map[string]struct {
		reason, body string
		checkpoint   *graphplan.Checkpoint
		want         map[string]string
	}{
		"Cold":     {reason: "A pod without a checkpoint is not restored.", body: `{"componentType":"worker","labels":` + marks + `}`, want: map[string]string{"other": "a"}},
		"OfPods":   {reason: "The labels of pods are those of pods as well.", body: `{"componentType":"worker","extraPodMetadata":{"labels":` + marks + `}}`, want: map[string]string{"other": "a"}},
		"Frontend": {reason: "No pod of any type is.", body: `{"componentType":"frontend","labels":` + marks + `}`, want: map[string]string{"other": "a"}},
		"Restoring": {
			reason: "A restored pod has the ID of its own checkpoint.", checkpoint: restored,
			body: `{"componentType":"worker","checkpoint":{"enabled":true,"checkpointRef":"warm"},"labels":` + marks + `}`,
			want: map[string]string{"other": "a", "nvidia.com/snapshot-is-restore-target": "true", "nvidia.com/snapshot-checkpoint-id": "a1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for key, value := range withCheckpoint(t, tc.body, tc.checkpoint, nil).Labels {
				if strings.HasPrefix(key, "nvidia.com/snapshot-") || key == "other" {
					got[key] = value
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): labels: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTemplateMark shows that users do not say which template their pods have: SnapshotJobs are named after it.
func TestTemplateMark(t *testing.T) {
	const body = `{"componentType":"worker","extraPodMetadata":{"annotations":{"dynamo.nvidia.com/checkpoint-template":"mine","other":"a"}}}`
	annotations := withCheckpoint(t, body, nil, nil).Annotations
	if got, ok := annotations[templateKey]; ok || annotations["other"] != "a" {
		t.Errorf("Build(...): want no hash of the template, and other annotations, got %q and %v", got, annotations)
	}
}
