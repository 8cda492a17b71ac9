package plan

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// Status of a graph of one Deployment, and its Deployment.
const (
	deployedStatus = `{"orchestrator":"Deployment","services":{"Frontend":{"componentKind":"Deployment","componentName":"llama-frontend",
		"componentNames":["llama-frontend"],"replicas":1}}}`
	deployedPlan = `"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"}}`
)

// living is an object, JSON, that a composite resource controls, composed under a key.
func living(apiVersion, kind, name, key, controller string) string {
	return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","metadata":{"name":"` + name + `","namespace":"inference",
		"labels":{"crossplane.io/composite":"llama"},"annotations":{"crossplane.io/composition-resource-name":"` + key + `"},
		"ownerReferences":[{"uid":"` + controller + `","controller":true}]}}`
}

func livingDeployment() string {
	return living("apps/v1", "Deployment", "llama-frontend", "deployment-frontend", "u1")
}

// asksForLostDeployment is asksForLost of a graph of one Deployment.
func asksForLostDeployment(served ...string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		asksForLost(served...)(rsp)
		asksFor("lost-deployment-llama-frontend", "apps/v1", "Deployment", "llama-frontend")(rsp)
		requirements(rsp)["lost-deployment-llama-frontend"].Namespace = new("inference")
	}
}

// TestReferencesLost shows what is looked up when the references of a graph are lost, and that nothing is decided before.
func TestReferencesLost(t *testing.T) {
	const ref = `[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`
	xr := graphOf(services(frontend))
	replaced := withStatus(xr, deployedStatus)
	onDeployment := conditioned("OrchestratorSelected", isTrue, "Selected", "Deployment runs the graph: Grove is not installed; no service spans several nodes")
	plannedOn := func(orchestrator responseOption, lost string) responseOption {
		return func(rsp *fnv1.RunFunctionResponse) {
			accepted()(rsp)
			orchestrator(rsp)
			noQueue()(rsp)
			planOf(`{` + deployedPlan + lost + `}`)(rsp)
		}
	}
	planned := func(lost string) responseOption { return plannedOn(onDeployment, lost) }
	found := `,"lost":[{"key":"deployment-frontend","apiVersion":"apps/v1","kind":"Deployment","name":"llama-frontend"}]`

	compare(t, map[string]responseCase{
		"AtRest": {
			reason: "With all references there, nothing is looked up.",
			req:    request(withStatus(withRefs(xr, false, ref), deployedStatus), withGroups(), withObserved("deployment-frontend", livingDeployment())),
			want:   want(asksForGroups(), planned("")),
		},
		"Deleted": {
			reason: "What Crossplane refers to and does not observe is not there.",
			req:    request(withStatus(withRefs(xr, false, ref), deployedStatus), withGroups()),
			want:   want(asksForGroups(), planned("")),
		},
		"Lost": {
			reason: "A workload that the status names is looked up by its name, all others by the label of the graph.",
			req:    request(replaced, withGroups()),
			want:   want(asksForGroups(), asksForLostDeployment()),
		},
		"FirstCall": {
			reason: "Kinds that every cluster serves are looked up together with the API groups, to save a call.",
			req:    request(replaced),
			want:   want(asksForGroups(), asksForLostDeployment()),
		},
		"Invalid": {
			reason: "Nor is a graph refused: that would end the lookup.",
			req:    request(withStatus(graphOf(services(`"Frontend":{"componentTyp":"frontend"}`)), deployedStatus), withGroups()),
			want:   want(asksForGroups(), asksForLostDeployment()),
		},
		"Served": {
			reason: "Kinds of installed groups are looked up too, and no others.",
			req:    request(replaced, withGroups("grove", "lws", "volcano"), withObject("apiservice-resource-nvidia", `{"kind":"APIService"}`)),
			want:   want(asksForGroups(), asksForLostDeployment("PodCliqueSet", "LeaderWorkerSet", "PodGroup", "ComputeDomain", "Usage")),
		},
		"Found": {
			reason: "What is found is in the plan, for the steps behind.",
			req:    request(replaced, withGroups(), withLost(map[string]string{"lost-deployment-llama-frontend": livingDeployment()})),
			want:   want(asksForGroups(), asksForLostDeployment(), planned(found)),
		},
		"FoundByLabel": {
			reason: "That is so whichever lookup finds it.",
			req:    request(replaced, withGroups(), withLost(map[string]string{"lost-deployment": livingDeployment()})),
			want:   want(asksForGroups(), asksForLostDeployment(), planned(found)),
		},
		"Gone": {
			reason: "A graph of which nothing is left is planned as a new one, on the orchestrator that it had.",
			req:    request(replaced, withGroups("grove"), withLost(nil)),
			want:   want(asksForGroups(), asksForLostDeployment("PodCliqueSet"), plannedOn(keptOn("Deployment"), "")),
		},
		"OfAnotherGraph": {
			reason: "What somebody else controls is not the graph's.",
			req: request(replaced, withGroups(), withLost(map[string]string{
				"lost-deployment": living("apps/v1", "Deployment", "llama-frontend", "deployment-frontend", "u2"),
			})),
			want: want(asksForGroups(), asksForLostDeployment(), planned("")),
		},
		"OfAnotherStep": {
			reason: "What another step of the Composition composes is for that step to look after.",
			req:    request(replaced, withGroups(), withLost(map[string]string{"lost-configmap": living("v1", "ConfigMap", "settings", "settings", "u1")})),
			want:   want(asksForGroups(), asksForLostDeployment(), planned("")),
		},
		"OlderCrossplane": {
			reason: "A caller that advertises nothing knows the older field, and no schemas.",
			req:    request(replaced, withGroups(), withoutCapabilities()),
			want: want(asksForGroups(), asksForLostDeployment(), inOlderField(), func(rsp *fnv1.RunFunctionResponse) {
				rsp.Requirements.Schemas = nil
			}),
		},
	})
}

// TestFindLost shows which objects are lost.
func TestFindLost(t *testing.T) {
	const (
		setRef = `[{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-0"}]`
		set    = "LeaderWorkerSet"
	)
	onSets := func(replicas string, names ...string) string {
		return `{"orchestrator":"LeaderWorkerSet","services":{"Worker":{"componentKind":"LeaderWorkerSet","replicas":` + replicas + `,
			"componentNames":["` + strings.Join(names, `","`) + `"]}}}`
	}
	none := strings.Replace(multinode, `"replicas":2`, `"replicas":0`, 1)
	gang := map[string]string{"lost-podgroup": living("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0", "podgroup-worker-0", "u1")}
	cases := map[string]struct {
		reason string
		xr     string
		found  map[string]string
		want   []string
	}{
		"New":     {reason: "A graph without a status is new.", xr: graphOf(services(multinode)), found: gang},
		"Refused": {reason: "So is one that was refused so far.", xr: withStatus(graphOf(services(multinode)), `{"conditions":[{"type":"Accepted","status":"False"}]}`), found: gang},
		"OnGrove": {
			reason: "On Grove the status names what Grove makes, and the set has the name of the graph.",
			xr:     withStatus(graphOf(services(multinode)), `{"orchestrator":"Grove","services":{"Worker":{"componentKind":"PodCliqueScalingGroup","componentNames":["llama-0-worker"]}}}`),
			found:  map[string]string{"lost-podcliqueset-llama": living("grove.io/v1alpha1", "PodCliqueSet", "llama", "podcliqueset", "u1")},
			want:   []string{"podcliqueset"},
		},
		"Replicas": {
			reason: "With a replica that is lost all is found that belongs to it.",
			xr:     withStatus(withRefs(graphOf(services(multinode)), false, setRef), onSets("2", "llama-worker-0", "llama-worker-1")),
			found: map[string]string{
				"lost-leaderworkerset-llama-worker-1": living("leaderworkerset.x-k8s.io/v1", set, "llama-worker-1", "leaderworkerset-worker-1", "u1"),
				"lost-podgroup":                       living("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-1", "podgroup-worker-1", "u1"),
			},
			want: []string{"leaderworkerset-worker-1", "podgroup-worker-1"},
		},
		"RemovedService": {
			reason: "A service that the spec does not have any more is lost like any other.",
			xr:     withStatus(graphOf(services(frontend)), onSets("1", "llama-worker-0")),
			found:  gang,
			want:   []string{"podgroup-worker-0"},
		},
		"ScaledToNone": {
			reason: "The status of a service without replicas names the first one to come, which is not lost.",
			xr:     withStatus(graphOf(services(none)), onSets("0", "llama-worker-0")),
			found:  gang,
		},
		"ScaledToNoneInTheReplace": {
			reason: "Replicas that run are lost though the spec wants none any more.",
			xr:     withStatus(graphOf(services(none)), onSets("1", "llama-worker-0")),
			found:  gang,
			want:   []string{"podgroup-worker-0"},
		},
		"NoNamespace": {
			reason: "Without a namespace nothing can be looked up.",
			xr:     `{"kind":"DynamoGraphDeployment","metadata":{"name":"llama"},"spec":` + services(frontend) + `,"status":` + deployedStatus + `}`,
			found:  gang,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := request(tc.xr, withLost(tc.found))
			g, _ := graph.Decode(req)
			s := &search{
				req: req, graph: g, input: &v1alpha1.Input{}, cluster: cluster{grove: true, lws: true, volcano: true}, requirements: require.New(req),
			}
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(s.find()))); diff != "" {
				t.Errorf("%s\nfind(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFindSecret shows that the Secret of a graph is taken for observed too, and looked up only when others are.
func TestFindSecret(t *testing.T) {
	secret := living("v1", "Secret", "mpirun-ssh-key-llama", "ssh-secret", "u1")
	req := request(graphOf(services(frontend)), withObject("lost-secret-mpirun-ssh-key-llama", secret))
	g, _ := graph.Decode(req)
	cases := map[string]struct {
		reason string
		found  lost.Objects
		plan   graphplan.Plan
		want   []string
		asked  bool
	}{
		"Lost":    {reason: "Beside other objects it is lost.", found: lost.Objects{}, plan: graphplan.Plan{SSHSecret: "mpirun-ssh-key-llama"}, want: []string{"ssh-secret"}, asked: true},
		"AtRest":  {reason: "Nothing is lost.", plan: graphplan.Plan{SSHSecret: "mpirun-ssh-key-llama"}},
		"Without": {reason: "The graph has none, and Crossplane would cache all Secrets of the cluster.", found: lost.Objects{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &search{req: req, graph: g, requirements: require.New(req)}
			s.findSecret(tc.found, &tc.plan)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(tc.found))); diff != "" {
				t.Errorf("%s\nfindSecret(...): -want, +got:\n%s", tc.reason, diff)
			}
			rsp := &fnv1.RunFunctionResponse{}
			s.requirements.Write(rsp)
			if asked := rsp.GetRequirements() != nil; asked != tc.asked {
				t.Errorf("%s\nfindSecret(...): want asked %t, got %t", tc.reason, tc.asked, asked)
			}
		})
	}
}

// TestOthersWroteReferences shows when references that are there may be too few.
func TestOthersWroteReferences(t *testing.T) {
	const (
		crossplanes = `{"manager":"apiextensions.crossplane.io/composite","operation":"Apply","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}}`
		users       = `{"manager":"kubectl-replace","operation":"Update","fieldsV1":{"f:spec":{"f:crossplane":{"f:resourceRefs":{}}}}}`
		legacy      = `{"manager":"kubectl-replace","operation":"Update","fieldsV1":{"f:spec":{"f:resourceRefs":{}}}}`
		edited      = `{"manager":"kubectl-edit","operation":"Update","fieldsV1":{"f:spec":{"f:services":{}}}}`
	)
	cases := map[string]struct {
		reason     string
		managers   string
		generation string
		want       bool
	}{
		"Replaced":       {reason: "Somebody has put back older references.", managers: users, generation: "4", want: true},
		"ReplacedLegacy": {reason: "A composite resource of scope LegacyCluster keeps them elsewhere.", managers: crossplanes + "," + legacy, generation: "4", want: true},
		"CarriedOut":     {reason: "A run has ended since, and wrote the status.", managers: crossplanes + "," + users, generation: "3"},
		"Edited":         {reason: "A change of anything else leaves the references to Crossplane.", managers: crossplanes + "," + edited, generation: "4"},
		"New":            {reason: "The first references are Crossplane's own.", managers: crossplanes, generation: "4"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(
				`{"metadata":{"generation":` + tc.generation + `,"managedFields":[` + tc.managers + `]},"status":{"observedGeneration":3}}`)}}}
			if got := othersWroteReferences(req); got != tc.want {
				t.Errorf("%s\nothersWroteReferences(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestLostLabel shows the label by which objects are found.
func TestLostLabel(t *testing.T) {
	cases := map[string]struct {
		reason, metadata, want string
	}{
		"Own":       {reason: "It is the name of the composite resource.", metadata: `{"name":"llama","labels":{"crossplane.io/composite":"llama"}}`, want: "llama"},
		"Composed":  {reason: "Of one that is composed itself it is the name of the outermost.", metadata: `{"name":"llama","labels":{"crossplane.io/composite":"platform"}}`, want: "platform"},
		"Unlabeled": {reason: "Crossplane puts the label back with the next run.", metadata: `{"name":"llama"}`, want: "llama"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := search{req: &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"metadata":` + tc.metadata + `}`)}}}}
			if got := s.label(); got != tc.want {
				t.Errorf("%s\nlabel(): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
