package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestQuota shows what a service in a queue of Kueue waits for.
func TestQuota(t *testing.T) {
	g := graphtest.Of(&graph.Graph{Name: "llama", Spec: v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
		"Frontend": {}, "Worker": {Multinode: &v1alpha1.Multinode{NodeCount: 2}},
	}}})
	ready := map[string]*fnv1.Resource{"deployment-frontend": {Resource: encoded(t, deploymentOf(new(int32(1)), progressOf(1, 1, 1, 1, appsv1.DeploymentCondition{Type: appsv1.DeploymentAvailable, Status: "True"})))}}
	plan := func(queue, reason string) *graphplan.Plan {
		return &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, KueueQueue: queue, Services: map[string]graphplan.Service{"Worker": {Quota: reason}}}
	}
	const missing, absent = "Deployment llama-frontend: not created yet", "LeaderWorkerSet llama-worker-0: not created yet"
	cases := map[string]struct {
		reason   string
		plan     *graphplan.Plan
		observed map[string]*fnv1.Resource
		want     map[string][]string
	}{
		"None":  {reason: "Without a queue nothing waits for quota.", plan: plan("", ""), want: map[string][]string{"Frontend": {missing}, "Worker": {absent}}},
		"Waits": {reason: "A gang says why it waits, single pods do not.", plan: plan("team", "WaitingForQuota"), want: map[string][]string{"Frontend": {missing, "new pods wait for quota in LocalQueue team of Kueue"}, "Worker": {absent, "waits for quota in LocalQueue team of Kueue (WaitingForQuota)"}}},
		"Ready": {reason: "What is ready waits for nothing.", plan: plan("team", ""), observed: ready, want: map[string][]string{"Frontend": nil, "Worker": {absent}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for service, w := range Of(g, tc.plan, tc.observed, "Frontend", "Worker") {
				got[service] = w.Waiting
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwaiting: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
