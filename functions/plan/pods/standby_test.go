package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestStandbyWarnings shows when a user is told that the pods of a live graph have no second engine.
func TestStandbyWarnings(t *testing.T) {
	const (
		warning = "spec.services[Worker].failover: has no effect on the running pods, each of which runs one engine, because they are from a version without failover, " +
			"and pods only change with their graph; set another spec.restart.id, which restarts them with two engines"
	)
	failover := plantest.Service("Worker", &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker}, plantest.WithFailover)
	running := func(containers ...string) []plantest.RequestOption {
		var pods corev1.PodTemplateSpec
		for _, name := range containers {
			pods.Spec.Containers = append(pods.Spec.Containers, corev1.Container{Name: name, Image: "i"})
		}
		return []plantest.RequestOption{plantest.WithObserved("deployment-worker", plantest.Deployment("llama-worker", pods))}
	}
	one, two := running("main"), running("engine-0", "engine-1")
	revision := func(written string, outdated bool) plantest.GraphChange {
		return plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{Services: map[string]v1alpha1.ServiceStatus{
			"Worker": {Revision: &v1alpha1.ServiceRevision{Written: written, Outdated: outdated}},
		}})
	}
	cases := map[string]struct {
		reason  string
		graph   []plantest.GraphChange
		options []plantest.RequestOption
		want    []string
	}{
		"New":      {reason: "A new graph gets both engines.", graph: []plantest.GraphChange{failover}},
		"Runs":     {reason: "The pods have both engines.", graph: []plantest.GraphChange{failover, revision("a", false)}, options: two},
		"Outdated": {reason: "Other rules have changed since, but not this one.", graph: []plantest.GraphChange{failover, revision("a", true)}, options: two},
		"Pinned":   {reason: "The pods are from before there was a second engine, and stay until their user does something.", graph: []plantest.GraphChange{failover, revision("a", true)}, options: one, want: []string{warning}},
		"Changed":  {reason: "The user has just changed the service, so its pods are about to change.", graph: []plantest.GraphChange{failover, revision("b", true)}, options: one},
		"Rolling":  {reason: "Pods that are not outdated are those of a rollout.", graph: []plantest.GraphChange{failover, revision("a", false)}, options: one},
		"Off":      {reason: "The graph has no failover.", graph: []plantest.GraphChange{plantest.Worker, revision("a", true)}, options: one},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(tc.graph...), tc.options...))
			got := StandbyWarnings(f, &graphplan.Plan{Services: map[string]graphplan.Service{"Worker": {Written: "a"}}}).Texts(f.Graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nStandbyWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
