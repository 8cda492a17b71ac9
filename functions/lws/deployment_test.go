package lws

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestStrategy shows how the pods of a Deployment are replaced.
func TestStrategy(t *testing.T) {
	const (
		strategyKey    = "nvidia.com/deployment-strategy"
		surgeKey       = "nvidia.com/deployment-rolling-update-max-surge"
		unavailableKey = "nvidia.com/deployment-rolling-update-max-unavailable"
	)
	worker := func(changes ...steptest.ComponentChange) string { return steptest.Worker(t, changes...) }
	recreatedPods := func(s *v1alpha1.Service) {
		s.ExtraPodMetadata = &v1alpha1.ExtraPodMetadata{Annotations: map[string]string{strategyKey: "Recreate"}}
	}
	rolling := func(surge, unavailable intstr.IntOrString) appsv1.DeploymentStrategy {
		return appsv1.DeploymentStrategy{
			Type:          appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable},
		}
	}
	quarter := intstr.FromString("25%")
	cases := map[string]struct {
		reason string
		spec   string
		want   appsv1.DeploymentStrategy
	}{
		"Default":     {reason: "By default a quarter of the replicas rolls at a time.", spec: `{"services":{"Worker":{}}}`, want: rolling(quarter, quarter)},
		"Recreate":    {reason: "All replicas roll at once when the user asks for it.", spec: worker(steptest.WithAnnotation(strategyKey, "Recreate")), want: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}},
		"Numbers":     {reason: "Numbers stay numbers.", spec: worker(steptest.WithAnnotation(surgeKey, "1"), steptest.WithAnnotation(unavailableKey, "0")), want: rolling(intstr.FromInt32(1), intstr.FromInt32(0))},
		"Percent":     {reason: "Percentages stay percentages.", spec: worker(steptest.WithAnnotation(strategyKey, "RollingUpdate"), steptest.WithAnnotation(unavailableKey, "10%")), want: rolling(quarter, intstr.FromString("10%"))},
		"OfTheGraph":  {reason: "Annotations of the graph's spec reach every service.", spec: `{"annotations":{"nvidia.com/deployment-rolling-update-max-surge":"2"},"services":{"Worker":{}}}`, want: rolling(intstr.FromInt32(2), quarter)},
		"PodMetadata": {reason: "Annotations of the pods' metadata win over those of the service.", spec: worker(steptest.WithAnnotation(strategyKey, "RollingUpdate"), recreatedPods), want: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := deploymentOf(t, tc.spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker"))).Spec.Strategy
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nstrategy: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDeployment shows the rest of a Deployment.
func TestDeployment(t *testing.T) {
	cases := map[string]struct {
		reason       string
		spec         string
		replicas     int32
		annotations  map[string]string
		ofPods       map[string]string
		label        string
		podLabel     string
		podScheduler string
	}{
		"OneReplica": {reason: "Without a number a Deployment has one replica.", spec: `{"services":{"Worker":{}}}`, replicas: 1},
		"ToZero":     {reason: "A Deployment can be scaled to zero.", spec: `{"services":{"Worker":{"replicas":0}}}`, replicas: 0},
		"Metadata": {
			reason: "The service's own metadata are on the Deployment and on its pods, those of the pods too.",
			spec:   `{"services":{"Worker":{"labels":{"team":"a"},"annotations":{"x":"1"},"extraPodMetadata":{"annotations":{"y":"2"},"labels":{"team":"b"}}}}}`, replicas: 1,
			annotations: map[string]string{"x": "1", "y": "2"}, ofPods: map[string]string{"x": "1", "y": "2"}, label: "b", podLabel: "b",
		},
		"NoGang": {reason: "The gang scheduler is for services that span nodes.", spec: `{"services":{"Worker":{}}}`, replicas: 1},
		"UsersOwnScheduler": {
			reason: "The user may name a scheduler.", spec: steptest.Worker(t, steptest.WithScheduler("mine")), replicas: 1, podScheduler: "mine",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := deploymentOf(t, tc.spec, steptest.OnLeaderWorkerSets(t, steptest.ByKAI(), steptest.Components("etcd", "Worker")))
			if *d.Spec.Replicas != tc.replicas || d.Spec.Template.Spec.SchedulerName != tc.podScheduler {
				t.Errorf("%s\nwant %d replicas and scheduler %q, got %d and %q", tc.reason, tc.replicas, tc.podScheduler, *d.Spec.Replicas, d.Spec.Template.Spec.SchedulerName)
			}
			if diff := cmp.Diff(tc.annotations, d.Annotations); diff != "" {
				t.Errorf("%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.ofPods, d.Spec.Template.Annotations); diff != "" {
				t.Errorf("%s\nannotations of the pods: -want, +got:\n%s", tc.reason, diff)
			}
			if d.Labels["team"] != tc.label || d.Spec.Template.Labels["team"] != tc.podLabel {
				t.Errorf("%s\nwant labels %q and %q, got %q and %q", tc.reason, tc.label, tc.podLabel, d.Labels["team"], d.Spec.Template.Labels["team"])
			}
			if d.Spec.Selector.MatchLabels["nvidia.com/selector"] != d.Spec.Template.Labels["nvidia.com/selector"] {
				t.Errorf("%s\nthe selector %v does not select the pods: %v", tc.reason, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels)
			}
		})
	}
}

// TestAutoscalingAcrossNodes shows that a component that spans nodes has the number of replicas of the graph, and no autoscaler.
func TestAutoscalingAcrossNodes(t *testing.T) {
	spec := steptest.TwoNodes(t, steptest.WithReplicas(2), func(s *v1alpha1.Service) {
		s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 8}
	})
	composed := run(t, steptest.Request(spec, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker")))).GetDesired().GetResources()
	for key, want := range map[string]bool{"leaderworkerset-worker-1": true, "leaderworkerset-worker-2": false, "autoscaler-worker": false} {
		if _, got := composed[key]; got != want {
			t.Errorf("%s: want composed %t, got %t", key, want, got)
		}
	}
}
