package components_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/components"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// reach of a request.
func reach(t *testing.T, req *fnv1.RunFunctionRequest) subject.Outcome {
	t.Helper()
	f := plantest.Facts(t, req)
	return components.Reach(f, &graphplan.Plan{IngressDefaults: input.IngressDefaults(f.Input)})
}

// ways to expose a frontend: the settings of the platform, and those of the user beside the host.
func ways() map[exposure.Kind]struct {
	platform inputv1alpha1.Ingress
	user     v1alpha1.Ingress
} {
	return map[exposure.Kind]struct {
		platform inputv1alpha1.Ingress
		user     v1alpha1.Ingress
	}{
		exposure.Ingress:        {platform: inputv1alpha1.Ingress{ClassName: "nginx"}},
		exposure.VirtualService: {platform: inputv1alpha1.Ingress{VirtualServiceGateway: "istio-system/public"}, user: v1alpha1.Ingress{UseVirtualService: true}},
		exposure.HTTPRoute:      {platform: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}},
	}
}

// graphsWith are the graphs that result in a host, by the way in which it is written.
func graphsWith(host string, user v1alpha1.Ingress) map[string]*v1alpha1.DynamoGraphDeployment {
	user.Enabled = true
	with := func(prefix *string, middle string, suffix *string) *v1alpha1.DynamoGraphDeployment {
		block := user
		block.HostPrefix, block.Host, block.HostSuffix = prefix, middle, suffix
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.Ingress = &block }))
	}
	first, rest, dotted := strings.Cut(host, ".")
	graphs := map[string]*v1alpha1.DynamoGraphDeployment{
		"Whole":    with(nil, host, new("")),
		"Prefixed": with(new(host[:1]), host[1:], new("")),
	}
	if dotted {
		graphs["Dots"] = with(nil, host, nil)
		graphs["Suffixed"] = with(nil, first, &rest)
		graphs["SuffixedLater"] = with(new(first+"."), strings.Split(rest, ".")[0], new(strings.TrimPrefix(rest, strings.Split(rest, ".")[0]+".")))
		if !strings.Contains(rest, ".") {
			delete(graphs, "SuffixedLater")
		}
	}
	return graphs
}

// TestHostsInside tries all names that pods resolve inside the cluster, each on every kind that exposes frontends, in every way in which a host
// can be written, in both forms of the API.
func TestHostsInside(t *testing.T) {
	inside := []string{
		"pay", "pay.team-b", "pay-0.pay.team-b", "pay.team-b.svc", "pay-0.pay.team-b.svc", "pay.team-b.svc.cluster.local", "pay.team-b.svc.k8s.corp",
		"kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "10-0-0-1.team-b.pod.cluster.local", "svc.cluster.local", "cluster.local",
	}
	outside := []string{"llama.example.org", "example.org", "llama.local", "llama.team.example.org"}
	tried := 0
	for kind, way := range ways() {
		for _, host := range append(inside, outside...) {
			for written, xr := range graphsWith(host, way.user) {
				req := plantest.Request(xr, plantest.WithInput(inputv1alpha1.Policy{Ingress: way.platform}))
				for form, req := range map[string]*fnv1.RunFunctionRequest{"services": req, "components": plantest.InComponents(t, req)} {
					tried++
					outcome := reach(t, req)
					errs := outcome.Refused(subject.Mistake)
					if want := !strings.Contains(strings.Join(outside, " "), host); want != (len(errs) == 1) {
						t.Errorf("%s, host %s written as %s in %s: refused must be %t, got %v", kind, host, written, form, want, errs)
					}
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("want at least 300 graphs tried, got %d", tried)
	}
}

func TestReach(t *testing.T) {
	exposed := func(block v1alpha1.Ingress) *v1alpha1.DynamoGraphDeployment {
		block.Enabled = true
		return plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.Ingress = &block }))
	}
	onMesh := exposed(v1alpha1.Ingress{Host: "pay.team-b.svc", UseVirtualService: true, VirtualServiceGateway: new("mesh")})
	const (
		path     = "spec.services[Frontend].ingress."
		isHost   = "host pay.team-b.svc is the name of a Service, or of a pod, whose clients would reach this graph"
		another  = "; specify a host outside of the cluster, such as llama.example.org"
		isMesh   = "mesh stands for all sidecars of the mesh, so requests of other namespaces to the host would reach this graph"
		gateways = "; name a gateway, such as istio-system/public"
	)
	named := func(name string) *v1alpha1.DynamoGraphDeployment {
		xr := plantest.Graph(plantest.Frontend)
		xr.Name = name
		return xr
	}
	byDefault := plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{ClassName: "nginx"}})
	cases := map[string]struct {
		reason  string
		xr      *v1alpha1.DynamoGraphDeployment
		options []plantest.RequestOption
		errors  []string
		warns   []string
	}{
		"New": {
			reason: "A new graph takes neither hosts of other Services nor requests inside the mesh.", xr: onMesh,
			errors: []string{
				path + `host: Invalid value: "pay.team-b.svc": ` + isHost + another,
				path + `virtualServiceGateway: Invalid value: "mesh": ` + isMesh + gateways,
			},
		},
		"Live": {
			reason: "A live graph is not changed, but its user learns what it does.", xr: onMesh,
			options: []plantest.RequestOption{plantest.WithObserved("virtualservice-frontend", `{"apiVersion":"networking.istio.io/v1","kind":"VirtualService","metadata":{"name":"llama-frontend"},
				"spec":{"hosts":["pay.team-b.svc"],"gateways":["mesh"]}}`)},
			warns: []string{
				path + "host: pay.team-b.svc is in use and stays, but " + isHost + "; a new graph with it is refused" + another,
				path + "virtualServiceGateway: mesh is in use and stays, but " + isMesh + "; a new graph with it is refused" + gateways,
			},
		},
		"LiveWithOthers": {
			reason: "What a live graph has of it does not allow the rest.", xr: onMesh,
			options: []plantest.RequestOption{plantest.WithObserved("virtualservice-frontend", `{"apiVersion":"networking.istio.io/v1","kind":"VirtualService","metadata":{"name":"llama-frontend"},
				"spec":{"hosts":["llama.example.org"],"gateways":["public"]}}`)},
			errors: []string{
				path + `host: Invalid value: "pay.team-b.svc": ` + isHost + another,
				path + `virtualServiceGateway: Invalid value: "mesh": ` + isMesh + gateways,
			},
		},
		"MeshOfNamespace": {
			reason: "A namespace in front of the mesh does not make it another gateway.",
			xr:     exposed(v1alpha1.Ingress{Host: "llama.example.org", UseVirtualService: true, VirtualServiceGateway: new("kube-system/mesh")}),
			errors: []string{path + `virtualServiceGateway: Invalid value: "kube-system/mesh": ` + isMesh + gateways},
		},
		"NoEffect": {
			reason: "A gateway without a VirtualService has no effect, which is a warning of another rule.",
			xr:     exposed(v1alpha1.Ingress{Host: "llama.example.org", VirtualServiceGateway: new("mesh")}),
		},
		"Disabled": {reason: "What is not exposed reaches nobody.", xr: plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) {
			s.Ingress = &v1alpha1.Ingress{Host: "kubernetes.default.svc"}
		}))},
		"NameOfGraph": {
			reason: "The name of a graph is the host of a frontend that the platform exposes.", xr: named("cluster"), options: []plantest.RequestOption{byDefault},
			errors: []string{`metadata.name: Invalid value: "cluster": host cluster.local is in the domain of the cluster, whose clients would reach this graph; ` +
				`rename the graph, or set ingress of the service with a host outside of the cluster`},
		},
		"DottedNameOfGraph": {
			reason: "The name of a graph that has dots is the host of a frontend, too.", xr: named("pay.team-b.svc.cluster"), options: []plantest.RequestOption{byDefault},
			errors: []string{`metadata.name: Invalid value: "pay.team-b.svc.cluster": host pay.team-b.svc.cluster.local is in the domain of the cluster, whose clients would reach this graph; ` +
				`rename the graph, or set ingress of the service with a host outside of the cluster`},
		},
		"DomainOfCluster": {
			reason: "A platform can say what the domain of its cluster is.", xr: exposed(v1alpha1.Ingress{Host: "llama.k8s.example.org"}),
			options: []plantest.RequestOption{plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{ClusterDomain: "k8s.example.org"}})},
			errors:  []string{path + `host: Invalid value: "llama.k8s.example.org": host llama.k8s.example.org is in the domain of the cluster, whose clients would reach this graph` + another},
		},
		"Suffixed": {
			reason: "A host outside of the cluster does not help below a domain of it.", xr: exposed(v1alpha1.Ingress{Host: "llama", HostSuffix: new("svc.cluster.local")}),
			errors: []string{path + `host: Invalid value: "llama": host llama.svc.cluster.local is in the domain of the cluster, whose clients would reach this graph; ` +
				`remove hostSuffix, and specify a host outside of the cluster, such as llama.example.org`},
		},
		"DomainOfPlatform": {
			reason: "A domain of the platform is outside, although it is none of the internet.", xr: exposed(v1alpha1.Ingress{Host: "llama.acme"}),
			options: []plantest.RequestOption{plantest.WithInput(inputv1alpha1.Policy{Ingress: inputv1alpha1.Ingress{HostSuffix: "acme"}})},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := reach(t, plantest.Request(tc.xr, tc.options...))
			if diff := cmp.Diff(tc.errors, got.Refused(subject.Mistake).Texts(&graph.Graph{})); diff != "" {
				t.Errorf("%s\nerrors: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warns, got.Warnings.Texts(&graph.Graph{})); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
