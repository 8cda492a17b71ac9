package lws

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestRestart shows that the replicas of a component restart one by one, each as a whole.
func TestRestart(t *testing.T) {
	spec := steptest.TwoNodes(t, steptest.WithReplicas(3))
	plan := steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) {
		p.Restart = &graphplan.Restart{ID: "two", Phase: v1alpha1.RestartPhaseRestarting, Marks: map[string][]graphplan.RestartMark{"Worker": {{At: "two"}, {At: "one"}}}}
	})

	type restarted struct{ Leader, Worker string }
	want := map[string]restarted{
		"leaderworkerset-worker-0": {Leader: "two", Worker: "two"},
		"leaderworkerset-worker-1": {Leader: "one", Worker: "one"},
		"leaderworkerset-worker-2": {},
	}
	const annotation = "nvidia.com/restartAt"
	got := map[string]restarted{}
	for key := range want {
		set := find[lwsv1.LeaderWorkerSet](t, spec, plan, key)
		template := set.Spec.LeaderWorkerTemplate
		got[key] = restarted{
			Leader: template.LeaderTemplate.Annotations[annotation], Worker: template.WorkerTemplate.Annotations[annotation],
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
