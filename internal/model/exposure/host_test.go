package exposure_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
)

func TestInside(t *testing.T) {
	const (
		inDomain   = "is in the domain of the cluster"
		isService  = "is the name of a Service, or of a pod"
		inTeamB    = isService + ", in namespace team-b"
		singleName = "is the name of a Service, because it has no dots"
	)
	cases := map[string]struct {
		reason  string
		domains exposure.Domains
		hosts   map[string]string
	}{
		"Outside": {
			reason: "Domains of the internet, and those that private networks use, are outside of the cluster.",
			hosts: map[string]string{
				"llama.example.org": "", "example.org": "", "llm.team.corp": "", "llama.local": "", "llama.internal": "", "svc.example.org": "",
				"llm.svc.example.org": "", "a.b.c.acme": "", "xn--e1afmkfd.xn--p1ai": "",
			},
		},
		"Services": {
			reason: "Each name by which a pod finds a Service, another pod or the API server is inside.",
			hosts: map[string]string{
				"pay": singleName, "localhost": singleName,
				"pay.team-b": inTeamB, "pay-0.pay.team-b": inTeamB, "kubernetes.default": isService + ", in namespace default",
				"kubernetes.default.svc": isService, "pay.svc": isService, "pay-0.pay.team-b.svc": isService,
				"pay.team-b.svc.cluster.local": inDomain, "10-0-0-1.team-b.pod.cluster.local": inDomain,
				"svc.cluster.local": inDomain, "cluster.local": inDomain, "llama.cluster.local": inDomain,
			},
		},
		"OtherDomain": {
			reason: "Names of Services look the same in a cluster with a domain that is not known.",
			hosts: map[string]string{
				"pay.team-b.svc.k8s.corp": isService, "pay-0.pay.team-b.svc.k8s.corp": isService, "k8s.corp": "",
				"10-0-0-1.team-b.pod.k8s.corp": isService, "fd00--1.team-b.pod.k8s.corp": isService, "llm.team-b.pod.k8s.corp": "", "10-0-0-1.pod.k8s.corp": "",
			},
		},
		"KnownDomain": {
			reason:  "Where the domain of the cluster is known, only names below it are inside, and those that every cluster reserves.",
			domains: exposure.Domains{Cluster: "k8s.corp"},
			hosts: map[string]string{
				"pay.team-b.svc.k8s.corp": inDomain, "k8s.corp": inDomain, "llama.k8s.corp": inDomain, "llm.team.svc.example.org": "",
				"pay.team-b.svc": isService, "pay.team-b.svc.cluster.local": inDomain, "notk8s.corp": "",
				"pay.team-b.svc.clusterset.local": inDomain, "c1.pay.team-b.svc.clusterset.local": inDomain, "clusterset.local.corp": "",
			},
		},
		"DomainOfPlatform": {
			reason:  "A domain of the platform is outside, whatever it is called, but not where it would be inside.",
			domains: exposure.Domains{Platform: []string{"team-b", "cluster.local"}},
			hosts:   map[string]string{"pay.team-b": "", "team-b": singleName, "pay.team-c": isService + ", in namespace team-c", "a.cluster.local": inDomain},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for host, want := range tc.hosts {
				if got := tc.domains.Inside(host); got != want {
					t.Errorf("%s\nInside(%q): want %q, got %q", tc.reason, host, want, got)
				}
			}
		})
	}
}
