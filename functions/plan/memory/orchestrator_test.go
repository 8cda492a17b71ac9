package memory_test

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestRememberedOrchestrator looks into each place where the orchestrator of a graph is remembered.
func TestRememberedOrchestrator(t *testing.T) {
	xr := plantest.GraphOf(plantest.SpecOf(plantest.Frontend))
	const (
		refSet     = `[{"apiVersion":"v1","kind":"Service","name":"llama-frontend"},{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"llama"}]`
		refLWS     = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"},{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
		refDeploy  = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`
		refForeign = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"gateway"}]`
	)
	cases := map[string]struct {
		reason  string
		xr      string
		options []plantest.RequestOption
		want    graphplan.Orchestrator
	}{
		"Nothing":              {reason: "A new graph has no orchestrator yet.", xr: xr},
		"ObservedSet":          {reason: "A PodCliqueSet is Grove's.", xr: xr, options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)}, want: graphplan.Grove},
		"ObservedDeployments":  {reason: "Deployments are their own orchestrator.", xr: xr, options: []plantest.RequestOption{plantest.WithObserved("deployment-frontend", plantest.Deployment)}, want: graphplan.Deployment},
		"ObservedLWS":          {reason: "A graph on LeaderWorkerSets has Deployments too.", xr: xr, options: []plantest.RequestOption{plantest.WithObserved("deployment-frontend", plantest.Deployment), plantest.WithObserved("leaderworkerset-worker-0", plantest.LeaderWorkerSet)}, want: graphplan.LeaderWorkerSet},
		"ObservedOfAnother":    {reason: "A Deployment of another step of the pipeline tells nothing.", xr: xr, options: []plantest.RequestOption{plantest.WithObserved("gateway", plantest.Deployment)}},
		"ObservedOverOthers":   {reason: "Observed objects take precedence over references and the status.", xr: plantest.WithStatus(plantest.WithRefs(xr, false, refSet), `{"orchestrator":"Grove"}`), options: []plantest.RequestOption{plantest.WithObserved("deployment-frontend", plantest.Deployment)}, want: graphplan.Deployment},
		"RefsModern":           {reason: "The references of a modern composite resource show the orchestrator when nothing is observed.", xr: plantest.WithRefs(xr, false, refSet), want: graphplan.Grove},
		"RefsLegacy":           {reason: "The references of a legacy composite resource show the orchestrator when nothing is observed.", xr: plantest.WithRefs(xr, true, refSet), want: graphplan.Grove},
		"RefsLWS":              {reason: "A reference to a LeaderWorkerSet takes precedence over one to a Deployment.", xr: plantest.WithRefs(xr, false, refLWS), want: graphplan.LeaderWorkerSet},
		"RefsDeployment":       {reason: "A Deployment of a service is the graph's.", xr: plantest.WithRefs(xr, false, refDeploy), want: graphplan.Deployment},
		"RefsOfAnother":        {reason: "A reference to a Deployment of another name belongs to another step and is ignored.", xr: plantest.WithStatus(plantest.WithRefs(xr, false, refForeign), `{"orchestrator":"Grove"}`), want: graphplan.Grove},
		"RefsOverStatus":       {reason: "References come before the status.", xr: plantest.WithStatus(plantest.WithRefs(xr, false, refSet), `{"orchestrator":"Deployment"}`), want: graphplan.Grove},
		"Status":               {reason: "The status shows the orchestrator when nothing is observed or referenced.", xr: plantest.WithStatus(xr, `{"orchestrator":"LeaderWorkerSet"}`), want: graphplan.LeaderWorkerSet},
		"StatusUnknown":        {reason: "An orchestrator that does not exist is ignored.", xr: plantest.WithStatus(xr, `{"orchestrator":"Slurm"}`)},
		"KindOfAnotherGroup":   {reason: "A PodCliqueSet of another API group is ignored.", xr: plantest.WithRefs(xr, false, `[{"apiVersion":"example.org/v1","kind":"PodCliqueSet","name":"llama"}]`)},
		"RefsWithoutAnyObject": {reason: "References that cannot be read are ignored.", xr: plantest.WithRefs(xr, false, `["x",{}]`)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := remember(t, plantest.Request(tc.xr, tc.options...), plantest.SpecOf(plantest.Frontend))
			if m.Orchestrator != tc.want {
				t.Errorf("%s\nOrchestrator: want %q, got %q", tc.reason, tc.want, m.Orchestrator)
			}
			if got := m.Exists(); got != (tc.want != "") {
				t.Errorf("%s\nExists(): got %t", tc.reason, got)
			}
		})
	}
}

// TestRememberedOrchestratorOfMultinode looks at graphs of which only Deployments are seen. LeaderWorkerSets go together
// with Deployments, so they say little.
func TestRememberedOrchestratorOfMultinode(t *testing.T) {
	const (
		refs    = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`
		lwsRefs = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"},
			{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
	)
	both, single := plantest.SpecOf(plantest.Frontend, plantest.Multinode), plantest.SpecOf(plantest.Frontend, plantest.Worker)
	frontendOnly := plantest.WithObserved("deployment-frontend", plantest.Deployment)
	cases := map[string]struct {
		reason  string
		spec    string
		refs    string
		status  string
		options []plantest.RequestOption
		want    graphplan.Orchestrator
	}{
		"HalfApplied":         {reason: "A multinode graph of which only the Deployment was composed is on LeaderWorkerSets.", spec: both, options: []plantest.RequestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"HalfAppliedRefs":     {reason: "A multinode graph of which only the reference to the Deployment is left is on LeaderWorkerSets.", spec: both, refs: refs, want: graphplan.LeaderWorkerSet},
		"RefsSayMore":         {reason: "A reference to a LeaderWorkerSet takes precedence over an observed Deployment.", spec: single, refs: lwsRefs, options: []plantest.RequestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"StatusSaysMore":      {reason: "A status that names LeaderWorkerSet takes precedence over an observed Deployment.", spec: single, status: "LeaderWorkerSet", options: []plantest.RequestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"StatusBehindRefs":    {reason: "A status that names LeaderWorkerSet takes precedence over a reference to a Deployment.", spec: single, refs: refs, status: "LeaderWorkerSet", want: graphplan.LeaderWorkerSet},
		"Deployments":         {reason: "A graph of Deployments is on Deployments.", spec: single, status: "Deployment", refs: refs, options: []plantest.RequestOption{frontendOnly}, want: graphplan.Deployment},
		"DeploymentsNoStatus": {reason: "A graph of Deployments without a status is on Deployments.", spec: single, options: []plantest.RequestOption{frontendOnly}, want: graphplan.Deployment},
		"GroveIsNotMistaken":  {reason: "A multinode graph whose PodCliqueSet is observed is on Grove.", spec: both, status: "Grove", options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", plantest.PodCliqueSet)}, want: graphplan.Grove},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.GraphOf(tc.spec)
			if tc.refs != "" {
				xr = plantest.WithRefs(xr, false, tc.refs)
			}
			if tc.status != "" {
				xr = plantest.WithStatus(xr, `{"orchestrator":"`+tc.status+`"}`)
			}
			m := remember(t, plantest.Request(xr, tc.options...), tc.spec)
			if m.Orchestrator != tc.want {
				t.Errorf("%s\nOrchestrator: want %q, got %q", tc.reason, tc.want, m.Orchestrator)
			}
		})
	}
}

// remember what a request tells of a graph with a spec, JSON.
func remember(t *testing.T, req *fnv1.RunFunctionRequest, spec string) *memory.Memory {
	t.Helper()
	state, err := observed.Of(req)
	if err != nil {
		t.Fatal(err)
	}
	return memory.Of(state, plantest.Decoded(t, spec, `{}`))
}
