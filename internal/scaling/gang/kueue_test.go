package gang

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestKueue shows that a LeaderWorkerSet is in its queue by its own metadata, and that its pods have nothing of another scheduler, nor what the
// webhook of Kueue writes.
func TestKueue(t *testing.T) {
	plan := steptest.OnLeaderWorkerSets(t, graphplan.Gang{Provider: graphplan.GangKueue}, steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) { p.KueueQueue = "team" })
	built := build(t, steptest.TwoNodes(t), plan, 0)
	if built.PodGroup != nil || built.Native != nil {
		t.Errorf("there is a PodGroup")
	}
	set := built.LeaderWorkerSet
	if got := set.Labels["kueue.x-k8s.io/queue-name"]; got != "team" {
		t.Errorf("label: got %q", got)
	}
	if got := set.Annotations["dynamo.nvidia.com/kueue-queue"]; got != "team" {
		t.Errorf("annotation: got %q", got)
	}
	encoded, err := json.Marshal(set.Spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kueue", "schedulerName", "schedulingGroup", "group-name", "kai.scheduler"} {
		if strings.Contains(string(encoded), key) {
			t.Errorf("the spec contains %s: %s", key, encoded)
		}
	}
}
