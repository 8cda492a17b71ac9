package recovery

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	sdkresource "github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/rbac"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
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
			xr := sdkresource.MustStructJSON(tc.xr)
			if got := label(xr); got != tc.want {
				t.Errorf("%s\nlabel(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestEveryKind shows that all kinds that the chain composes are looked up. Objects of a kind that is left out would remain when
// their graph no longer requests them.
func TestEveryKind(t *testing.T) {
	req := plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove", "lws", "volcano", "kai"))
	for _, group := range []string{"resource-nvidia", "resource", "inference", "istio", "gateway-api"} {
		req.RequiredResources["apiservice-"+group] = plantest.Objects(`{"kind":"APIService"}`)
	}
	req.Input = sdkresource.MustStructJSON(`{"apiVersion":"plan.dynamo.nvidia.com/v1alpha1","kind":"Input","scalingAdapter":{"mode":"Enabled"}}`)
	req.RequiredSchemas["schema-snapshotjob"] = &fnv1.Schema{OpenapiV3: plantest.Struct(map[string]any{"type": "object"})}
	lookedUp, groupKinds := map[composedKind]bool{}, map[string]bool{}
	for _, k := range kinds(plantest.Facts(t, req)) {
		gv, err := schema.ParseGroupVersion(k.apiVersion)
		if err != nil {
			t.Fatal(err)
		}
		lookedUp[k], groupKinds[k.kind+"."+gv.Group] = true, true
	}
	composed := map[composedKind]bool{}
	for _, o := range []graphplan.Orchestrator{graphplan.Grove, graphplan.LeaderWorkerSet} {
		l := inventory.Lister{Graph: everything(), Plan: planOfEverything(o), Scaling: []string{"Worker"}, MaxReplicas: 1}
		for _, object := range l.Missing() {
			// Objects that controllers create have no key.
			if object.Maker == "" {
				if !names.IsKey(string(object.Key)) {
					t.Errorf("IsKey(%s): want true, because lost objects are recognized by their keys; add it in internal/names/keys.go", object.Key)
				}
				composed[composedKind{object.APIVersion, object.Kind}] = true
			}
		}
	}
	for _, key := range []resource.Name{names.KeySSHSecret, names.KeyPVC("models"), names.KeyRevision("0123456789"), names.KeySnapshotJob("Worker", "0123")} {
		if !names.IsKey(string(key)) {
			t.Errorf("IsKey(%s): want true, because lost objects are recognized by their keys; add it in internal/names/keys.go", key)
		}
	}
	for _, k := range rbac.Kinds() {
		// The Secret is looked up by its name alone.
		if !k.Required && k.Kind != "Secret" && !groupKinds[k.Kind+"."+k.Group] {
			t.Errorf("kinds(...): %s.%s is composed, and not looked up when it is lost; add it in recovery.go", k.Kind, k.Group)
		}
	}
	const least = 18
	if len(composed) < least {
		t.Errorf("want a graph with at least %d kinds, got %d", least, len(composed))
	}
	for k := range composed {
		if !lookedUp[k] {
			t.Errorf("kinds(...): %s is composed, and not looked up when it is lost; add it in recovery.go", k)
		}
	}
}

// everything is a graph for which all kinds are composed.
func everything() *graph.Graph {
	frontend := func(in *v1alpha1.Ingress) v1alpha1.Service {
		return v1alpha1.Service{ComponentType: v1alpha1.ComponentFrontend, Ingress: in}
	}
	return &graph.Graph{Name: "llama", Namespace: "inference", Spec: v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{
		"Frontend": frontend(&v1alpha1.Ingress{Enabled: true, Host: "a.example.org", IngressControllerClassName: new("nginx")}),
		"Istio":    frontend(&v1alpha1.Ingress{Enabled: true, Host: "b.example.org", UseVirtualService: true, VirtualServiceGateway: new("public")}),
		"Routed":   frontend(nil),
		"Planner":  {ComponentType: v1alpha1.ComponentPlanner},
		"Picker":   {ComponentType: v1alpha1.ComponentEPP, EPPConfig: &v1alpha1.EPPConfig{Config: &v1alpha1.EndpointPickerConfig{}}},
		"Worker": {
			ComponentType: v1alpha1.ComponentWorker, Autoscaling: &v1alpha1.Autoscaling{Enabled: true},
			GPUMemoryService: &v1alpha1.GPUMemoryService{Enabled: true},
		},
		"Nodes": {ComponentType: v1alpha1.ComponentWorker, Multinode: &v1alpha1.Multinode{NodeCount: 2}},
	}}}
}

// planOfEverything on an orchestrator.
func planOfEverything(o graphplan.Orchestrator) *graphplan.Plan {
	p := &graphplan.Plan{
		Orchestrator: o, Services: map[string]graphplan.Service{}, WaitForLeader: true,
		IngressDefaults: graphplan.IngressDefaults{Gateway: graphplan.Gateway{Name: "public"}},
		Serves:          []string{graphplan.KindInferencePool, graphplan.KindVirtualService, graphplan.KindHTTPRoute},
		LWS:             graphplan.LWSPlan{Gang: steptest.ByPodGroup()},
		MNNVL:           graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Nodes": {}}},
	}
	for name := range everything().Spec.Services {
		p.Services[name] = graphplan.Service{Discovery: graphplan.Kubernetes, ScalingAdapter: true}
	}
	return p
}
