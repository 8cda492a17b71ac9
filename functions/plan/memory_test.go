package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

const (
	observedSet        = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{"cliques":[{"name":"frontend","spec":{"replicas":1,"minAvailable":1}}]}}}`
	observedLWS        = `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"}}`
	observedDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-frontend"}}`
)

// withRefs adds references to composed resources, where a modern or a legacy composite resource keeps them.
func withRefs(xr string, legacy bool, refs string) string {
	if legacy {
		return strings.Replace(xr, `"spec":{`, `"spec":{"resourceRefs":`+refs+`,`, 1)
	}
	return strings.Replace(xr, `"spec":{`, `"spec":{"crossplane":{"resourceRefs":`+refs+`},`, 1)
}

// legacyOf is a graph as the composite resource of a claim.
func legacyOf(xr string) string {
	return strings.Replace(strings.Replace(xr, `"kind":"DynamoGraphDeployment"`, `"kind":"XDynamoGraphDeployment"`, 1),
		`"spec":{`, `"spec":{"claimRef":{"name":"llama","namespace":"inference"},`, 1)
}

// TestRememberedOrchestrator looks into each place where the orchestrator of a graph is remembered.
func TestRememberedOrchestrator(t *testing.T) {
	xr := graphOf(services(frontend))
	const (
		refSet     = `[{"apiVersion":"v1","kind":"Service","name":"llama-frontend"},{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"}]`
		refLWS     = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"},{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
		refDeploy  = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`
		refForeign = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"gateway"}]`
	)
	cases := map[string]struct {
		reason  string
		xr      string
		options []requestOption
		want    graphplan.Orchestrator
	}{
		"Nothing":              {reason: "A new graph has none.", xr: xr},
		"ObservedSet":          {reason: "A PodCliqueSet is Grove's.", xr: xr, options: []requestOption{withObserved("podcliqueset", observedSet)}, want: graphplan.Grove},
		"ObservedDeployments":  {reason: "Deployments are their own orchestrator.", xr: xr, options: []requestOption{withObserved("deployment-frontend", observedDeployment)}, want: graphplan.Deployment},
		"ObservedLWS":          {reason: "A graph on LeaderWorkerSets has Deployments too.", xr: xr, options: []requestOption{withObserved("deployment-frontend", observedDeployment), withObserved("leaderworkerset-worker-0", observedLWS)}, want: graphplan.LeaderWorkerSet},
		"ObservedOfAnother":    {reason: "A Deployment of another step of the pipeline tells nothing.", xr: xr, options: []requestOption{withObserved("gateway", observedDeployment)}},
		"ObservedOverOthers":   {reason: "What is observed comes first.", xr: withStatus(withRefs(xr, false, refSet), `{"orchestrator":"Grove"}`), options: []requestOption{withObserved("deployment-frontend", observedDeployment)}, want: graphplan.Deployment},
		"RefsModern":           {reason: "Then come the references of a modern composite resource.", xr: withRefs(xr, false, refSet), want: graphplan.Grove},
		"RefsLegacy":           {reason: "Or of a legacy one.", xr: withRefs(xr, true, refSet), want: graphplan.Grove},
		"RefsLWS":              {reason: "LeaderWorkerSets come before Deployments here too.", xr: withRefs(xr, false, refLWS), want: graphplan.LeaderWorkerSet},
		"RefsDeployment":       {reason: "A Deployment of a service is the graph's.", xr: withRefs(xr, false, refDeploy), want: graphplan.Deployment},
		"RefsOfAnother":        {reason: "One of another name is another step's.", xr: withStatus(withRefs(xr, false, refForeign), `{"orchestrator":"Grove"}`), want: graphplan.Grove},
		"RefsOverStatus":       {reason: "References come before the status.", xr: withStatus(withRefs(xr, false, refSet), `{"orchestrator":"Deployment"}`), want: graphplan.Grove},
		"Status":               {reason: "Last comes the status.", xr: withStatus(xr, `{"orchestrator":"LeaderWorkerSet"}`), want: graphplan.LeaderWorkerSet},
		"StatusUnknown":        {reason: "An orchestrator that does not exist is none.", xr: withStatus(xr, `{"orchestrator":"Slurm"}`)},
		"KindOfAnotherGroup":   {reason: "A kind of the same name of another group is another.", xr: withRefs(xr, false, `[{"apiVersion":"example.org/v1","kind":"PodCliqueSet","name":"llama"}]`)},
		"RefsWithoutAnyObject": {reason: "Garbage tells nothing.", xr: withRefs(xr, false, `["x",{}]`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, err := remember(request(tc.xr, tc.options...), decoded(t, services(frontend), `{}`))
			if err != nil {
				t.Fatalf("%s\nremember(...): %v", tc.reason, err)
			}
			if m.orchestrator != tc.want {
				t.Errorf("%s\nremember(...): want %q, got %q", tc.reason, tc.want, m.orchestrator)
			}
			if got := m.exists(); got != (tc.want != "") {
				t.Errorf("%s\nexists(): got %t", tc.reason, got)
			}
		})
	}
}

// TestGroveGone shows that a graph on Grove is never started a second time while Grove's API is gone.
func TestGroveGone(t *testing.T) {
	const message = "the graph runs on Grove, and the API group grove.io is not served by the cluster any more: nothing is changed until it is back; " +
		"to move the graph to another orchestrator, delete and recreate it"
	const ref = `[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"}]`
	xr := graphOf(services(frontend))
	const notServed = "API group grove.io: is not served by the cluster"
	gone := func(unreadyToo string) *fnv1.RunFunctionResponse {
		return want(asksForGroups(), refusal("NotSupportedHere", message), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
			unready(notServed+"; "+unreadyToo))
	}
	legacy := legacyOf(withRefs(xr, true, ref))

	compare(t, map[string]responseCase{
		"Observed": {
			reason: "The PodCliqueSet is still observed.",
			req:    request(xr, withGroups("lws", "volcano"), withObserved("podcliqueset", observedSet)),
			want:   gone("PodCliqueSet llama: Grove has not seen it yet"),
		},
		"References": {
			reason: "Only the reference is left.",
			req:    request(withRefs(xr, false, ref), withGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"LegacyReferences": {
			reason: "Only the reference of a legacy composite resource is left.",
			req:    request(legacy, withGroups("lws", "volcano")),
			want:   gone("PodCliqueSet llama: does not exist"),
		},
		"Status": {
			reason: "Crossplane has dropped the reference, and the status remembers; the other conditions are repeated.",
			req: request(withStatus(xr, `{"orchestrator":"Grove","conditions":[
				{"type":"Accepted","status":"True","reason":"Valid"},
				{"type":"QueueAvailable","status":"True","reason":"QueueFound","message":"m"}]}`), withGroups("lws", "volcano"), withLost(nil)),
			want: want(asksForGroups(), asksForLost("LeaderWorkerSet", "PodGroup"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", message),
				unready(notServed), conditioned("QueueAvailable", isTrue, "QueueFound", "m")),
		},
		"Unknown": {
			reason: "Not looked up yet is not gone.",
			req:    request(xr, withObserved("podcliqueset", observedSet)),
			want:   want(asksForGroups()),
		},
	})
}

// TestEnableGroveFlipped shows that a graph is not moved by its annotation.
func TestEnableGroveFlipped(t *testing.T) {
	const message = `annotation nvidia.com/enable-grove: "false" asks for another orchestrator than Grove, which runs the graph: ` +
		"put the annotation back as it was or remove it, or delete and recreate the graph"
	const annotations = `{"nvidia.com/enable-grove":"false"}`
	compare(t, map[string]responseCase{
		"Live": {
			reason: "A user's change of an immutable choice is refused with the remedy.",
			req:    request(annotated(services(frontend), annotations), withGroups("grove"), withObserved("podcliqueset", observedSet)),
			want: want(asksForGroups(), asksForChildren("frontend"), refusal("NotSupportedHere", message),
				conditioned("OrchestratorSelected", isFalse, "OrchestratorCannotChange", message),
				unready("PodCliqueSet llama: Grove has not seen it yet")),
		},
		"New": {
			reason: "On a new graph it is a choice.",
			req:    request(annotated(services(frontend), annotations), withGroups("grove", "kai")),
			want: want(asksForGroups(), accepted(),
				conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: annotation nvidia.com/enable-grove is false; no service spans several nodes"),
				noQueue(),
				planOf(`{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)),
		},
	})
}
