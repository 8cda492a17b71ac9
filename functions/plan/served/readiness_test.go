package served

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestReadinessWarnings(t *testing.T) {
	const (
		single = `{"components":[{"name":"Frontend","type":"frontend"}]}`
		spans  = `{"components":[{"name":"Frontend","type":"frontend"},{"name":"Worker","type":"worker","multinode":{"nodeCount":2}}]}`
		before = "spec.components: deployments.minReadySeconds in the input of step plan has no effect on "
		after  = " goes on with the next replica as soon as the pods of one are ready; let the platform remove it, or set it only for namespaces of Deployments"
	)
	cases := map[string]struct {
		reason, spec string
		on           graphplan.Orchestrator
		seconds      int32
		want         []string
	}{
		"Deployments":      {reason: "Deployments have it.", spec: single, on: graphplan.Deployment, seconds: 30},
		"BesideSets":       {reason: "A component on one node is a Deployment beside LeaderWorkerSets.", spec: single, on: graphplan.LeaderWorkerSet, seconds: 30},
		"LeaderWorkerSets": {reason: "LeaderWorkerSets do not have it.", spec: spans, on: graphplan.LeaderWorkerSet, seconds: 30, want: []string{before + "Worker: LeaderWorkerSet" + after}},
		"Grove":            {reason: "Cliques do not have it.", spec: spans, on: graphplan.Grove, seconds: 30, want: []string{before + "Frontend, Worker: Grove" + after}},
		"Default":          {reason: "Most platforms do not set it.", spec: spans, on: graphplan.Grove},
		"Undecided":        {reason: "What runs the graph may not be known yet.", spec: spans, seconds: 30},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := inputv1alpha1.Policy{Deployments: inputv1alpha1.Deployments{MinReadySeconds: tc.seconds}}
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(policy)))
			if diff := cmp.Diff(tc.want, ReadinessWarnings(f, tc.on).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nReadinessWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
