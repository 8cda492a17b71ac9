package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

const (
	createsCheckpoint = `{"componentType":"worker","checkpoint":{"enabled":true},"extraPodSpec":{"mainContainer":{"image":"a"}}}`
	templateKey       = "dynamo.nvidia.com/checkpoint-template"
)

// TestRestoreStored shows which pods are restored from what their graph has had stored.
func TestRestoreStored(t *testing.T) {
	build := func(body string, stored ...graphplan.StoredTemplate) corev1.PodTemplateSpec {
		return withCheckpoint(t, body, &graphplan.Checkpoint{Creates: true, Stored: stored}, nil)
	}
	hash := build(createsCheckpoint).Annotations[templateKey]
	otherImage := `{"componentType":"worker","checkpoint":{"enabled":true},"extraPodSpec":{"mainContainer":{"image":"b"}}}`
	cases := map[string]struct {
		reason, body string
		stored       []graphplan.StoredTemplate
		want         string
	}{
		"Nothing": {reason: "Pods start cold before anything is stored.", body: createsCheckpoint},
		"Same": {
			reason: "Pods with the template that is stored are restored from it.", body: createsCheckpoint,
			stored: []graphplan.StoredTemplate{{Template: "other", PodSnapshot: "no"}, {Template: hash, PodSnapshot: "warm"}}, want: "warm",
		},
		"Changed": {
			reason: "Pods with another image start cold, because another process is stored.", body: otherImage,
			stored: []graphplan.StoredTemplate{{Template: hash, PodSnapshot: "warm"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := build(tc.body, tc.stored...)
			if diff := cmp.Diff(tc.want, got.Annotations["nvidia.com/restore-from"]); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			if same := got.Annotations[templateKey] == hash; same != (tc.body == createsCheckpoint) {
				t.Errorf("%s\nBuild(...): want the hash of the template only for it, got %s", tc.reason, got.Annotations[templateKey])
			}
			if standby := values(main(got).Env)["SNAPSHOT_RESTORE_STANDBY"]; (standby == "1") != (tc.want != "") {
				t.Errorf("%s\nBuild(...): want a program that waits only if it is restored, got %q", tc.reason, standby)
			}
		})
	}
}

// TestRestoreStoredAfterRestart shows that a restart, which restores pods, is not another template.
func TestRestoreStoredAfterRestart(t *testing.T) {
	b := planned(decodeComponent(t, createsCheckpoint), graphplan.Component{Discovery: "etcd", Checkpoint: &graphplan.Checkpoint{Creates: true}})
	before := b.Build("S", backend.RoleMain, nil).Annotations[templateKey]
	b.Plan.Restart = &graphplan.Restart{ID: "1", Marks: map[string][]graphplan.RestartMark{"S": {{At: "1"}}}}
	restarted := b.Build("S", backend.RoleMain, nil)
	if restarted.Annotations["nvidia.com/restartAt"] != "1" {
		t.Fatalf("want pods with the mark of a restart, got %v", restarted.Annotations)
	}
	if diff := cmp.Diff(before, restarted.Annotations[templateKey]); diff != "" {
		t.Errorf("Build(...): hash of the template: -before, +after the restart:\n%s", diff)
	}
}

// TestStoredPod shows the pod whose state is stored, which is the same for pods that start cold and for those that are restored.
func TestStoredPod(t *testing.T) {
	build := func(stored ...graphplan.StoredTemplate) corev1.PodTemplateSpec {
		template := withCheckpoint(t, createsCheckpoint, &graphplan.Checkpoint{Creates: true, Stored: stored}, nil)
		for _, key := range append(metadata.QueueKeys(), metadata.LabelKAINodePool) {
			template.Labels[key] = "dynamo"
		}
		return template
	}
	g := decodeComponent(t, createsCheckpoint)
	cold := build()
	restored := build(graphplan.StoredTemplate{Template: cold.Annotations[templateKey], PodSnapshot: "warm"})
	got := StoredPod(g.Component("S"), &cold)
	if diff := cmp.Diff(got, StoredPod(g.Component("S"), &restored)); diff != "" {
		t.Errorf("StoredPod(...): -of pods that start cold, +of restored pods:\n%s", diff)
	}
	want := map[string]string{"nvidia.com/dynamo-component": "S", "nvidia.com/dynamo-graph-deployment-name": "llama"}
	for _, key := range append(metadata.QueueKeys(), metadata.LabelKAINodePool) {
		want[key] = "dynamo"
	}
	if diff := cmp.Diff(want, got.Labels); diff != "" {
		t.Errorf("StoredPod(...): labels by which nothing sends requests to the pod, and all of its queue: -want, +got:\n%s", diff)
	}
	container := got.Spec.Containers[0]
	if container.StartupProbe != nil || container.LivenessProbe != nil || container.ReadinessProbe != nil || got.Spec.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("StoredPod(...): want a pod that runs once and is not checked, got %v, restart policy %s", container, got.Spec.RestartPolicy)
	}
	if len(cold.Spec.Containers[0].Env) != len(container.Env) {
		t.Errorf("StoredPod(...): want the variables of pods that start cold, got %v", container.Env)
	}
}
