package readiness

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// TestCondition holds that condition ServicesReady says what the Dynamo operator says in its condition Ready.
func TestCondition(t *testing.T) {
	waits := func(reason string, messages ...string) workload.Workload {
		return workload.Workload{Waiting: messages, Reason: reason}
	}
	onGrove := func(components map[string]workload.Workload) func(*Readiness) {
		return func(r *Readiness) {
			r.AddComponents("llama", components)
			r.Add(health.Health{}, "", "PodCliqueSet llama")
		}
	}
	add := func(h health.Health, component, name string) func(*Readiness) {
		return func(r *Readiness) { r.Add(h, component, name) }
	}
	const some = "some_resources_are_not_ready"
	cases := map[string]struct {
		reason  string
		parts   []func(*Readiness)
		because string
		message string
	}{
		"Ready": {
			reason: "A graph is ready with everything in it, and what might explain something explains nothing.",
			parts: []func(*Readiness){
				add(health.Health{Ready: true}, "Frontend", "Deployment llama-frontend"), add(health.Health{Ready: true, Note: "is not bound to a volume yet"}, "", "PersistentVolumeClaim cache"),
			},
			because: "all_resources_are_ready", message: "All resources are ready",
		},
		"OneReason": {
			reason: "Services on Grove that wait for the same make a reason of it.",
			parts: []func(*Readiness){onGrove(map[string]workload.Workload{
				"Worker": waits("insufficient_capacity", "schedule-gated replicas: 2"), "Decode": waits("insufficient_capacity", "schedule-gated replicas: 1"), "Frontend": {Ready: true},
			})},
			because: "insufficient_capacity", message: "Resources not ready: llama: Decode: schedule-gated replicas: 1; Worker: schedule-gated replicas: 2",
		},
		"Mixed": {
			reason: "Services on Grove that wait for different things are mixed.",
			parts: []func(*Readiness){onGrove(map[string]workload.Workload{
				"Worker": waits("pods_not_ready", "scheduled but ready=0/2"), "Decode": waits("insufficient_capacity", "schedule-gated replicas: 1"),
			})},
			because: "mixed_not_ready_reasons", message: "Resources not ready: llama: Decode: schedule-gated replicas: 1; Worker: scheduled but ready=0/2",
		},
		"SetRolls": {
			reason: "A rolling update of a PodCliqueSet whose services all look ready is an update.",
			parts: []func(*Readiness){
				func(r *Readiness) { r.AddComponents("llama", map[string]workload.Workload{"Worker": {Ready: true}}) },
				add(health.Health{Message: "a rolling update is in progress", Reason: "updating"}, "", "PodCliqueSet llama"),
			},
			because: "updating", message: "Resources not ready: PodCliqueSet llama: a rolling update is in progress",
		},
		"ServicesFirst": {
			reason: "The reason is that of the services, whatever else is not ready, and they come first.",
			parts: []func(*Readiness){
				onGrove(map[string]workload.Workload{"Worker": waits("pods_not_ready", "scheduled but ready=0/2")}),
				add(health.Health{Message: "not created yet"}, "", "ConfigMap a"),
				add(health.Health{Ready: true, Note: "is not bound to a volume yet"}, "", "PersistentVolumeClaim cache"),
			},
			because: "pods_not_ready",
			message: "Resources not ready: llama: Worker: scheduled but ready=0/2; ConfigMap a: not created yet; PersistentVolumeClaim cache: is not bound to a volume yet",
		},
		"OtherObject": {
			reason:  "What is not ready beside the services has no reason of its own.",
			parts:   []func(*Readiness){add(health.Health{Message: "not created yet"}, "", "Service llama-frontend")},
			because: some, message: "Resources not ready: Service llama-frontend: not created yet",
		},
		"Rolling": {
			reason: "A rolling update without Grove is the reason, whatever else is not ready.",
			parts: []func(*Readiness){
				add(health.Health{Message: "not created yet", Reason: some}, "Frontend", "Deployment llama-frontend"),
				func(r *Readiness) {
					r.AddComponent("Worker", "1 of 2 replicas have the new pod template", "rolling_update_in_progress")
				},
			},
			because: "rolling_update_in_progress",
			message: "Rolling update in progress: Frontend: Deployment llama-frontend: not created yet; Worker: 1 of 2 replicas have the new pod template",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Readiness{}
			for _, part := range tc.parts {
				part(r)
			}
			want := condition.Observed{Type: "ServicesReady", Status: "False", Reason: tc.because, Message: tc.message}
			if r.Ready() {
				want.Status = "True"
			}
			if diff := cmp.Diff(want, r.Condition(&fnv1.RunFunctionRequest{})); diff != "" {
				t.Errorf("%s\nCondition(...): -want, +got:\n%s", tc.reason, diff)
			}
			unresponsive := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{
				Resource: resource.MustStructJSON(`{"status":{"conditions":[{"type":"Responsive","status":"False"}]}}`),
			}}}
			want.Message += "; " + EventsDropped
			if diff := cmp.Diff(want, r.Condition(unresponsive)); diff != "" {
				t.Errorf("%s\nCondition(...) while events are dropped: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	const message = "Resources not ready: llama: Decode: desired=2, updated=1 (PodClique llama-0-decode); Worker: schedule-gated replicas: 1 (PodClique llama-0-worker)"
	for component, want := range map[string]bool{"Decode": true, "Worker": true, "code": false, "Frontend": false} {
		if got := Names(message, component); got != want {
			t.Errorf("Names(..., %q): want %t, got %t", component, want, got)
		}
	}
}

func TestReadyOf(t *testing.T) {
	up, down := workload.Workload{Ready: true}, workload.Workload{Waiting: []string{"scheduled but ready=0/1"}}
	cases := map[string]struct {
		reason     string
		components map[string]workload.Workload
		add        func(*Readiness)
		want       string
	}{
		"All": {
			reason: "Services that are ready are counted.", components: map[string]workload.Workload{"Frontend": up, "Worker": up},
			add: func(r *Readiness) { r.Add(health.Health{Ready: true}, "Frontend", "Deployment llama-frontend") }, want: "2/2",
		},
		"Some": {
			reason: "A service whose replicas are not ready is not.", components: map[string]workload.Workload{"Frontend": up, "Worker": down},
			add: func(r *Readiness) { r.Add(health.Health{}, "Worker", "Deployment llama-worker") }, want: "1/2",
		},
		"Edited": {
			reason: "A service whose object is not yet what the user asks for is not ready, although its replicas are.", components: map[string]workload.Workload{"Frontend": up},
			add: func(r *Readiness) { r.Add(health.Health{}, "Frontend", "Deployment llama-frontend") }, want: "0/1",
		},
		"Rolling": {
			reason: "A service whose rollout is under way is not ready.", components: map[string]workload.Workload{"Frontend": up, "Worker": up},
			add: func(r *Readiness) { r.AddComponent("Worker", "1 of 2 replicas have the new pod template", "updating") }, want: "1/2",
		},
		"SomethingElse": {
			reason: "Other objects of the graph are no components.", components: map[string]workload.Workload{"Frontend": up},
			add: func(r *Readiness) { r.Add(health.Health{}, "", "PersistentVolumeClaim cache") }, want: "1/1",
		},
		"NotKnown": {
			reason: "All services of a PodCliqueSet that is ready are ready, although its children are not known.", components: map[string]workload.Workload{"Frontend": down},
			add: func(*Readiness) {}, want: "1/1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Readiness{}
			tc.add(r)
			if got := r.ReadyOf(tc.components); got != tc.want {
				t.Errorf("%s\nReadyOf(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
