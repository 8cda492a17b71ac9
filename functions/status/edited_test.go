package status

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

func TestEdited(t *testing.T) {
	// deployment is an available Deployment whose pods have this image. The API server sets its default number of replicas.
	deployment := func(image string) *appsv1.Deployment {
		d := frontendOf(1, 1, available())
		d.Spec.Replicas = nil
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: image}}
		return d
	}
	// completed is a Deployment with the defaults of the API server.
	completed := deployment("a")
	completed.Spec.Replicas = new(int32(1))
	completed.Spec.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullAlways
	cases := map[string]struct {
		reason string
		// seen is the generation in the status of the graph, whose generation is 3. If it is 0, there is no status.
		seen              int64
		desired, observed *appsv1.Deployment
		want              bool
	}{
		"Changed": {
			reason: "The running pods are ready, but they are not what the user now requests.", seen: 2,
			desired: deployment("b"), observed: deployment("a"),
		},
		"ToldByItsController": {
			reason: "After the run that has applied the object, its controller reports whether it has processed the change.", seen: 3,
			desired: deployment("b"), observed: deployment("a"), want: true,
		},
		"FirstStatus": {
			reason:  "A graph without a status has not been edited.",
			desired: deployment("b"), observed: deployment("a"), want: true,
		},
		"SomethingElseChanged": {
			reason: "An edit that does not reach a workload leaves it ready, whatever servers have added to it.", seen: 2,
			desired: deployment("a"), observed: completed, want: true,
		},
		"EditTakenBack": {
			reason: "A spec that was refused and then corrected to what runs is ready at once.", seen: 1,
			desired: deployment("a"), observed: deployment("a"), want: true,
		},
		"Rewritten": {
			reason: "What an admission webhook rewrites holds up no more than the first run after an edit.", seen: 3,
			desired: deployment("a"), observed: deployment("mirror/a"), want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := with(request(onLWS()), "deployment-frontend", tc.desired, tc.observed)
			if tc.seen > 0 {
				before(req, v1alpha1.DynamoGraphDeploymentStatus{ObservedGeneration: tc.seen})
			}
			rsp := run(t, req)
			if got := slices.ContainsFunc(rsp.GetConditions(), isReady); got != tc.want {
				t.Errorf("%s\nServicesReady: want %t, got %v", tc.reason, tc.want, rsp.GetConditions())
			}
		})
	}
}

func TestRestartsNext(t *testing.T) {
	deployment := func(restart string) *appsv1.Deployment {
		d := frontendOf(1, 1, available())
		d.Spec.Template.Annotations = map[string]string{metadata.AnnotationRestartAt: restart}
		return d
	}
	restarting := func(id string, components ...string) *v1alpha1.RestartStatus {
		return &v1alpha1.RestartStatus{ObservedID: id, Phase: v1alpha1.RestartPhaseRestarting, InProgress: components}
	}
	cases := map[string]struct {
		reason string
		status *v1alpha1.RestartStatus
		want   bool
	}{
		"First": {reason: "The pods of the first service are ready until this run is applied."},
		"Next":  {reason: "The pods of the next service are ready until this run is applied.", status: restarting("one", "Decode")},
		"Newer": {reason: "The pods of the service restart once more.", status: restarting("zero", "Frontend")},
		"Later": {
			reason: "After the run that has begun the restart of the service, its controller reports whether it has processed the change.",
			status: restarting("one", "Frontend"), want: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plan := onLWS()
			plan.Restart = &graphplan.Restart{ID: "one", Phase: v1alpha1.RestartPhaseRestarting, InProgress: []string{"Frontend"}}
			req := with(request(plan), "deployment-frontend", deployment("one"), deployment("zero"))
			before(req, v1alpha1.DynamoGraphDeploymentStatus{ObservedGeneration: 3, Restart: tc.status})
			rsp := run(t, req)
			if got := slices.ContainsFunc(rsp.GetConditions(), isReady); got != tc.want {
				t.Errorf("%s\nServicesReady: want %t, got %v", tc.reason, tc.want, rsp.GetConditions())
			}
		})
	}
}
