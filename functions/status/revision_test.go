package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func recorded() *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ControllerRevision"}, ObjectMeta: metav1.ObjectMeta{Name: "llama-a"}, Revision: 1,
	}
}

// writtenPlan is a plan with the hash of what the user has written.
func writtenPlan() *graphplan.Plan {
	return planOf(func(p *graphplan.Plan) {
		p.Orchestrator, p.Grove = graphplan.Deployment, nil
		p.Components["Frontend"] = graphplan.Component{Discovery: "kubernetes", DynamoNamespace: "d", Written: "a"}
	})
}

// TestRevisionMissing shows a Composition without step revision.
func TestRevisionMissing(t *testing.T) {
	cases := map[string]struct {
		reason string
		plan   *graphplan.Plan
		// recorded is true if there is a revision.
		recorded bool
		want     string
	}{
		"Recorded":  {reason: "With a revision the step does its work.", plan: writtenPlan(), recorded: true},
		"Missing":   {reason: "Without one an upgrade would restart pods, so nothing is changed.", plan: writtenPlan(), want: "no ControllerRevision is desired: add step revision to the Composition between the steps that build workloads and step status; nothing is changed until then"},
		"Unwritten": {reason: "A plan that says nothing of what the user wrote wants no revision.", plan: planOf()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.plan)
			if tc.recorded {
				with(req, "revision-a", recorded(), recorded())
			}
			var got string
			for _, result := range run(t, req).GetResults() {
				if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
					got = result.GetMessage()
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nfatal result: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRevisionReported shows that the revisions of components that step revision reports are kept in the status.
func TestRevisionReported(t *testing.T) {
	req := with(request(writtenPlan()), "revision-a", recorded(), recorded())
	revision := &v1alpha1.ServiceRevision{Name: "llama-a", Written: "a", Outdated: true, Reason: "because"}
	req.Desired.Composite = &fnv1.Resource{Resource: steptest.Struct(fields{"status": v1alpha1.DynamoGraphDeploymentStatus{Services: map[string]v1alpha1.ServiceStatus{
		"Frontend": {Revision: revision}, "Gone": {Revision: &v1alpha1.ServiceRevision{Name: "llama-a"}},
	}}})}
	components := tree.At(run(t, req).GetDesired().GetComposite().GetResource(), "status", "services")
	if diff := cmp.Diff(steptest.Struct(revision), tree.At(components, "Frontend", "revision"), protocmp.Transform()); diff != "" {
		t.Errorf("A service keeps what was reported of its revision: -want, +got:\n%s", diff)
	}
	if gone := components.GetFields()["Gone"]; gone != nil {
		t.Errorf("want nothing of a service that the graph does not have, got %v", gone)
	}
}
