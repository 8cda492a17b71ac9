package memory_test

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestRememberedOrchestrator looks into each place where the orchestrator of a graph is remembered.
func TestRememberedOrchestrator(t *testing.T) {
	refDeploy := plantest.ReferenceTo("apps/v1", "Deployment", "llama-frontend")
	refSet := plantest.ReferenceTo("grove.io/v1alpha1", "PodCliqueSet", "llama")
	ofSet := plantest.WithReferences(plantest.ReferenceTo("v1", "Service", "llama-frontend"), refSet)
	ofLWS := plantest.WithReferences(refDeploy, plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0"))
	ofOther := plantest.WithReferences(plantest.ReferenceTo("apps/v1", "Deployment", "gateway"))
	ofOtherGroup := plantest.WithReferences(plantest.ReferenceTo("example.org/v1", "PodCliqueSet", "llama"))
	deployment := plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())
	cases := map[string]struct {
		reason  string
		status  string
		options []plantest.RequestOption
		want    graphplan.Orchestrator
	}{
		"Nothing":              {reason: "A new graph has no orchestrator yet."},
		"ObservedSet":          {reason: "A PodCliqueSet is Grove's.", options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", plantest.FrontendSet())}, want: graphplan.Grove},
		"ObservedDeployments":  {reason: "Deployments are their own orchestrator.", options: []plantest.RequestOption{deployment}, want: graphplan.Deployment},
		"ObservedLWS":          {reason: "A graph on LeaderWorkerSets has Deployments too.", options: []plantest.RequestOption{deployment, plantest.WithObserved("leaderworkerset-worker-0", plantest.LeaderWorkerSet("llama-worker-0"))}, want: graphplan.LeaderWorkerSet},
		"ObservedOfAnother":    {reason: "A Deployment of another step of the pipeline tells nothing.", options: []plantest.RequestOption{plantest.WithObserved("gateway", plantest.FrontendDeployment())}},
		"ObservedOverOthers":   {reason: "Observed objects take precedence over references and the status.", status: "Grove", options: []plantest.RequestOption{ofSet, deployment}, want: graphplan.Deployment},
		"RefsModern":           {reason: "References in a new graph were written by its user.", options: []plantest.RequestOption{ofSet}},
		"RefsLegacy":           {reason: "References in a legacy composite resource show the orchestrator, too.", options: []plantest.RequestOption{plantest.WithLegacyReferences(refSet)}},
		"RefsLWS":              {reason: "This holds for references to LeaderWorkerSets.", options: []plantest.RequestOption{ofLWS}},
		"RefsDeployment":       {reason: "This holds for references to Deployments.", options: []plantest.RequestOption{plantest.WithReferences(refDeploy)}},
		"RefsConfirmed":        {reason: "References that the status confirms show the orchestrator.", status: "Grove", options: []plantest.RequestOption{ofSet}, want: graphplan.Grove},
		"RefsBesideObserved":   {reason: "Users cannot add references of another orchestrator to a graph without a status either.", options: []plantest.RequestOption{ofSet, deployment}, want: graphplan.Deployment},
		"RefsOfAnother":        {reason: "A reference to a Deployment of another name belongs to another step and is ignored.", status: "Grove", options: []plantest.RequestOption{ofOther}, want: graphplan.Grove},
		"StatusOverRefs":       {reason: "The status, which users cannot write, comes before references.", status: "Deployment", options: []plantest.RequestOption{ofSet}, want: graphplan.Deployment},
		"Status":               {reason: "The status shows the orchestrator when nothing is observed or referenced.", status: "LeaderWorkerSet", want: graphplan.LeaderWorkerSet},
		"StatusUnknown":        {reason: "An orchestrator that does not exist is ignored.", status: "Slurm"},
		"KindOfAnotherGroup":   {reason: "A PodCliqueSet of another API group is ignored.", options: []plantest.RequestOption{ofOtherGroup}},
		"RefsWithoutAnyObject": {reason: "References that cannot be read are ignored.", options: []plantest.RequestOption{unreadable}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := remember(t, plantest.Graph(plantest.Frontend, plantest.RunningOn(tc.status)), tc.options...)
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
	refDeploy := plantest.ReferenceTo("apps/v1", "Deployment", "llama-frontend")
	refs := plantest.WithReferences(refDeploy)
	lwsRefs := plantest.WithReferences(refDeploy, plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0"))
	both, single := []plantest.GraphChange{plantest.Frontend, plantest.Multinode}, []plantest.GraphChange{plantest.Frontend, plantest.Worker}
	frontendOnly := plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())
	cases := map[string]struct {
		reason  string
		graph   []plantest.GraphChange
		status  string
		options []plantest.RequestOption
		want    graphplan.Orchestrator
	}{
		"HalfApplied":         {reason: "A multinode graph of which only the Deployment was composed is on LeaderWorkerSets.", graph: both, options: []plantest.RequestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"HalfAppliedRefs":     {reason: "A multinode graph of which only the reference to the Deployment is left is on LeaderWorkerSets, if its status names an orchestrator.", graph: both, status: "Deployment", options: []plantest.RequestOption{refs}, want: graphplan.LeaderWorkerSet},
		"RefsSayMore":         {reason: "A reference to a LeaderWorkerSet takes precedence over an observed Deployment, if the status confirms it.", graph: single, status: "LeaderWorkerSet", options: []plantest.RequestOption{lwsRefs, frontendOnly}, want: graphplan.LeaderWorkerSet},
		"RefsSayTooMuch":      {reason: "A reference to a LeaderWorkerSet that nothing confirms was written by the user.", graph: single, options: []plantest.RequestOption{lwsRefs, frontendOnly}, want: graphplan.Deployment},
		"StatusSaysMore":      {reason: "A status that names LeaderWorkerSet takes precedence over an observed Deployment.", graph: single, status: "LeaderWorkerSet", options: []plantest.RequestOption{frontendOnly}, want: graphplan.LeaderWorkerSet},
		"StatusOverRefs":      {reason: "A status that names LeaderWorkerSet takes precedence over a reference to a Deployment.", graph: single, status: "LeaderWorkerSet", options: []plantest.RequestOption{refs}, want: graphplan.LeaderWorkerSet},
		"Deployments":         {reason: "A graph of Deployments is on Deployments.", graph: single, status: "Deployment", options: []plantest.RequestOption{refs, frontendOnly}, want: graphplan.Deployment},
		"DeploymentsNoStatus": {reason: "A graph of Deployments without a status is on Deployments.", graph: single, options: []plantest.RequestOption{frontendOnly}, want: graphplan.Deployment},
		"GroveIsNotMistaken":  {reason: "A multinode graph whose PodCliqueSet is observed is on Grove.", graph: both, status: "Grove", options: []plantest.RequestOption{plantest.WithObserved("podcliqueset", plantest.FrontendSet())}, want: graphplan.Grove},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := remember(t, plantest.Graph(append(tc.graph, plantest.RunningOn(tc.status))...), tc.options...)
			if m.Orchestrator != tc.want {
				t.Errorf("%s\nOrchestrator: want %q, got %q", tc.reason, tc.want, m.Orchestrator)
			}
		})
	}
}

// unreadable are references without an object.
func unreadable(req *fnv1.RunFunctionRequest) {
	spec := req.GetObserved().GetComposite().GetResource().GetFields()["spec"].GetStructValue()
	spec.Fields["crossplane"] = structpb.NewStructValue(plantest.Struct(`{"resourceRefs":["x",{}]}`))
}

// remember what a request tells of a graph.
func remember(t *testing.T, xr *v1alpha1.DynamoGraphDeployment, options ...plantest.RequestOption) *memory.Memory {
	t.Helper()
	state, err := observed.Of(plantest.Request(xr, options...))
	if err != nil {
		t.Fatal(err)
	}
	return memory.Of(state, plantest.Decoded(t, xr))
}
