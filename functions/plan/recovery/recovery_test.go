package recovery

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// TestLabel shows the label by which objects are found.
func TestLabel(t *testing.T) {
	cases := map[string]struct {
		reason, xr, want string
	}{
		"Own":       {reason: "The label holds the name of the composite resource.", xr: `{"metadata":{"name":"llama","labels":{"crossplane.io/composite":"llama"}}}`, want: "llama"},
		"Composed":  {reason: "The label of a composite resource that is composed itself holds the name of the outermost one.", xr: `{"metadata":{"name":"llama","labels":{"crossplane.io/composite":"platform"}}}`, want: "platform"},
		"Unlabeled": {reason: "Crossplane puts the label back with the next run.", xr: `{"metadata":{"name":"llama"}}`, want: "llama"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := resource.MustStructJSON(tc.xr)
			if got := label(xr); got != tc.want {
				t.Errorf("%s\nlabel(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestEveryKind shows that all kinds that the chain composes are looked up where the cluster serves them. Objects of a kind that is left out
// would remain when their graph no longer requests them.
func TestEveryKind(t *testing.T) {
	for _, mode := range []string{"Enabled", "Auto", "Disabled"} {
		everyKind(t, mode)
	}
}

// everyKind is looked up, whether the platform wants scaling adapters or not: there may be old ones.
func everyKind(t *testing.T, adapters string) {
	t.Helper()
	req := plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove", "lws", "volcano", "kai", "scheduling"))
	for _, group := range []string{"resource-nvidia", "resource", "inference", "istio", "gateway-api"} {
		req.RequiredResources["apiservice-"+group] = plantest.Objects(`{"kind":"APIService"}`)
	}
	req.Input = resource.MustStructJSON(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","scalingAdapter":{"mode":"` + adapters + `"}}`)
	plantest.WithAdapterSchema(true)(req)
	f := plantest.Facts(t, req)
	// Only graphs on LeaderWorkerSets have gangs of Kubernetes.
	f.Memory.Orchestrator = graphplan.LeaderWorkerSet
	var lookedUp, composed []string
	for _, k := range servedKinds(f.Seen, &require.Requirements{}) {
		lookedUp = append(lookedUp, k.String())
	}
	for _, k := range kinds.Composed() {
		// Secrets are looked up by their names, and SnapshotJobs where a schema says that they are served.
		if k.Kind != "Secret" && k.Kind != "SnapshotJob" {
			composed = append(composed, k.String())
		}
	}
	if diff := cmp.Diff(composed, lookedUp); diff != "" {
		t.Errorf("servedKinds(...) with scaling adapters %s: -composed, +looked up:\n%s", adapters, diff)
	}
}

// TestListed shows that the kinds and keys of the objects of a graph are in the table of kinds.
func TestListed(t *testing.T) {
	for _, o := range []graphplan.Orchestrator{graphplan.Grove, graphplan.LeaderWorkerSet} {
		l := inventory.Lister{Graph: everything(), Plan: planOfEverything(o), Scaling: []string{"Worker"}, MaxReplicas: 1}
		for _, object := range l.Missing() {
			if object.Kind == "" {
				t.Errorf("%s with key %s is composed or made by %q, and not in internal/kinds/kinds.go", object.Name, object.Key, object.Maker)
			}
		}
	}
}

// everything is a graph for which all kinds are composed.
func everything() *graph.Graph {
	frontend := func(in *v1alpha1.Ingress) v1alpha1.Service {
		return v1alpha1.Service{ComponentType: v1alpha1.ComponentFrontend, Ingress: in}
	}
	g := &graph.Graph{Name: "llama", Namespace: "inference", Annotations: map[string]string{"dynamo.nvidia.com/scale-together": "Nodes=1"}}
	return graphtest.Of(g, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
		"Frontend": frontend(&v1alpha1.Ingress{Enabled: true, Host: "a.example.org", IngressControllerClassName: new("nginx")}),
		"Istio":    frontend(&v1alpha1.Ingress{Enabled: true, Host: "b.example.org", UseVirtualService: true, VirtualServiceGateway: new("public")}),
		"Routed":   frontend(nil),
		"Planner":  {ComponentType: v1alpha1.ComponentPlanner},
		"Picker":   {ComponentType: v1alpha1.ComponentEPP, EPPConfig: &v1alpha1.EPPConfig{Config: &v1alpha1.EndpointPickerConfig{}}},
		"Worker": {
			ComponentType: v1alpha1.ComponentWorker, Autoscaling: &v1alpha1.Autoscaling{Enabled: true},
			GPUMemoryService: &v1alpha1.GPUMemoryService{Enabled: true}, ScalingAdapter: &v1alpha1.ScalingAdapter{Enabled: true},
		},
		"Nodes": {ComponentType: v1alpha1.ComponentWorker, Multinode: &v1alpha1.Multinode{NodeCount: 2}},
	}})
}

// planOfEverything on an orchestrator.
func planOfEverything(o graphplan.Orchestrator) *graphplan.Plan {
	p := &graphplan.Plan{
		Orchestrator: o, Components: map[string]graphplan.Component{}, WaitForLeader: true,
		IngressDefaults: graphplan.IngressDefaults{Gateway: graphplan.Gateway{Name: "public"}},
		Serves:          []string{networking.KindInferencePool, networking.KindVirtualService, networking.KindHTTPRoute},
		LWS:             graphplan.LWSPlan{Gang: steptest.ByPodGroup()},
		MNNVL:           graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Nodes": {}}},
	}
	for name := range everything().Components {
		p.Components[name] = graphplan.Component{Discovery: graphplan.Kubernetes, ScalingAdapter: true}
	}
	return p
}
