package components_test

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// hostsInside generates what pods resolve inside a cluster whose domain is not known: names of Services, of pods of Services and of the addresses
// of pods, from the shortest form to the complete one, in domains of any depth.
func hostsInside() []string {
	var all []string
	zones := []string{"cluster.local", "clusterset.local", "k8s", "prod.k8s.example.org"}
	for _, component := range []string{"pay", "10-0-0-1", "pod", "svc"} {
		all = append(all, component)
		for _, namespace := range []string{"team-b", "pod", "svc"} {
			of := component + "." + namespace
			all = append(all, of, "pay-0."+of, of+".svc", "pay-0."+of+".svc", "10-0-0-1."+namespace+".pod")
			for _, zone := range zones {
				all = append(all, of+".svc."+zone, "pay-0."+of+".svc."+zone, "10-0-0-1."+of+".svc."+zone, "10-0-0-1."+namespace+".pod."+zone, "fd00--1."+namespace+".pod."+zone)
			}
		}
	}
	for _, zone := range zones[:2] {
		all = append(all, zone, "svc."+zone, "pay."+zone, "ns.dns."+zone)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// hostsOutside generates hosts of the internet and of private networks, among them some with words of the names inside a cluster.
func hostsOutside() []string {
	var all []string
	for _, domain := range []string{"org", "com", "dev", "ai", "cloud", "co.uk", "xn--p1ai", "corp", "internal", "lan", "home", "intranet", "private", "local"} {
		for _, below := range []string{
			"example", "llm.example", "svc.example", "llm.svc.example", "pod.example", "a.b.pod.example", "llm-svc.example", "svc-2.a.example", "cluster.example", "a.b.c.d.e.example", "10-0-0-1.example",
		} {
			all = append(all, below+"."+domain)
		}
	}
	for _, word := range []string{"cluster.local", "clusterset.local"} {
		all = append(all, word+".example.org", "a."+word+".example.org", "not"+word)
	}
	return all
}

// spellings of a host that name the same for a browser, a proxy or DNS.
func spellings(host string) []string {
	return []string{host, host + ".", strings.ToUpper(host), strings.ToUpper(host[:1]) + host[1:], host + ":80", "*." + host, "http://" + host, host + "/", " " + host}
}

// blocksOf are the ways to write a host into the block of a frontend.
func blocksOf(host string) []v1alpha1.Ingress {
	blocks := []v1alpha1.Ingress{{Host: host, HostSuffix: new("")}, {HostPrefix: new(host[:1]), Host: host[1:], HostSuffix: new("")}}
	for i := range len(host) {
		// Each dot may be the one between the host and its suffix.
		if host[i] == '.' && i > 0 && i < len(host)-1 {
			blocks = append(blocks, v1alpha1.Ingress{Host: host[:i], HostSuffix: new(host[i+1:])})
		}
	}
	if strings.Contains(host, ".") {
		blocks = append(blocks, v1alpha1.Ingress{Host: host})
	}
	return blocks
}

// TestGeneratedHosts refuses each name inside the cluster wherever and however a host can be written, and accepts each host outside.
func TestGeneratedHosts(t *testing.T) {
	platforms := []struct {
		ingress inputv1alpha1.Ingress
		user    v1alpha1.Ingress
	}{
		{ingress: inputv1alpha1.Ingress{ClassName: "nginx"}},
		{ingress: inputv1alpha1.Ingress{VirtualServiceGateway: "istio-system/public"}, user: v1alpha1.Ingress{UseVirtualService: true}},
		{ingress: inputv1alpha1.Ingress{Gateway: &inputv1alpha1.Gateway{Name: "public"}}},
	}
	tried := 0
	try := func(host string, block v1alpha1.Ingress, refused bool) {
		platform := platforms[tried%len(platforms)]
		block.Enabled, block.UseVirtualService = true, platform.user.UseVirtualService
		xr := plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", func(s *v1alpha1.Service) { s.Ingress = &block }))
		req := plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{
			Ingress: platform.ingress, Istio: inputv1alpha1.Istio{Mode: inputv1alpha1.ModeEnabled}, GatewayAPI: inputv1alpha1.GatewayAPI{Mode: inputv1alpha1.ModeEnabled},
		}))
		form := "services"
		tried++
		if tried%2 == 0 {
			req, form = plantest.InComponents(t, req), "components"
		}
		rsp := whole.Run(t, req).Response
		fatal := slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL })
		if fatal != refused {
			t.Errorf("host %q as %v in a graph with %s: refused must be %t, got %v", host, block, form, refused, rsp.GetResults())
		}
	}
	every := 1
	if testing.Short() {
		every = 7 // Neither a multiple of the platforms nor of the forms.
	}
	for i, host := range hostsInside() {
		for j, spelling := range spellings(host) {
			if (i+j)%every != 0 {
				continue
			}
			blocks := blocksOf(spelling)
			if j > 0 {
				// Where the dots are does not matter to how a host is spelled.
				blocks = blocks[:1]
			}
			for _, block := range blocks {
				try(spelling, block, true)
			}
		}
	}
	for _, host := range hostsOutside() {
		for _, block := range blocksOf(host) {
			try(host, block, false)
		}
	}
	if least := 1500 / every; tried < least {
		t.Errorf("want at least %d graphs tried, got %d", least, tried)
	}
}
