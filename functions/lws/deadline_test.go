package lws

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestProgressDeadline shows how long a Deployment may make no progress before it has failed.
func TestProgressDeadline(t *testing.T) {
	// probe of a port with these timings. A timing that is zero has the default of Kubernetes.
	probe := func(delay, period, failures int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(1)}},
			InitialDelaySeconds: delay, PeriodSeconds: period, FailureThreshold: failures,
		}
	}
	// timings for the probe that a worker has.
	timings := func(delay, period, failures int32) *corev1.Probe {
		return &corev1.Probe{InitialDelaySeconds: delay, PeriodSeconds: period, FailureThreshold: failures}
	}
	slow := probe(1200, 20, 0)
	slow.SuccessThreshold = 3
	main := func(container corev1.Container) steptest.ComponentChange {
		return steptest.WithPod(v1alpha1.ExtraPodSpec{MainContainer: &container})
	}
	// container beside the main one.
	container := func(name string, startup *corev1.Probe) corev1.Container {
		return corev1.Container{Name: name, Image: "a", StartupProbe: startup}
	}
	// sidecars are init containers that start before the main container and keep running.
	sidecars := func(containers ...corev1.Container) steptest.ComponentChange {
		for i := range containers {
			containers[i].RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
		return steptest.WithPod(v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{InitContainers: containers}})
	}
	componentType := func(componentType string) steptest.ComponentChange {
		return func(s *v1alpha1.Service) { s.ComponentType = componentType }
	}
	worker := componentType("worker")
	endless := container("a", probe(0, math.MaxInt32, math.MaxInt32))
	cases := map[string]struct {
		reason  string
		changes []steptest.ComponentChange
		// minReady is the minReadySeconds of the platform.
		minReady int32
		want     *int32
	}{
		"NoProbes": {
			reason: "Pods without probes have the default of Kubernetes.",
			want:   nil,
		},
		"Frontend": {
			reason:  "A delay of seconds leaves the default enough for a node and for images.",
			changes: []steptest.ComponentChange{componentType("frontend")},
			want:    nil,
		},
		"Worker": {
			reason:  "The startup probe of a worker gives it two hours; its node and its images come before that, its readiness probe after it.",
			changes: []steptest.ComponentChange{worker},
			want:    new(int32(7510)),
		},
		"SlowModel": {
			reason:  "Timings of the user's count.",
			changes: []steptest.ComponentChange{worker, main(corev1.Container{StartupProbe: timings(600, 60, 240)})},
			want:    new(int32(15310)),
		},
		"DefaultsOfKubernetes": {
			reason:  "Timings that are not set have the defaults of Kubernetes: three times ten seconds.",
			changes: []steptest.ComponentChange{main(corev1.Container{StartupProbe: probe(270, 0, 0)})},
			want:    nil,
		},
		"JustAboveTheDefault": {
			reason:  "One second more than the default has room for is set.",
			changes: []steptest.ComponentChange{main(corev1.Container{StartupProbe: probe(271, 0, 0)})},
			want:    new(int32(601)),
		},
		"LateReadiness": {
			reason:  "A pod is not available before its first readiness probe.",
			changes: []steptest.ComponentChange{main(corev1.Container{ReadinessProbe: probe(1200, 0, 0)})},
			want:    new(int32(1510)),
		},
		"ReadinessAfterStartup": {
			reason:  "The delay of a readiness probe runs while the container starts up, so that the longer of both counts.",
			changes: []steptest.ComponentChange{main(corev1.Container{StartupProbe: probe(0, 0, 60), ReadinessProbe: slow})},
			want:    new(int32(1560)),
		},
		"Sidecar": {
			reason: "Of containers that start together the slowest counts.",
			changes: []steptest.ComponentChange{worker, steptest.WithPod(v1alpha1.ExtraPodSpec{
				PodSpec: corev1.PodSpec{Containers: []corev1.Container{container("a", probe(0, 100, 90))}},
			})},
			want: new(int32(9300)),
		},
		"NativeSidecars": {
			reason:  "Containers that start one after the other count together.",
			changes: []steptest.ComponentChange{worker, sidecars(container("a", probe(0, 0, 10)), container("b", probe(0, 0, 20)))},
			want:    new(int32(7810)),
		},
		"MinReadySeconds": {
			reason:  "A pod is only available after the time of the platform. The API server wants the deadline to be longer.",
			changes: []steptest.ComponentChange{componentType("frontend")}, minReady: 3600,
			want: new(int32(3600 + 320)),
		},
		"MinReadySecondsInDefault": {
			reason:  "The default has room for a short time.",
			changes: []steptest.ComponentChange{componentType("frontend")}, minReady: 60,
		},
		"TooLargeWithMinReadySeconds": {
			reason:  "The sum does not overflow.",
			changes: []steptest.ComponentChange{sidecars(slices.Repeat([]corev1.Container{endless}, 10)...)}, minReady: 3600,
			want: new(int32(math.MaxInt32)),
		},
		"TooLarge": {
			reason:  "Kubernetes takes the largest number for no deadline at all, and cannot hold a larger one.",
			changes: []steptest.ComponentChange{main(corev1.Container{StartupProbe: probe(0, math.MaxInt32, math.MaxInt32)})},
			want:    new(int32(math.MaxInt32)),
		},
		"TooManyTooLarge": {
			reason:  "The sum over containers does not overflow.",
			changes: []steptest.ComponentChange{sidecars(slices.Repeat([]corev1.Container{endless}, 10)...)},
			want:    new(int32(math.MaxInt32)),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := deploymentOf(t, steptest.Worker(t, tc.changes...), steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker"),
				func(p *graphplan.Plan) { p.MinReadySeconds = tc.minReady })).Spec
			if diff := cmp.Diff(tc.want, got.ProgressDeadlineSeconds); diff != "" {
				t.Errorf("%s\nprogressDeadlineSeconds: -want, +got:\n%s", tc.reason, diff)
			}
			if got.MinReadySeconds != tc.minReady {
				t.Errorf("%s\nminReadySeconds: want %d, got %d", tc.reason, tc.minReady, got.MinReadySeconds)
			}
		})
	}
}
