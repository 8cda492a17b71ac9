package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// checkpointed is a graph of a worker that refers to checkpoint warm, with changes.
func checkpointed(policy v1alpha1.CheckpointStartupPolicy, changes ...plantest.GraphChange) *v1alpha1.DynamoGraphDeployment {
	refers := func(s *v1alpha1.Service) {
		s.Checkpoint = &v1alpha1.Checkpoint{Enabled: true, CheckpointRef: new("warm"), StartupPolicy: policy}
	}
	return plantest.Graph(append([]plantest.GraphChange{plantest.Worker, plantest.Changed("Worker", refers)}, changes...)...)
}

// podSnapshot warm with the ID of its state, and the status of a condition.
func podSnapshot(id, condition, status string) any {
	return map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "PodSnapshot",
		"metadata": metav1.ObjectMeta{Name: "warm", Namespace: "inference", Labels: map[string]string{"nvidia.com/snapshot-checkpoint-id": id}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": condition, "status": status}}},
	}
}

// withSnapshots delivers that PodSnapshots are served, and one of them, unless it is nil.
func withSnapshots(object any) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		withSnapshotAPI(true, false)(req)
		if object == nil {
			withoutObject("podsnapshot-warm")(req)
			return
		}
		withObject("podsnapshot-warm", object)(req)
	}
}

// withSnapshotAPI delivers which kinds of the snapshot operator are served. Only releases since v0.1.0 serve jobs.
func withSnapshotAPI(snapshots, jobs bool) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		withSchemaOf("schema-podsnapshot", snapshots)(req)
		withSchemaOf("schema-snapshotjob", jobs)(req)
	}
}

// capturedOf containers is PodSnapshot warm of v0.1.0 of the snapshot operator, with the status of condition Ready.
func capturedOf(status string, containers ...any) any {
	object := podSnapshot("", "Ready", status).(map[string]any)
	object["spec"] = map[string]any{"source": map[string]any{"podRef": map[string]any{"name": "warm-pod", "containers": containers}}}
	return object
}

// restoredByName are running pods of the worker that name their PodSnapshot.
func restoredByName(container string) plantest.RequestOption {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{
		{Name: "main"}, {Name: container, VolumeMounts: []corev1.VolumeMount{{Name: "snapshot-control"}}},
	}}}
	template.Annotations = map[string]string{"nvidia.com/restore-from": "warm"}
	return plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", template))
}

// runningPods of the worker, which are restored from checkpoint warm if they have an ID.
func runningPods(id string) plantest.RequestOption { return runningPodsOf("warm", id) }

// runningPodsOf a checkpoint.
func runningPodsOf(name, id string) plantest.RequestOption {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}}
	if id != "" {
		template.Labels = map[string]string{"nvidia.com/snapshot-checkpoint-id": id}
		template.Annotations = map[string]string{"nvidia.com/dynamo-checkpoint-name": name, "nvidia.com/snapshot-artifact-version": "2"}
	}
	return plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", template))
}

// TestCheckpoints shows from which checkpoints pods are restored, and what users are told otherwise.
func TestCheckpoints(t *testing.T) {
	type result struct {
		Checkpoint *graphplan.Checkpoint
		Restore    *graphplan.Restore
		Reason     string
		Accepted   string
	}
	const (
		at      = "spec.services[Worker].checkpoint: "
		cold    = at + "has no effect, and the pods start cold: "
		restart = "; when it is ready, set another spec.restart.id, which restarts the pods from it"
		warned  = "ValidWithWarnings"
	)
	byDefault := &graphplan.Restore{SeccompProfile: "profiles/block-iouring.json"}
	unknown := &graphplan.Checkpoint{Name: "warm"}
	ready := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1", Ready: true, Restores: true}
	storing := &graphplan.Checkpoint{Name: "warm", ID: "a1", ArtifactVersion: "1"}
	live := &graphplan.Checkpoint{Name: "warm", ID: "a0", ArtifactVersion: "2", Restores: true}
	changed := plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{Orchestrator: "Deployment", Services: map[string]v1alpha1.ServiceStatus{
		"Worker": {Revision: &v1alpha1.ServiceRevision{Written: "other"}},
	}})
	input := func(in inputv1alpha1.Checkpoints) plantest.RequestOption {
		return plantest.WithInput(inputv1alpha1.Policy{Checkpoints: in})
	}
	cases := map[string]struct {
		reason string
		xr     *v1alpha1.DynamoGraphDeployment
		with   []plantest.RequestOption
		want   result
	}{
		"Ready": {
			reason: "Pods are restored from a checkpoint that is ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True"))},
			want: result{Checkpoint: ready, Restore: byDefault, Reason: "Valid"},
		},
		"ReadyAndWaiting": {
			reason: "Nothing waits for a checkpoint that is ready.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True"))},
			want: result{Checkpoint: ready, Restore: byDefault, Reason: "Valid"},
		},
		"Settings": {
			reason: "The platform says how pods are restored, and does not need to have the kind detected.",
			xr:     checkpointed(""), with: []plantest.RequestOption{
				withoutCapabilities(), withObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True")),
				input(inputv1alpha1.Checkpoints{Mode: "Enabled", SeccompProfile: new(""), Storage: &inputv1alpha1.CheckpointStorage{ClaimName: "c", BasePath: "/b/"}}),
			},
			want: result{Checkpoint: ready, Restore: &graphplan.Restore{ClaimName: "c", BasePath: "/b"}, Reason: "Valid"},
		},
		"Storing": {
			reason: "Pods that do not wait start cold while the checkpoint is not ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False"))},
			want: result{Checkpoint: storing, Restore: byDefault, Reason: warned, Accepted: cold + "PodSnapshot warm is not ready" + restart},
		},
		"Failed": {
			reason: "A checkpoint that failed never becomes ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Failed", "True"))},
			want: result{Checkpoint: storing, Restore: byDefault, Reason: warned, Accepted: cold + "PodSnapshot warm has failed" + restart},
		},
		"Nameless": {
			reason: "Nobody finds a state without its ID.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("", "Ready", "True"))},
			want: result{
				Checkpoint: unknown, Restore: byDefault, Reason: warned,
				Accepted: cold + "PodSnapshot warm has no label nvidia.com/snapshot-checkpoint-id" + restart,
			},
		},
		"Unreadable": {
			reason: "A PodSnapshot that cannot be read is named.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(map[string]any{"kind": "PodSnapshot", "metadata": "none"})},
			want: result{
				Checkpoint: unknown, Restore: byDefault, Reason: warned,
				Accepted: cold + "cannot read PodSnapshot: metadata: Invalid value: must be an object, not a string" + restart,
			},
		},
		"NotFound": {
			reason: "A new graph must refer to a checkpoint that exists.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(nil)},
			want: result{Reason: "Invalid", Accepted: `spec.services[Worker].checkpoint.checkpointRef: Invalid value: "warm": there is no PodSnapshot of this name in the namespace of the graph; ` +
				"create the checkpoint, specify one that exists, or set startupPolicy: WaitForCheckpoint"},
		},
		"WaitsForCreation": {
			reason: "A new graph may wait for a checkpoint that does not exist yet.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil)},
			want: result{Reason: "WaitingForCheckpoint", Accepted: at + "waiting for checkpoint warm: there is no PodSnapshot warm; set startupPolicy: Immediate to start the pods cold"},
		},
		"WaitsForReadiness": {
			reason: "A new graph may wait for a checkpoint that is not ready yet.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False"))},
			want: result{Reason: "WaitingForCheckpoint", Accepted: at + "waiting for checkpoint warm: PodSnapshot warm is not ready; set startupPolicy: Immediate to start the pods cold"},
		},
		"Named": {
			reason: "Since v0.1.0 of the snapshot operator, pods name their PodSnapshot, which says what was captured.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), withObject("podsnapshot-warm", capturedOf("True", "engine"))},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "engine", Ready: true, Restores: true}, Restore: byDefault, Reason: "Valid"},
		},
		"NamedByInput": {
			reason: "The platform may say which release of the snapshot operator it has.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				withSchemaOf("schema-podsnapshot", true), input(inputv1alpha1.Checkpoints{Contract: "v0.1.0"}), withObject("podsnapshot-warm", capturedOf("True", "main")),
			},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "main", Ready: true, Restores: true}, Restore: byDefault, Reason: "Valid"},
		},
		"LabelledByInput": {
			reason: "The platform may have an agent that still finds pods by the ID of what is stored.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				withSchemaOf("schema-podsnapshot", true), input(inputv1alpha1.Checkpoints{Contract: "v0.1.0-alpha.1"}), withObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True")),
			},
			want: result{Checkpoint: ready, Restore: byDefault, Reason: "Valid"},
		},
		"NamedWithoutLookup": {
			reason: "Where nothing can be looked up, the latest release is assumed, unless the platform has storage that only earlier ones need.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				withoutCapabilities(), withObject("podsnapshot-warm", capturedOf("True", "main")), input(inputv1alpha1.Checkpoints{Mode: "Enabled"}),
			},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "main", Ready: true, Restores: true}, Restore: byDefault, Reason: "Valid"},
		},
		"NamedOfNothing": {
			reason: "What an earlier release has stored cannot be restored.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), withObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True"))},
			want: result{
				Checkpoint: unknown, Restore: byDefault, Reason: warned,
				Accepted: cold + "PodSnapshot warm does not say which container it was made of, as those of v0.1.0 of the snapshot operator do" + restart,
			},
		},
		"LiveNamed": {
			reason: "Pods that name their PodSnapshot stay so when it is deleted.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), withoutObject("podsnapshot-warm"), restoredByName("loader")},
			want: result{
				Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "loader", Restores: true}, Restore: byDefault, Reason: warned,
				Accepted: at + "there is no PodSnapshot warm, so new pods of the service may not start; create the checkpoint again, or remove checkpoint",
			},
		},
		"NotInstalled": {
			reason: "Without the agent, no checkpoint ever becomes ready, so nothing waits for it.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshotAPI(false, false)},
			want: result{
				Checkpoint: unknown, Restore: byDefault, Reason: warned,
				Accepted: cold + "the snapshot operator, whose agent restores pods, is not installed; install it, or remove checkpoint",
			},
		},
		"Unknown": {
			reason: "A caller that cannot tell must not be made to fail on a kind that is not there.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withoutCapabilities()},
			want: result{
				Checkpoint: unknown, Restore: byDefault, Reason: warned,
				Accepted: cold + "it is not known whether the snapshot operator is installed, because its schema cannot be looked up: Crossplane does so from version 2.2 on, and a render without a cluster does not; if it is installed, set checkpoints.mode: Enabled in the input of step plan, or remove checkpoint",
			},
		},
		"Disabled": {
			reason: "The platform can turn checkpoints off.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{input(inputv1alpha1.Checkpoints{Mode: "Disabled"})},
			want: result{Checkpoint: unknown, Restore: byDefault, Reason: warned, Accepted: cold + "checkpoints.mode is Disabled in the input of step plan; let the platform set it to Auto, or remove checkpoint"},
		},
		"LiveChanged": {
			reason: "Pods that their user changes are restored from what is ready now.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True")), runningPods("a0")},
			want: result{Checkpoint: ready, Restore: byDefault, Reason: "Valid"},
		},
		"LiveDeleted": {
			reason: "Pods that are restored stay so when their checkpoint is deleted.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("a0")},
			want: result{
				Checkpoint: live, Restore: byDefault, Reason: warned,
				Accepted: at + "there is no PodSnapshot warm, so new pods of the service may not start; create the checkpoint again, or remove checkpoint",
			},
		},
		"LiveNotInstalled": {
			reason: "Pods that are restored stay so when the snapshot operator is removed.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(false, false), runningPods("a0")},
			want: result{
				Checkpoint: live, Restore: byDefault, Reason: warned,
				Accepted: at + "new pods of the service may not start: the snapshot operator, whose agent restores pods, is not installed; install it, or remove checkpoint",
			},
		},
		"LiveDisabled": {
			reason: "Pods that are restored stay so when the platform turns checkpoints off, and only the platform can help.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{input(inputv1alpha1.Checkpoints{Mode: "Disabled"}), runningPods("a0")},
			want: result{
				Checkpoint: live, Restore: byDefault, Reason: warned,
				Accepted: at + "new pods of the service may not start: checkpoints.mode is Disabled in the input of step plan; let the platform set it to Auto, or remove checkpoint",
			},
		},
		"LiveOther": {
			reason: "What is kept is the checkpoint of the graph, and not another one from which its pods were restored before.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False")), runningPodsOf("other", "a0")},
			want: result{Checkpoint: storing, Restore: byDefault, Reason: warned, Accepted: cold + "PodSnapshot warm is not ready" + restart},
		},
		"LiveColdNotFound": {
			reason: "A live graph is not refused for a checkpoint that is gone.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Checkpoint: unknown, Restore: byDefault, Reason: warned, Accepted: cold + "there is no PodSnapshot warm" + restart},
		},
		"LiveColdWaiting": {
			reason: "Pods that started cold before anything could wait continue to run.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Checkpoint: unknown, Restore: byDefault, Reason: warned, Accepted: cold + "there is no PodSnapshot warm" + restart},
		},
		"LiveColdChanged": {
			reason: "A change by which pods wait for a checkpoint is only applied when it is ready.",
			xr:     checkpointed("WaitForCheckpoint", changed), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Reason: "WaitingForCheckpoint", Accepted: at + "waiting for checkpoint warm: there is no PodSnapshot warm; set startupPolicy: Immediate to start the pods cold"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := run(t, plantest.Request(tc.xr, append([]plantest.RequestOption{plantest.WithGroups()}, tc.with...)...))
			var got result
			for _, c := range rsp.GetConditions() {
				if c.GetType() == "Accepted" {
					got.Reason, got.Accepted = c.GetReason(), c.GetMessage()
				}
			}
			if rsp.GetContext() != nil {
				p := planIn(t, rsp)
				got.Checkpoint, got.Restore = p.Services["Worker"].Checkpoint, p.Restore
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckpointRequired shows that nothing is decided before a checkpoint has been looked up, and that no other graph looks up any.
func TestCheckpointRequired(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     *v1alpha1.DynamoGraphDeployment
		with   plantest.RequestOption
		want   string
	}{
		"Schema":   {reason: "First it is looked up whether there are the kinds.", xr: checkpointed(""), with: func(*fnv1.RunFunctionRequest) {}},
		"Snapshot": {reason: "Then the checkpoint is.", xr: checkpointed(""), with: withSnapshotAPI(true, false), want: "nvidia.com/v1alpha1 PodSnapshot inference/warm"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := run(t, plantest.Request(tc.xr, plantest.WithGroups(), tc.with))
			var got string
			if s := rsp.GetRequirements().GetResources()["podsnapshot-warm"]; s != nil {
				got = s.GetApiVersion() + " " + s.GetKind() + " " + s.GetNamespace() + "/" + s.GetMatchName()
			}
			if schemas := rsp.GetRequirements().GetSchemas(); len(schemas) != 2 || rsp.GetContext() != nil || got != tc.want {
				t.Errorf("%s\nRunFunction(...): want two schemas, no context and %q, got %v, %v and %q", tc.reason, tc.want, schemas, rsp.GetContext(), got)
			}
		})
	}
}
