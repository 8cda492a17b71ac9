package engines

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// refused is a combination that is refused.
type refused struct {
	reason string
	// spec of the topology constraint of the graph; nil: none.
	constraint map[string]any
	// components are packDomains by component.
	components map[string]string
	// prefers are preferred domains by component; that of the graph under an empty name.
	prefers map[string]string
	// want are the messages. CALLED stands for the kind of the topology.
	want []string
}

// TestTopologyRefusals shows the message of each combination that is refused, on Grove and elsewhere alike.
func TestTopologyRefusals(t *testing.T) {
	const (
		ofGraph   = "spec.topologyConstraint.packDomain"
		ofProfile = "spec.topologyConstraint.topologyProfile"
		ofWorker  = "spec.services[Worker].topologyConstraint.packDomain"
		byGraph   = "metadata.annotations[" + preferredDomain + "]"
		byWorker  = "spec.services[Worker].annotations[" + preferredDomain + "]"
		notAName  = "must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit"
		unknown   = "is not a domain of CALLED my-cluster-topology; available domains: block, host, rack, zone"
	)
	profile := func(packDomain string) map[string]any {
		constraint := map[string]any{"topologyProfile": "my-cluster-topology"}
		if packDomain != "" {
			constraint["packDomain"] = packDomain
		}
		return constraint
	}
	cases := map[string]refused{
		"NoProfile": {
			reason: "A profile is required when a service has a constraint.", components: map[string]string{"Worker": "rack"},
			want: []string{ofProfile + ": Required value: service Worker has a topology constraint; specify the topology that defines its level"},
		},
		"NoProfileOfGraph": {
			reason: "A profile is required when the graph has a constraint.", constraint: map[string]any{"packDomain": "rack"},
			want: []string{ofProfile + ": Required value: must be specified"},
		},
		"NoProfileOfPreferred": {
			reason: "A profile is required when the graph or a service prefers a domain.", prefers: map[string]string{"": "zone", "Worker": "rack"},
			want: []string{
				ofProfile + ": Required value: service Worker prefers a domain; specify the topology that defines its level",
				ofProfile + ": Required value: the graph prefers a domain; specify the topology that defines its level",
			},
		},
		"NoDomain": {
			reason: "A service that has a constraint names a domain.", constraint: profile(""), components: map[string]string{"Worker": ""},
			want: []string{ofWorker + ": Required value: must be specified"},
		},
		"NotNames": {
			reason: "A value that cannot be the name of a domain is refused.", constraint: profile("Zone"), components: map[string]string{"Worker": "-rack"}, prefers: map[string]string{"": "a.b", "Worker": "rack-"},
			want: []string{
				byGraph + `: Invalid value: "a.b": ` + notAName,
				byWorker + `: Invalid value: "rack-": ` + notAName,
				ofGraph + `: Invalid value: "Zone": ` + notAName,
				ofWorker + `: Invalid value: "-rack": ` + notAName,
			},
		},
		"NoSuchDomains": {
			reason: "Domains that are not levels of the topology are refused, all at once.", constraint: profile("region"), components: map[string]string{"Worker": "shelf"}, prefers: map[string]string{"": "row", "Worker": "tray"},
			want: []string{
				byGraph + `: Invalid value: "row": ` + unknown, byWorker + `: Invalid value: "tray": ` + unknown,
				ofGraph + `: Invalid value: "region": ` + unknown, ofWorker + `: Invalid value: "shelf": ` + unknown,
			},
		},
		"BroaderService": {
			reason: "A service is packed as narrowly as its graph, or more.", constraint: profile("rack"), components: map[string]string{"Worker": "block", "Frontend": "zone"},
			want: []string{
				`spec.services[Frontend].topologyConstraint.packDomain: Invalid value: "zone": is broader than rack of spec.topologyConstraint; the levels of CALLED my-cluster-topology are, broadest first: zone, block, rack, host`,
				ofWorker + `: Invalid value: "block": is broader than rack of spec.topologyConstraint; the levels of CALLED my-cluster-topology are, broadest first: zone, block, rack, host`,
			},
		},
		"BadProfile": {
			reason: "A topology has the name of an object.", constraint: map[string]any{"topologyProfile": "My_Topology", "packDomain": "zone"},
			want: []string{ofProfile + `: Invalid value: "My_Topology": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ` +
				`and must start and end with an alphanumeric character (e.g. 'example.com')`},
		},
	}
	binary := harness.New(t)
	for platformName, called := range map[string]string{"grove-alpha6": "ClusterTopology", "grove-alpha12": "ClusterTopologyBinding", "volcano-tier": "profile", "kai-beside-grove": "ClusterTopologyBinding"} {
		t.Run(platformName, func(t *testing.T) {
			names := slices.Sorted(maps.Keys(cases))
			var xrs []*unstructured.Unstructured
			for _, name := range names {
				xrs = append(xrs, cases[name].graph(t))
			}
			for i, out := range platforms()[platformName].render(t, binary, xrs) {
				of := called + " my-cluster-topology"
				if called == "profile" {
					of += " of the platform"
				}
				var want []string
				for _, message := range cases[names[i]].want {
					want = append(want, strings.ReplaceAll(message, "CALLED my-cluster-topology", of))
				}
				slices.Sort(want)
				if diff := cmp.Diff(strings.Join(want, "\n"), refusal(out)); diff != "" {
					t.Errorf("%s: %s\n-want, +got:\n%s", names[i], cases[names[i]].reason, diff)
				}
			}
		})
	}
}

// graph that is refused.
func (r refused) graph(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	xr := constrained(t, constraint{})
	if r.constraint != nil {
		set(t, xr, r.constraint, "spec", "topologyConstraint")
	}
	for component, domain := range r.components {
		constraint := map[string]any{}
		if domain != "" {
			constraint["packDomain"] = domain
		}
		set(t, xr, constraint, "spec", "services", component, "topologyConstraint")
	}
	for component, domain := range r.prefers {
		path := []string{"metadata", "annotations", preferredDomain}
		if component != "" {
			path = []string{"spec", "services", component, "annotations", preferredDomain}
		}
		set(t, xr, domain, path...)
	}
	return xr
}

// TestTopologyMissing shows that a graph is refused before anything is created where its topology should be and is not.
func TestTopologyMissing(t *testing.T) {
	binary := harness.New(t)
	for name, kind := range map[string]string{"grove-alpha6": "ClusterTopology", "grove-alpha12": "ClusterTopologyBinding", "kai-beside-grove": "ClusterTopologyBinding"} {
		t.Run(name, func(t *testing.T) {
			xr := constrained(t, constraint{worker: "rack"})
			set(t, xr, "another-topology", "spec", "topologyConstraint", "topologyProfile")
			want := `spec.topologyConstraint.topologyProfile: Invalid value: "another-topology": there is no ` + kind + " of this name; create it, or specify an existing " + kind
			if diff := cmp.Diff(want, refusal(platforms()[name].render(t, binary, []*unstructured.Unstructured{xr})[0])); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestTopologyUndefined shows that nobody can pack, and nothing is refused, where nothing defines the topology.
func TestTopologyUndefined(t *testing.T) {
	binary := harness.New(t)
	for _, name := range []string{"volcano-tier", "kai"} {
		t.Run(name, func(t *testing.T) {
			p := platforms()[name]
			p.input = ""
			out := p.render(t, binary, []*unstructured.Unstructured{constrained(t, constraint{worker: "rack"})})[0]
			want := "? ValidWithWarnings: spec.topologyConstraint: topology constraints have no effect on LeaderWorkerSet: topology my-cluster-topology is not defined; " +
				"let the platform add profile my-cluster-topology to topology.profiles in the input of step plan, or install Grove and create the topology\n" +
				"? TopologyLevelsAvailable=False TopologyDefinitionNotFound topology my-cluster-topology is not defined: Grove is not installed, and the platform has no profile my-cluster-topology\n"
			got := summary(t, out)
			if _, conditions, found := strings.Cut("\n"+got, "\n? "); !found || "? "+conditions != want {
				t.Errorf("want it to end with\n%s, got\n%s", want, got)
			}
		})
	}
}
