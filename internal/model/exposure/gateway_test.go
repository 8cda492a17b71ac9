package exposure_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestParseGateway(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		// want is namespace/name. Empty: it is no name of a gateway.
		want string
		mesh bool
	}{
		"Short":            {reason: "A name alone is one in the namespace of the graph.", text: "public", want: "team-a/public"},
		"Qualified":        {reason: "A name may have a namespace.", text: "istio-system/public", want: "istio-system/public"},
		"Dotted":           {reason: "The name of an object may have dots.", text: "istio-system/public.v2", want: "istio-system/public.v2"},
		"Own":              {reason: "A dot is the namespace of the graph.", text: "./public", want: "team-a/public"},
		"Older":            {reason: "Istio still reads the form of its first versions.", text: "public.istio-system", want: "istio-system/public"},
		"OlderWithDomain":  {reason: "That form may have the domain of the cluster.", text: "public.istio-system.svc.cluster.local", want: "istio-system/public"},
		"Mesh":             {reason: "The mesh is a name like any other.", text: "mesh", want: "team-a/mesh", mesh: true},
		"MeshOfNamespace":  {reason: "The mesh is found with a namespace, too.", text: "kube-system/mesh", want: "kube-system/mesh", mesh: true},
		"MeshOfOwn":        {reason: "The mesh is found in the namespace of the graph.", text: "./mesh", want: "team-a/mesh", mesh: true},
		"OlderMesh":        {reason: "The mesh is found in the older form.", text: "mesh.istio-system", want: "istio-system/mesh", mesh: true},
		"Space":            {reason: "A space is part of no name.", text: "mesh "},
		"Before":           {reason: "A space in front is not part of a name either.", text: " mesh"},
		"Upper":            {reason: "Names are in lower case.", text: "Mesh"},
		"Empty":            {reason: "No name is no gateway."},
		"Slash":            {reason: "A slash alone has no name.", text: "/"},
		"NoNamespace":      {reason: "A namespace is not empty.", text: "/public"},
		"NoName":           {reason: "A name is not empty.", text: "istio-system/"},
		"TwoSlashes":       {reason: "There is one slash.", text: "a/b/c"},
		"Dot":              {reason: "The older form has a namespace.", text: "public."},
		"Wildcard":         {reason: "A gateway is one.", text: "istio-system/*"},
		"DottedNamespace":  {reason: "The name of a namespace has no dots.", text: "istio.system/public"},
		"SpaceInNamespace": {reason: "A space is part of no namespace.", text: "istio-system /public"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			gateway, valid := exposure.ParseGateway(tc.text, "team-a")
			got := ""
			if valid {
				got = gateway.String()
			}
			if got != tc.want || valid && gateway.IsMesh() != tc.mesh {
				t.Errorf("%s\nParseGateway(%q): want %q, mesh %t; got %q, mesh %t", tc.reason, tc.text, tc.want, tc.mesh, got, gateway.IsMesh())
			}
		})
	}
}

// FuzzParseGateway shows that what is valid is read in the same way in its full form, so that nothing is found under two names.
func FuzzParseGateway(f *testing.F) {
	for _, text := range []string{"mesh", "a/b", "./b", "b.a", "b.a.svc.cluster.local", "a/b.c", "/", "."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		gateway, valid := exposure.ParseGateway(text, "team-a")
		if !valid {
			return
		}
		if again, ok := exposure.ParseGateway(gateway.String(), "team-b"); !ok || again != gateway {
			t.Errorf("ParseGateway(%q): %s is read as %s", text, gateway, again)
		}
	})
}

func TestGatewayName(t *testing.T) {
	cases := map[string]struct {
		reason   string
		user     *v1alpha1.Ingress
		defaults graphplan.IngressDefaults
		want     string
	}{
		"Ingress":        {reason: "An Ingress has no gateway.", user: &v1alpha1.Ingress{Enabled: true, Host: "h"}},
		"VirtualService": {reason: "A VirtualService has the one that its user names.", user: &v1alpha1.Ingress{Enabled: true, Host: "h", UseVirtualService: true, VirtualServiceGateway: new("a/b")}, want: "a/b"},
		"HTTPRoute":      {reason: "The parent of an HTTPRoute is a gateway.", defaults: graphplan.IngressDefaults{Gateway: graphplan.Gateway{Name: "public", Namespace: "gateways"}}, want: "gateways/public"},
		"Own":            {reason: "A parent without a namespace is in that of the graph.", defaults: graphplan.IngressDefaults{Gateway: graphplan.Gateway{Name: "public"}}, want: "team-a/public"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			exposed := exposure.Of((&graph.Graph{Name: "llama"}).Add("Frontend", v1alpha1.Service{ComponentType: v1alpha1.ComponentFrontend, Ingress: tc.user}), tc.defaults)
			got := ""
			if gateway, exists := exposed.GatewayName("team-a"); exists {
				got = gateway.String()
			}
			if got != tc.want {
				t.Errorf("%s\nGatewayName: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
