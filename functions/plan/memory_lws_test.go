package plan

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestRememberedOrchestratorOfMultinode looks at graphs of which only Deployments are seen. LeaderWorkerSets go together
// with Deployments, so they say little.
func TestRememberedOrchestratorOfMultinode(t *testing.T) {
	const (
		refs    = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`
		lwsRefs = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"},
			{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
	)
	both, single := services(frontend, multinode), services(frontend, worker)
	frontendOnly := withObserved("deployment-frontend", observedDeployment)
	cases := map[string]struct {
		reason  string
		spec    string
		refs    string
		status  string
		options []requestOption
		want    graphplan.Orchestrator
	}{
		"HalfApplied":         {reason: "The first run composed the Deployment, and not yet the LeaderWorkerSet.", spec: both, options: []requestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"HalfAppliedRefs":     {reason: "The same where only references are left.", spec: both, refs: refs, want: graphplan.LeaderWorkerSet},
		"RefsSayMore":         {reason: "The reference is left of a LeaderWorkerSet whose API is gone.", spec: single, refs: lwsRefs, options: []requestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"StatusSaysMore":      {reason: "Or the status alone.", spec: single, status: "LeaderWorkerSet", options: []requestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"StatusBehindRefs":    {reason: "Also behind the references.", spec: single, refs: refs, status: "LeaderWorkerSet", want: graphplan.LeaderWorkerSet},
		"Deployments":         {reason: "A graph of Deployments is on Deployments.", spec: single, status: "Deployment", refs: refs, options: []requestOption{frontendOnly}, want: graphplan.Deployment},
		"DeploymentsNoStatus": {reason: "Also without a status.", spec: single, options: []requestOption{frontendOnly}, want: graphplan.Deployment},
		"GroveIsNotMistaken":  {reason: "A multinode graph whose PodCliqueSet is observed is on Grove.", spec: both, status: "Grove", options: []requestOption{withObserved("podcliqueset", observedSet)}, want: graphplan.Grove},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := graphOf(tc.spec)
			if tc.refs != "" {
				xr = withRefs(xr, false, tc.refs)
			}
			if tc.status != "" {
				xr = withStatus(xr, `{"orchestrator":"`+tc.status+`"}`)
			}
			m, err := remember(request(xr, tc.options...), decoded(t, tc.spec, `{}`))
			if err != nil {
				t.Fatalf("%s\nremember(...): %v", tc.reason, err)
			}
			if m.orchestrator != tc.want {
				t.Errorf("%s\nremember(...): want %q, got %q", tc.reason, tc.want, m.orchestrator)
			}
		})
	}
}

// TestLWSGone shows that a graph on LeaderWorkerSets is never started a second time while their API is gone.
func TestLWSGone(t *testing.T) {
	const message = "the graph runs on LeaderWorkerSet, and the API group leaderworkerset.x-k8s.io is not served by the cluster any more: " +
		"nothing is changed until it is back; to move the graph to another orchestrator, delete and recreate it"
	const ref = `[{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
	xr := graphOf(services(frontend, multinode))
	const notServed = "API group leaderworkerset.x-k8s.io: is not served by the cluster"
	gone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", message), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
			unready(notServed+"; "+unreadyToo))
	}
	withoutLWS := withGroups("grove", "volcano", "kai")

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "A LeaderWorkerSet is still observed.",
			req:    request(xr, withoutLWS, withObserved("leaderworkerset-worker-0", setOfVolcano)),
			want:   gone("LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods"),
		},
		"OthersObserved": {
			reason: "Of the graph only the Deployment is still observed.",
			req:    request(xr, withoutLWS, withObserved("deployment-frontend", observedDeployment)),
			want:   gone("Deployment llama-frontend: 0 of 1 replicas are updated"),
		},
		"References": {
			reason: "Only the reference is left.",
			req:    request(withRefs(xr, false, ref), withoutLWS),
			want:   gone("LeaderWorkerSet llama-worker-0: does not exist"),
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    request(legacyOf(withRefs(xr, true, ref)), withoutLWS),
			want:   gone("LeaderWorkerSet llama-worker-0: does not exist"),
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; what is gone is not ready, and the other conditions are repeated.",
			req: request(withStatus(xr, `{"orchestrator":"LeaderWorkerSet","conditions":[
				{"type":"Accepted","status":"True","reason":"Valid"},
				{"type":"QueueAvailable","status":"True","reason":"QueueFound","message":"m"},
				{"type":"ServicesReady","status":"True","reason":"AllServicesReady"}]}`), withoutLWS),
			want: want(asksForGroups(), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
				unready(notServed), conditioned("QueueAvailable", isTrue, "QueueFound", "m")),
		},
		"Unknown": {
			reason: "Not looked up yet is not gone.",
			req:    request(xr, withObserved("leaderworkerset-worker-0", setOfVolcano)),
			want:   want(asksForGroups()),
		},
	})
}
