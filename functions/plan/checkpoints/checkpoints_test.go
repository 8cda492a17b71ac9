package checkpoints_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// checkpointed is a graph of a worker that refers to checkpoint warm, with changes.
func checkpointed(policy v1alpha1.CheckpointStartupPolicy, changes ...plantest.GraphChange) *v1alpha1.DynamoGraphDeployment {
	refers := func(s *v1alpha1.Service) {
		s.Checkpoint = &v1alpha1.Checkpoint{Enabled: true, CheckpointRef: new("warm"), StartupPolicy: policy}
	}
	return plantest.Graph(append([]plantest.GraphChange{plantest.Worker, plantest.Changed("Worker", refers)}, changes...)...)
}

// podSnapshot warm with the ID of its state, and the status of a condition.
func podSnapshot(id, condition, status string) map[string]any {
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
			plantest.WithoutObject("podsnapshot-warm")(req)
			return
		}
		plantest.WithObject("podsnapshot-warm", object)(req)
	}
}

// withSnapshotAPI delivers which kinds of the snapshot operator are served. Only releases since v0.1.0 serve jobs.
func withSnapshotAPI(snapshots, jobs bool) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		plantest.WithSchemaOf("schema-podsnapshot", snapshots)(req)
		plantest.WithSchemaOf("schema-snapshotjob", jobs)(req)
	}
}

// capturedOf containers is PodSnapshot warm of v0.1.0 of the snapshot operator, which is ready.
func capturedOf(containers ...any) any {
	object := podSnapshot("", "Ready", "True")
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

const onWorker = "spec.components[Worker].experimental.checkpoint"

// warned of fields.
func warned(fields ...string) []plantest.Said { return plantest.Warned(rule.Checkpoints, fields...) }

// TestCheckpoints shows from which checkpoints pods are restored, and what users are told otherwise.
func TestCheckpoints(t *testing.T) {
	type result struct {
		Checkpoint *graphplan.Checkpoint
		Restore    *graphplan.Restore
		Said       []plantest.Said
	}
	type checkpointCase struct {
		reason string
		xr     *v1alpha1.DynamoGraphDeployment
		with   []plantest.RequestOption
		want   result
	}
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
	whole.Table(t, whole.Rows(map[string]checkpointCase{
		"Ready": {
			reason: "Pods are restored from a checkpoint that is ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True"))},
			want: result{Checkpoint: ready, Restore: byDefault},
		},
		"ReadyAndWaiting": {
			reason: "Nothing waits for a checkpoint that is ready.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True"))},
			want: result{Checkpoint: ready, Restore: byDefault},
		},
		"Settings": {
			reason: "The platform says how pods are restored, and does not need to have the kind detected.",
			xr:     checkpointed(""), with: []plantest.RequestOption{
				plantest.WithoutCapabilities(), plantest.WithObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True")),
				input(inputv1alpha1.Checkpoints{Mode: "Enabled", SeccompProfile: new(""), Storage: &inputv1alpha1.CheckpointStorage{ClaimName: "c", BasePath: "/b/"}}),
			},
			want: result{Checkpoint: ready, Restore: &graphplan.Restore{ClaimName: "c", BasePath: "/b"}},
		},
		"Storing": {
			reason: "Pods that do not wait start cold while the checkpoint is not ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False"))},
			want: result{Checkpoint: storing, Restore: byDefault, Said: warned(onWorker)},
		},
		"Failed": {
			reason: "A checkpoint that failed never becomes ready.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Failed", "True"))},
			want: result{Checkpoint: storing, Restore: byDefault, Said: warned(onWorker)},
		},
		"Nameless": {
			reason: "Nobody finds a state without its ID.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("", "Ready", "True"))},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"Unreadable": {
			reason: "A PodSnapshot that cannot be read is named.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(map[string]any{"kind": "PodSnapshot", "metadata": "none"})},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"NotFound": {
			reason: "A new graph must refer to a checkpoint that exists.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(nil)},
			want: result{Said: plantest.Refused(subject.Mistake, rule.Checkpoints, "spec.components[Worker].experimental.checkpoint.checkpointRef")},
		},
		"WaitsForCreation": {
			reason: "A new graph may wait for a checkpoint that does not exist yet.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil)},
			want: result{Said: plantest.Refused(subject.AwaitsCheckpoint, rule.Checkpoints, onWorker)},
		},
		"WaitsForReadiness": {
			reason: "A new graph may wait for a checkpoint that is not ready yet.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False"))},
			want: result{Said: plantest.Refused(subject.AwaitsCheckpoint, rule.Checkpoints, onWorker)},
		},
		"Named": {
			reason: "Since v0.1.0 of the snapshot operator, pods name their PodSnapshot, which says what was captured.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), plantest.WithObject("podsnapshot-warm", capturedOf("engine"))},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "engine", Ready: true, Restores: true}, Restore: byDefault},
		},
		"NamedByInput": {
			reason: "The platform may say which release of the snapshot operator it has.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				plantest.WithSchemaOf("schema-podsnapshot", true), input(inputv1alpha1.Checkpoints{Contract: "v0.1.0"}), plantest.WithObject("podsnapshot-warm", capturedOf("main")),
			},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "main", Ready: true, Restores: true}, Restore: byDefault},
		},
		"LabelledByInput": {
			reason: "The platform may have an agent that still finds pods by the ID of what is stored.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				plantest.WithSchemaOf("schema-podsnapshot", true), input(inputv1alpha1.Checkpoints{Contract: "v0.1.0-alpha.1"}), plantest.WithObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True")),
			},
			want: result{Checkpoint: ready, Restore: byDefault},
		},
		"NamedWithoutLookup": {
			reason: "Where nothing can be looked up, the latest release is assumed, unless the platform has storage that only earlier ones need.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{
				plantest.WithoutCapabilities(), plantest.WithObject("podsnapshot-warm", capturedOf("main")), input(inputv1alpha1.Checkpoints{Mode: "Enabled"}),
			},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "main", Ready: true, Restores: true}, Restore: byDefault},
		},
		"NamedOfNothing": {
			reason: "What an earlier release has stored cannot be restored.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), plantest.WithObject("podsnapshot-warm", podSnapshot("a1", "Ready", "True"))},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveNamed": {
			reason: "Pods that name their PodSnapshot stay so when it is deleted.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(true, true), plantest.WithoutObject("podsnapshot-warm"), restoredByName("loader")},
			want: result{Checkpoint: &graphplan.Checkpoint{Name: "warm", Captured: "loader", Restores: true}, Restore: byDefault, Said: warned(onWorker)},
		},
		"NotInstalled": {
			reason: "Without the agent, no checkpoint ever becomes ready, so nothing waits for it.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshotAPI(false, false)},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"Unknown": {
			reason: "A caller that cannot tell must not be made to fail on a kind that is not there.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{plantest.WithoutCapabilities()},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"Disabled": {
			reason: "The platform can turn checkpoints off.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{input(inputv1alpha1.Checkpoints{Mode: "Disabled"})},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveChanged": {
			reason: "Pods that their user changes are restored from what is ready now.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "True")), runningPods("a0")},
			want: result{Checkpoint: ready, Restore: byDefault},
		},
		"LiveDeleted": {
			reason: "Pods that are restored stay so when their checkpoint is deleted.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("a0")},
			want: result{Checkpoint: live, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveNotInstalled": {
			reason: "Pods that are restored stay so when the snapshot operator is removed.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshotAPI(false, false), runningPods("a0")},
			want: result{Checkpoint: live, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveDisabled": {
			reason: "Pods that are restored stay so when the platform turns checkpoints off, and only the platform can help.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{input(inputv1alpha1.Checkpoints{Mode: "Disabled"}), runningPods("a0")},
			want: result{Checkpoint: live, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveOther": {
			reason: "What is kept is the checkpoint of the graph, and not another one from which its pods were restored before.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(podSnapshot("a1", "Ready", "False")), runningPodsOf("other", "a0")},
			want: result{Checkpoint: storing, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveColdNotFound": {
			reason: "A live graph is not refused for a checkpoint that is gone.",
			xr:     checkpointed("Immediate"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveColdWaiting": {
			reason: "Pods that started cold before anything could wait continue to run.",
			xr:     checkpointed("WaitForCheckpoint"), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Checkpoint: unknown, Restore: byDefault, Said: warned(onWorker)},
		},
		"LiveColdChanged": {
			reason: "A change by which pods wait for a checkpoint is only applied when it is ready.",
			xr:     checkpointed("WaitForCheckpoint", changed), with: []plantest.RequestOption{withSnapshots(nil), runningPods("")},
			want: result{Said: plantest.Refused(subject.AwaitsCheckpoint, rule.Checkpoints, onWorker)},
		},
	}, func(tc checkpointCase) whole.Row[result] {
		return whole.Row[result]{Reason: tc.reason, Request: plantest.Request(tc.xr, append([]plantest.RequestOption{plantest.WithGroups()}, tc.with...)...), Want: tc.want}
	}), func(of *whole.Outcome) result {
		out := result{Said: of.Said}
		if of.Plan != nil {
			out.Checkpoint, out.Restore = of.Plan.Components["Worker"].Checkpoint, of.Plan.Restore
		}
		return out
	})
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
			rsp := whole.Run(t, plantest.Request(tc.xr, plantest.WithGroups(), tc.with)).Response
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

// creating is a graph of a worker whose checkpoint is created for it, with changes.
func creating(changes ...plantest.ComponentChange) *v1alpha1.DynamoGraphDeployment {
	all := append([]plantest.ComponentChange{func(s *v1alpha1.Service) { s.Checkpoint = &v1alpha1.Checkpoint{Enabled: true} }}, changes...)
	return plantest.Graph(plantest.Worker, plantest.Changed("Worker", all...))
}

// withJob observes a SnapshotJob of the worker with a condition.
func withJob(condition, reason string) plantest.RequestOption {
	return plantest.WithObserved("snapshotjob-worker-0123456789", map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "SnapshotJob",
		"metadata": metav1.ObjectMeta{
			Name: "checkpoint-0123456789", Namespace: "inference", Labels: map[string]string{"nvidia.com/dynamo-component": "Worker"},
			Annotations: map[string]string{"dynamo.nvidia.com/checkpoint-template": "h1"},
		},
		"spec":   map[string]any{"podTemplate": map[string]any{}, "podSnapshotTemplate": map[string]any{"targetContainers": []any{"main"}}},
		"status": map[string]any{"podSnapshotName": "warm", "conditions": []any{map[string]any{"type": condition, "status": "True", "reason": reason, "message": "No room."}}},
	})
}

// withStoredPods observes pods of the worker that have a template.
func withStoredPods(template string) plantest.RequestOption {
	return plantest.WithObserved("deployment-worker", map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metav1.ObjectMeta{Name: "llama-worker", Namespace: "inference"},
		"spec": map[string]any{"template": corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"dynamo.nvidia.com/checkpoint-template": template}}}},
	})
}

// TestCreatedCheckpoints shows what is known of checkpoints that graphs create, and what users are told.
func TestCreatedCheckpoints(t *testing.T) {
	type result struct {
		Checkpoint *graphplan.Checkpoint
		Said       []plantest.Said
	}
	type createdCase struct {
		reason string
		xr     *v1alpha1.DynamoGraphDeployment
		with   []plantest.RequestOption
		want   *graphplan.Checkpoint
		said   []plantest.Said
	}
	creates := &graphplan.Checkpoint{Creates: true}
	whole.Table(t, whole.Rows(map[string]createdCase{
		"New": {
			reason: "The state of the pods is to be stored.", xr: creating(), with: []plantest.RequestOption{withSnapshotAPI(true, true)}, want: creates,
		},
		"Running": {
			reason: "Nothing is restored from what is not stored yet.", xr: creating(),
			with: []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Running", "PodReady")}, want: creates,
		},
		"Completed": {
			reason: "Pods with the same template are restored from what is stored.", xr: creating(),
			with: []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Completed", "CaptureCompleted"), plantest.WithObject("podsnapshot-warm", capturedOf("main"))},
			want: &graphplan.Checkpoint{Creates: true, Stored: []graphplan.StoredTemplate{{Template: "h1", PodSnapshot: "warm"}}},
		},
		"Deleted": {
			reason: "What was stored and is gone is told, with the way back.", xr: creating(),
			with: []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Completed", "CaptureCompleted"), plantest.WithoutObject("podsnapshot-warm"), withStoredPods("h1")},
			want: creates,
			said: warned(onWorker),
		},
		"DeletedOfEarlier": {
			reason: "Nobody misses what was stored of pods that no longer run.", xr: creating(),
			with: []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Completed", "CaptureCompleted"), plantest.WithoutObject("podsnapshot-warm"), withStoredPods("h2")},
			want: creates,
		},
		"Failed": {
			reason: "A job that failed is not repeated by itself.", xr: creating(),
			with: []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Failed", "DeadlineExceeded")}, want: creates,
			said: warned(onWorker),
		},
		"Earlier": {
			reason: "Earlier releases of the snapshot operator have no jobs.", xr: creating(), with: []plantest.RequestOption{withSnapshotAPI(true, false)},
			said: warned(onWorker),
		},
		"NotInstalled": {
			reason: "Without the snapshot operator nothing is stored.", xr: creating(), with: []plantest.RequestOption{withSnapshotAPI(false, false)},
			said: warned(onWorker),
		},
		"Multinode": {
			reason: "A job stores the state of one pod.", xr: creating(func(s *v1alpha1.Service) { s.Multinode = &v1alpha1.Multinode{NodeCount: 2} }, plantest.WithArgs("--model", "m", "--tensor-parallel-size", "2")),
			with: []plantest.RequestOption{plantest.WithGroups("grove"), withSnapshotAPI(true, true)},
			said: warned(onWorker),
		},
		"Awaited": {
			reason: "New pods wait for the state that is stored of a pod like them.",
			xr:     creating(func(s *v1alpha1.Service) { s.Checkpoint.StartupPolicy = v1alpha1.CheckpointWait }),
			with:   []plantest.RequestOption{withSnapshotAPI(true, true)}, want: creates,
			said: warned("spec.components[Worker].experimental.checkpoint.startupPolicy"),
		},
		"AwaitedLive": {
			reason: "Pods that run are not stopped.",
			xr:     creating(func(s *v1alpha1.Service) { s.Checkpoint.StartupPolicy = v1alpha1.CheckpointWait }),
			with:   []plantest.RequestOption{withSnapshotAPI(true, true), withStoredPods("h1")}, want: creates,
		},
		"AwaitedFailed": {
			reason: "What waits for a job that has failed does not start.",
			xr:     creating(func(s *v1alpha1.Service) { s.Checkpoint.StartupPolicy = v1alpha1.CheckpointWait }),
			with:   []plantest.RequestOption{withSnapshotAPI(true, true), withJob("Failed", "DeadlineExceeded")}, want: creates,
			said: warned(onWorker),
		},
		"Deprecated": {
			reason: "Earlier releases of the operator found checkpoints by what they are of.",
			xr: creating(func(s *v1alpha1.Service) {
				s.Checkpoint.Mode, s.Checkpoint.Identity = v1alpha1.CheckpointManual, &v1alpha1.CheckpointIdentity{Model: "m", BackendFramework: "vllm"}
			}),
			with: []plantest.RequestOption{withSnapshotAPI(true, true)}, want: creates,
			said: warned("spec.components[Worker].experimental.checkpoint.identity", "spec.components[Worker].experimental.checkpoint.mode"),
		},
		"Job": {
			reason: "What is stored is a pod of the service.", xr: creating(func(s *v1alpha1.Service) { s.Checkpoint.Job = &v1alpha1.CheckpointJob{} }),
			with: []plantest.RequestOption{withSnapshotAPI(true, true)}, want: creates,
			said: warned("spec.components[Worker].experimental.checkpoint.job"),
		},
	}, func(tc createdCase) whole.Row[result] {
		return whole.Row[result]{
			Reason: tc.reason, Request: plantest.Request(tc.xr, append([]plantest.RequestOption{plantest.WithGroups()}, tc.with...)...),
			Want: result{Checkpoint: tc.want, Said: tc.said},
		}
	}), func(of *whole.Outcome) result {
		return result{Checkpoint: of.Plan.Components["Worker"].Checkpoint, Said: of.Said}
	})
}
