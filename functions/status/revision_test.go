package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

const recorded = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"llama-a"},"revision":1}`

// writtenPlan says what the user wrote.
func writtenPlan() string {
	return planOf(func(p *graphplan.Plan) {
		p.Orchestrator, p.Grove = graphplan.Deployment, nil
		p.Services["Frontend"] = graphplan.Service{Discovery: "kubernetes", DynamoNamespace: "d", Written: "a"}
	})
}

// TestRevisionMissing shows a Composition without step revision.
func TestRevisionMissing(t *testing.T) {
	cases := map[string]struct {
		reason, plan, revision string
		want                   string
	}{
		"Recorded":  {reason: "With a revision the step does its work.", plan: writtenPlan(), revision: recorded},
		"Missing":   {reason: "Without one an upgrade would restart pods, so nothing is changed.", plan: writtenPlan(), want: "no ControllerRevision is desired: add step revision to the Composition between the steps that build workloads and step status; nothing is changed until then"},
		"Unwritten": {reason: "A plan that says nothing of what the user wrote wants no revision.", plan: planOf()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.plan)
			if tc.revision != "" {
				with(req, "revision-a", tc.revision, tc.revision)
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

// TestRevisionReported shows that what step revision reports of services stays in the status.
func TestRevisionReported(t *testing.T) {
	req := with(request(writtenPlan()), "revision-a", recorded, recorded)
	revision := resource.MustStructJSON(`{"name":"llama-a","written":"a","outdated":true,"reason":"because"}`)
	req.Desired.Composite = &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"services":{
		"Frontend":{"revision":{"name":"llama-a","written":"a","outdated":true,"reason":"because"}},"Gone":{"revision":{"name":"llama-a"}}}}}`)}
	services := tree.At(run(t, req).GetDesired().GetComposite().GetResource(), "status", "services")
	if diff := cmp.Diff(revision, tree.At(services, "Frontend", "revision"), protocmp.Transform()); diff != "" {
		t.Errorf("A service keeps what was reported of its revision: -want, +got:\n%s", diff)
	}
	if gone := services.GetFields()["Gone"]; gone != nil {
		t.Errorf("want nothing of a service that the graph does not have, got %v", gone)
	}
}
