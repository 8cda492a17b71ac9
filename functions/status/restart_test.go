package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestRestart shows that Crossplane looks again soon during a restart, although all that is observed is ready.
func TestRestart(t *testing.T) {
	for phase, options := range map[string][]responseOption{v1alpha1.RestartPhaseRestarting: {soon()}, v1alpha1.RestartPhaseCompleted: nil} {
		plan := planOf(func(p *graphplan.Plan) { p.Restart = &graphplan.Restart{ID: "one", Phase: phase} })
		req := with(requestFor(v1alpha1.DynamoGraphDeploymentSpec{}, plan), "podcliqueset", desiredSet(), readySet())
		before(req, v1alpha1.DynamoGraphDeploymentStatus{Restart: &v1alpha1.RestartStatus{ObservedID: "one", Phase: phase}})
		if diff := cmp.Diff(answer(req, options...).GetMeta(), run(t, req).GetMeta(), protocmp.Transform()); diff != "" {
			t.Errorf("%s: meta: -want, +got:\n%s", phase, diff)
		}
	}
}
