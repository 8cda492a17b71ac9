package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// The graphs that are selected for: on one node, and with a component that spans two.
const (
	oneNode  = `{"services":{"Frontend":{}}}`
	twoNodes = `{"services":{"Frontend":{},"Worker":{"multinode":{"nodeCount":2}},"Decode":{"multinode":{"nodeCount":2}}}}`
)

// factsOf a graph that runs on an orchestrator already, or without one is new.
func factsOf(g *graph.Graph, c subject.Cluster, o graphplan.Orchestrator) *subject.Facts {
	return factsWhere(g, c, o, false)
}

// factsWhere Kubernetes serves gangs, or does not.
func factsWhere(g *graph.Graph, c subject.Cluster, o graphplan.Orchestrator, gangs bool) *subject.Facts {
	req := plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithoutObject("apiservice-scheduling"))
	if gangs {
		plantest.WithServed("scheduling")(req)
	}
	return &subject.Facts{Seen: &subject.Seen{
		Graph: g, Cluster: c, Memory: &memory.Memory{Orchestrator: o}, Input: &inputv1alpha1.Input{}, Answers: require.AnswersIn(req),
	}}
}

// selectedOrRefused is a selection without its message.
type selectedOrRefused struct {
	Orchestrator graphplan.Orchestrator
	Reason       string
	Refused      bool
}

func chosen(o graphplan.Orchestrator) selectedOrRefused {
	return selectedOrRefused{Orchestrator: o, Reason: "Selected"}
}

func remembered(o graphplan.Orchestrator) selectedOrRefused {
	return selectedOrRefused{Orchestrator: o, Reason: "Remembered"}
}

func refused(o graphplan.Orchestrator, reason string) selectedOrRefused {
	return selectedOrRefused{Orchestrator: o, Reason: reason, Refused: true}
}

// TestSelectOrchestrator goes through what is installed x what the annotation says x what runs the graph already.
func TestSelectOrchestrator(t *testing.T) {
	const (
		unset = `{}`
		yes   = `{"nvidia.com/enable-grove":"true"}`
		no    = `{"nvidia.com/enable-grove":"false"}`
		loud  = `{"nvidia.com/enable-grove":"False"}`
	)
	var (
		none        = subject.Cluster{}
		grove       = subject.Cluster{Grove: true}
		groveKAI    = subject.Cluster{Grove: true, KAI: true}
		lwsVolcano  = subject.Cluster{LWS: true, Volcano: true}
		lwsKAI      = subject.Cluster{LWS: true, KAI: true}
		lwsAlone    = subject.Cluster{LWS: true}
		volcanoOnly = subject.Cluster{Volcano: true}
		all         = subject.Cluster{Grove: true, LWS: true, Volcano: true, KAI: true}

		fresh        = graphplan.Orchestrator("")
		onGrove      = graphplan.Grove
		onLWS        = graphplan.LeaderWorkerSet
		onDeployment = graphplan.Deployment
	)
	cases := map[string]struct {
		reason      string
		spec        string
		annotations string
		cluster     subject.Cluster
		memory      graphplan.Orchestrator
		want        selectedOrRefused
	}{
		"New/Provider/Grove":          {reason: "The choice of the operator is kept.", spec: oneNode, annotations: `{"nvidia.com/workload-provider":"grove","nvidia.com/enable-grove":"false"}`, cluster: all, memory: fresh, want: chosen(onGrove)},
		"New/Provider/GroveMissing":   {reason: "Another orchestrator than the recorded one would be a surprise.", spec: oneNode, annotations: `{"nvidia.com/workload-provider":"grove"}`, cluster: lwsVolcano, memory: fresh, want: refused("", "NoOrchestrator")},
		"New/Provider/Component":      {reason: "A graph that has not run on Grove does not run on it here.", spec: oneNode, annotations: `{"nvidia.com/workload-provider":"component"}`, cluster: all, memory: fresh, want: chosen(onDeployment)},
		"New/Provider/ComponentNodes": {reason: "Nodes without Grove are LeaderWorkerSets.", spec: twoNodes, annotations: `{"nvidia.com/workload-provider":"component"}`, cluster: all, memory: fresh, want: chosen(onLWS)},
		"New/Provider/ComponentAlone": {reason: "The recorded choice is not replaced by Grove, which would be a surprise too.", spec: twoNodes, annotations: `{"nvidia.com/workload-provider":"component"}`, cluster: grove, memory: fresh, want: refused("", "NoOrchestrator")},
		"Live/Provider/Same":          {reason: "A live graph keeps its orchestrator.", spec: oneNode, annotations: `{"nvidia.com/workload-provider":"component"}`, cluster: all, memory: onDeployment, want: chosen(onDeployment)},
		"Live/Provider/Changed":       {reason: "A live graph cannot change its orchestrator.", spec: oneNode, annotations: `{"nvidia.com/workload-provider":"grove"}`, cluster: all, memory: onDeployment, want: refused(onDeployment, "OrchestratorCannotChange")},
		"New/OneNode/Unset/None":      {reason: "Deployments need nothing.", spec: oneNode, annotations: unset, cluster: none, memory: fresh, want: chosen(onDeployment)},
		"New/OneNode/Unset/Grove":     {reason: "Grove is the default where installed.", spec: oneNode, annotations: unset, cluster: grove, memory: fresh, want: chosen(onGrove)},
		"New/OneNode/Unset/LWS":       {reason: "Without multinode services LeaderWorkerSet is not needed.", spec: oneNode, annotations: unset, cluster: lwsVolcano, memory: fresh, want: chosen(onDeployment)},
		"New/OneNode/Unset/All":       {reason: "Grove comes first where everything is installed.", spec: oneNode, annotations: unset, cluster: all, memory: fresh, want: chosen(onGrove)},
		"New/OneNode/Yes/Grove":       {reason: "Grove is selected where it is asked for and installed.", spec: oneNode, annotations: yes, cluster: grove, memory: fresh, want: chosen(onGrove)},
		"New/OneNode/Yes/None":        {reason: "A graph that asks for Grove runs on Deployments where Grove is not installed.", spec: oneNode, annotations: yes, cluster: none, memory: fresh, want: chosen(onDeployment)},
		"New/OneNode/No/Grove":        {reason: "The user asks for Deployments.", spec: oneNode, annotations: no, cluster: grove, memory: fresh, want: chosen(onDeployment)},
		"New/OneNode/No/All":          {reason: "The user asks for Deployments.", spec: oneNode, annotations: no, cluster: all, memory: fresh, want: chosen(onDeployment)},
		"New/OneNode/Loud/Grove":      {reason: "The spelling of false does not matter.", spec: oneNode, annotations: loud, cluster: grove, memory: fresh, want: chosen(onDeployment)},
		"New/TwoNodes/Unset/None":     {reason: "A graph that spans nodes is refused where nothing can run it.", spec: twoNodes, annotations: unset, cluster: none, memory: fresh, want: refused(fresh, "NoOrchestrator")},
		"New/TwoNodes/Unset/Grove":    {reason: "Grove can run a graph that spans nodes.", spec: twoNodes, annotations: unset, cluster: grove, memory: fresh, want: chosen(onGrove)},
		"New/TwoNodes/Unset/GroveKAI": {reason: "Grove with KAI can run a graph that spans nodes.", spec: twoNodes, annotations: unset, cluster: groveKAI, memory: fresh, want: chosen(onGrove)},
		"New/TwoNodes/Unset/LWS":      {reason: "LeaderWorkerSet with Volcano can run a graph that spans nodes.", spec: twoNodes, annotations: unset, cluster: lwsVolcano, memory: fresh, want: chosen(onLWS)},
		"New/TwoNodes/Unset/LWSKAI":   {reason: "LeaderWorkerSet with KAI can run a graph that spans nodes.", spec: twoNodes, annotations: unset, cluster: lwsKAI, memory: fresh, want: chosen(onLWS)},
		"New/TwoNodes/Unset/LWSAlone": {reason: "Without a gang scheduler half an engine may be scheduled.", spec: twoNodes, annotations: unset, cluster: lwsAlone, memory: fresh, want: refused(fresh, "NoOrchestrator")},
		"New/TwoNodes/Unset/Volcano":  {reason: "A scheduler alone runs nothing.", spec: twoNodes, annotations: unset, cluster: volcanoOnly, memory: fresh, want: refused(fresh, "NoOrchestrator")},
		"New/TwoNodes/Unset/All":      {reason: "Grove comes first where everything is installed.", spec: twoNodes, annotations: unset, cluster: all, memory: fresh, want: chosen(onGrove)},
		"New/TwoNodes/Yes/LWS":        {reason: "A graph that asks for Grove runs on LeaderWorkerSets where Grove is not installed.", spec: twoNodes, annotations: yes, cluster: lwsVolcano, memory: fresh, want: chosen(onLWS)},
		"New/TwoNodes/No/All":         {reason: "The user asks for LeaderWorkerSets.", spec: twoNodes, annotations: no, cluster: all, memory: fresh, want: chosen(onLWS)},
		"New/TwoNodes/No/Grove":       {reason: "Grove is selected although the annotation asks for another orchestrator, because only Grove can run the graph.", spec: twoNodes, annotations: no, cluster: grove, memory: fresh, want: chosen(onGrove)},
		"New/TwoNodes/No/None":        {reason: "A graph that spans nodes and does not want Grove is refused where nothing can run it.", spec: twoNodes, annotations: no, cluster: none, memory: fresh, want: refused(fresh, "NoOrchestrator")},

		"Grove/OneNode/Unset/All":  {reason: "What runs is kept.", spec: oneNode, annotations: unset, cluster: all, memory: onGrove, want: chosen(onGrove)},
		"Grove/OneNode/Yes/Grove":  {reason: "What was asked for is kept.", spec: oneNode, annotations: yes, cluster: grove, memory: onGrove, want: chosen(onGrove)},
		"Grove/OneNode/No/Grove":   {reason: "An explicit change is refused.", spec: oneNode, annotations: no, cluster: grove, memory: onGrove, want: refused(onGrove, "OrchestratorCannotChange")},
		"Grove/TwoNodes/No/All":    {reason: "An explicit change is refused.", spec: twoNodes, annotations: no, cluster: all, memory: onGrove, want: refused(onGrove, "OrchestratorCannotChange")},
		"Grove/TwoNodes/No/Grove":  {reason: "Grove was taken although the annotation said no, and the next run must not refuse that.", spec: twoNodes, annotations: no, cluster: grove, memory: onGrove, want: chosen(onGrove)},
		"Grove/OneNode/Unset/None": {reason: "No second copy of the graph is started while Grove's API is gone.", spec: oneNode, annotations: unset, cluster: none, memory: onGrove, want: refused(onGrove, "OrchestratorGone")},
		"Grove/TwoNodes/Unset/LWS": {reason: "No second copy of the graph is started while Grove's API is gone, even if LeaderWorkerSet could run it.", spec: twoNodes, annotations: unset, cluster: lwsVolcano, memory: onGrove, want: refused(onGrove, "OrchestratorGone")},
		"Grove/TwoNodes/Yes/LWS":   {reason: "No second copy of the graph is started while Grove's API is gone, even if the annotation asks for Grove.", spec: twoNodes, annotations: yes, cluster: lwsVolcano, memory: onGrove, want: refused(onGrove, "OrchestratorGone")},
		"Grove/TwoNodes/No/None":   {reason: "No second copy of the graph is started while Grove's API is gone, even if the annotation asks for another orchestrator.", spec: twoNodes, annotations: no, cluster: none, memory: onGrove, want: refused(onGrove, "OrchestratorGone")},

		"LWS/TwoNodes/Unset/LWS":      {reason: "What runs is kept.", spec: twoNodes, annotations: unset, cluster: lwsVolcano, memory: onLWS, want: chosen(onLWS)},
		"LWS/TwoNodes/Unset/All":      {reason: "Grove came later and changes nothing.", spec: twoNodes, annotations: unset, cluster: all, memory: onLWS, want: remembered(onLWS)},
		"LWS/TwoNodes/No/All":         {reason: "What was asked for is kept.", spec: twoNodes, annotations: no, cluster: all, memory: onLWS, want: chosen(onLWS)},
		"LWS/TwoNodes/Yes/All":        {reason: "An explicit change is refused.", spec: twoNodes, annotations: yes, cluster: all, memory: onLWS, want: refused(onLWS, "OrchestratorCannotChange")},
		"LWS/TwoNodes/Yes/LWS":        {reason: "Grove was asked for and not there: the next run must not refuse that.", spec: twoNodes, annotations: yes, cluster: lwsVolcano, memory: onLWS, want: chosen(onLWS)},
		"LWS/TwoNodes/Unset/Grove":    {reason: "No second copy of the graph is started while LeaderWorkerSet's API is gone.", spec: twoNodes, annotations: unset, cluster: grove, memory: onLWS, want: refused(onLWS, "OrchestratorGone")},
		"LWS/TwoNodes/Unset/LWSAlone": {reason: "Without Volcano, the PodGroups of a graph on LeaderWorkerSets cannot be applied.", spec: twoNodes, annotations: unset, cluster: lwsAlone, memory: onLWS, want: refused(onLWS, "OrchestratorGone")},

		"Deployment/OneNode/Unset/All":  {reason: "Grove came later and changes nothing.", spec: oneNode, annotations: unset, cluster: all, memory: onDeployment, want: remembered(onDeployment)},
		"Deployment/OneNode/Unset/None": {reason: "Deployments are always there.", spec: oneNode, annotations: unset, cluster: none, memory: onDeployment, want: chosen(onDeployment)},
		"Deployment/OneNode/No/Grove":   {reason: "What was asked for is kept.", spec: oneNode, annotations: no, cluster: grove, memory: onDeployment, want: chosen(onDeployment)},
		"Deployment/OneNode/Yes/Grove":  {reason: "An explicit change is refused.", spec: oneNode, annotations: yes, cluster: grove, memory: onDeployment, want: refused(onDeployment, "OrchestratorCannotChange")},
		"Deployment/OneNode/Yes/None":   {reason: "Grove was asked for and not there: the next run must not refuse that.", spec: oneNode, annotations: yes, cluster: none, memory: onDeployment, want: chosen(onDeployment)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, _ := selectOrchestrator(factsOf(plantest.Decoded(t, plantest.AnnotatedJSON(tc.spec, tc.annotations)), tc.cluster, tc.memory))
			got := selectedOrRefused{Orchestrator: s.orchestrator, Reason: s.reason, Refused: s.refused}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nselectOrchestrator(...): -want, +got:\n%s", tc.reason, diff)
			}
			if s.message.IsZero() {
				t.Errorf("%s\nselectOrchestrator(...): want a message", tc.reason)
			}
		})
	}
}

// TestSelectionIsStable runs twice: the second run remembers what the first chose and must agree with it, whatever the
// annotation says and is installed.
func TestSelectionIsStable(t *testing.T) {
	for _, spec := range []string{oneNode, twoNodes} {
		for _, annotations := range []string{`{}`, `{"nvidia.com/enable-grove":"true"}`, `{"nvidia.com/enable-grove":"false"}`, `{"nvidia.com/enable-grove":""}`} {
			for bits := range 16 {
				c := subject.Cluster{Grove: bits&1 > 0, LWS: bits&2 > 0, Volcano: bits&4 > 0, KAI: bits&8 > 0}
				g := plantest.Decoded(t, plantest.AnnotatedJSON(spec, annotations))
				first, _ := selectOrchestrator(factsOf(g, c, ""))
				if first.refused {
					continue
				}
				second, _ := selectOrchestrator(factsOf(g, c, first.orchestrator))
				if second.refused || second.orchestrator != first.orchestrator {
					t.Errorf("%s %s %+v: the first run chose %s, the second says %s %s", spec, annotations, c, first.orchestrator, second.orchestrator, second.message)
				}
			}
		}
	}
}

// TestSelectionMessages shows the words that a user reads.
func TestSelectionMessages(t *testing.T) {
	cases := map[string]struct {
		reason      string
		spec        string
		annotations string
		cluster     subject.Cluster
		memory      graphplan.Orchestrator
		want        string
	}{
		"NoOrchestrator": {
			reason: "A refusal names the services and both ways out.", spec: twoNodes, annotations: `{}`,
			want: "services Decode, Worker span several nodes, but no orchestrator that can run them is installed; install Grove (API group grove.io), " +
				"or LeaderWorkerSet (leaderworkerset.x-k8s.io) together with Volcano (scheduling.volcano.sh), KAI (scheduling.run.ai) or gangs of Kubernetes 1.37 (scheduling.k8s.io/v1beta1)",
		},
		"OnlyGrove": {
			reason: "Where the annotation is not obeyed the user is told why.", spec: twoNodes, annotations: `{"nvidia.com/enable-grove":"false"}`, cluster: subject.Cluster{Grove: true},
			want: "Grove runs the graph: annotation nvidia.com/enable-grove requests another orchestrator, but only Grove can run services that span several nodes in this cluster",
		},
		"Deployment": {
			reason: "Where the annotation is obeyed, the user is told so.", spec: oneNode, annotations: `{"nvidia.com/enable-grove":"false"}`, cluster: subject.Cluster{Grove: true},
			want: "Deployment runs the graph: annotation nvidia.com/enable-grove is false, and no service spans several nodes",
		},
		"LeaderWorkerSet": {
			reason: "Where Grove is not installed, the user is told so.", spec: twoNodes, annotations: `{}`, cluster: subject.Cluster{LWS: true, Volcano: true},
			want: "LeaderWorkerSet runs the graph: Grove is not installed, and LeaderWorkerSet and a gang scheduler are installed",
		},
		"Gone": {
			reason: "An API that is gone is named, with what to do.", spec: oneNode, annotations: `{}`, memory: graphplan.LeaderWorkerSet,
			want: "the graph runs on LeaderWorkerSet, but API group leaderworkerset.x-k8s.io is no longer served by the cluster; " +
				"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it",
		},
		"Changed": {
			reason: "A change is refused with the remedy.", spec: oneNode, annotations: `{"nvidia.com/enable-grove":"false"}`, cluster: subject.Cluster{Grove: true}, memory: graphplan.Grove,
			want: `annotation nvidia.com/enable-grove: "false" requests an orchestrator other than Grove, which runs the graph; ` +
				"undo the change or remove the annotation, or delete and recreate the graph",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := plantest.Decoded(t, plantest.AnnotatedJSON(tc.spec, tc.annotations))
			got, _ := selectOrchestrator(factsOf(g, tc.cluster, tc.memory))
			if diff := cmp.Diff(tc.want, got.message.In(g)); diff != "" {
				t.Errorf("%s\nmessage: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNativeSelectionIsStable runs twice where Kubernetes serves gangs: a live graph on Grove is not refused because Kubernetes was upgraded.
func TestNativeSelectionIsStable(t *testing.T) {
	g := plantest.Decoded(t, plantest.AnnotatedJSON(twoNodes, `{"nvidia.com/enable-grove":"false"}`))
	both := subject.Cluster{Grove: true, LWS: true}
	if first, _ := selectOrchestrator(factsWhere(g, both, "", false)); first.orchestrator != graphplan.Grove {
		t.Fatalf("without gangs of Kubernetes: want Grove, got %+v", first)
	}
	if later, _ := selectOrchestrator(factsWhere(g, both, graphplan.Grove, true)); later.refused || later.orchestrator != graphplan.Grove {
		t.Errorf("after an upgrade of Kubernetes: want Grove, got %+v", later)
	}
	fresh, outcome := selectOrchestrator(factsWhere(g, both, "", true))
	if fresh.orchestrator != graphplan.LeaderWorkerSet {
		t.Errorf("a new graph: want LeaderWorkerSet, got %+v", fresh)
	}
	if len(outcome.Requirements) == 0 {
		t.Error("a new graph: want required what shows that Kubernetes serves gangs")
	}
}
