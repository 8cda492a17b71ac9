package grove

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// constraints of a PodCliqueSet, by where they stand.
func constraints(set *grovev1alpha1.PodCliqueSet) map[string]grovev1alpha1.TopologyConstraint {
	all := map[string]grovev1alpha1.TopologyConstraint{}
	add := func(place string, constraint *grovev1alpha1.TopologyConstraint) {
		if constraint != nil {
			all[place] = *constraint
		}
	}
	add("set", set.Spec.Template.TopologyConstraint)
	for _, clique := range set.Spec.Template.Cliques {
		add("clique "+clique.Name, clique.TopologyConstraint)
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		add("group "+group.Name, group.TopologyConstraint)
	}
	return all
}

// TestTopology writes the same constraints for each version of Grove.
func TestTopology(t *testing.T) {
	const spec = `{"topologyConstraint":{"topologyProfile":"my-topology","packDomain":"zone"},"services":{
		"A":{"topologyConstraint":{"packDomain":"block"}},"B":{"multinode":{"nodeCount":2},"topologyConstraint":{"packDomain":"rack"}},"C":{}}}`
	places := map[string]string{"set": "zone", "clique a": "block", "group b": "rack"}
	written := func(write func(domain string) grovev1alpha1.TopologyConstraint) map[string]grovev1alpha1.TopologyConstraint {
		all := map[string]grovev1alpha1.TopologyConstraint{}
		for place, domain := range places {
			all[place] = write(domain)
		}
		return all
	}
	cases := map[string]struct {
		reason  string
		spec    string
		dialect graphplan.TopologyDialect
		// preferred domain of the graph, and those of components.
		preferred        string
		preferredDomains map[string]string

		want map[string]grovev1alpha1.TopologyConstraint
	}{
		"PackDomain": {
			reason: "Up to alpha.8 a constraint is its domain.", spec: spec, dialect: "PackDomain",
			want: written(func(domain string) grovev1alpha1.TopologyConstraint {
				return grovev1alpha1.TopologyConstraint{PackDomain: domain}
			}),
		},
		"PackDomainWithTopologyName": {
			reason: "In alpha.9 a constraint names the topology as well.", spec: spec, dialect: "PackDomainWithTopologyName",
			want: written(func(domain string) grovev1alpha1.TopologyConstraint {
				return grovev1alpha1.TopologyConstraint{TopologyName: "my-topology", PackDomain: domain}
			}),
		},
		"Pack": {
			reason: "From alpha.10 on the domain of a constraint is what is required.", spec: spec, dialect: "Pack",
			want: written(func(domain string) grovev1alpha1.TopologyConstraint {
				return grovev1alpha1.TopologyConstraint{TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: domain}}
			}),
		},
		"ServicesOnly": {
			reason: "Grove refuses a constraint that holds only a name, so without a domain the set has none.", dialect: "Pack",
			spec: `{"topologyConstraint":{"topologyProfile":"my-topology"},"services":{"A":{"topologyConstraint":{"packDomain":"block"}},"B":{},"C":{}}}`,
			want: map[string]grovev1alpha1.TopologyConstraint{
				"clique a": {TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: "block"}},
			},
		},
		"Preferred": {
			reason: "A preferred domain stands beside the required one, or alone.", spec: spec, dialect: "Pack",
			preferred: "block", preferredDomains: map[string]string{"A": "rack", "C": "host"},
			want: map[string]grovev1alpha1.TopologyConstraint{
				"set":      {TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: "zone", Preferred: "block"}},
				"clique a": {TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: "block", Preferred: "rack"}},
				"group b":  {TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: "rack"}},
				"clique c": {TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Preferred: "host"}},
			},
		},
		"PreferredOnOlderGrove": {
			reason: "Versions of Grove before alpha.9 do not know a preferred domain.", spec: spec, dialect: "PackDomain", preferred: "block", preferredDomains: map[string]string{"C": "host"},
			want: written(func(domain string) grovev1alpha1.TopologyConstraint {
				return grovev1alpha1.TopologyConstraint{PackDomain: domain}
			}),
		},
		"PreferredOnAlpha9": {
			reason: "Grove alpha.9 does not know a preferred domain.", spec: spec, dialect: "PackDomainWithTopologyName", preferred: "block", preferredDomains: map[string]string{"C": "host"},
			want: written(func(domain string) grovev1alpha1.TopologyConstraint {
				return grovev1alpha1.TopologyConstraint{TopologyName: "my-topology", PackDomain: domain}
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := compose(t, tc.spec, steptest.OnGrove(t, steptest.Components("etcd", "A", "B", "C"), func(p *graphplan.Plan) {
				p.Topology = &graphplan.Topology{Name: "my-topology", Dialect: tc.dialect, Preferred: tc.preferred, PreferredDomains: tc.preferredDomains}
			}))
			if diff := cmp.Diff(tc.want, constraints(set)); diff != "" {
				t.Errorf("%s\nconstraints: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNoTopology shows that nothing is written where the plan has no topology.
func TestNoTopology(t *testing.T) {
	set := compose(t, `{"topologyConstraint":{"topologyProfile":"my-topology"},"services":{"A":{"topologyConstraint":{"packDomain":"block"}}}}`,
		steptest.OnGrove(t, steptest.Components("etcd", "A")))
	if diff := cmp.Diff(map[string]grovev1alpha1.TopologyConstraint{}, constraints(set)); diff != "" {
		t.Errorf("constraints: -want, +got:\n%s", diff)
	}
}

// TestTopologyName shows which PodCliqueSets are marked with the name of their topology.
func TestTopologyName(t *testing.T) {
	const (
		spec = `{"topologyConstraint":{"topologyProfile":"my-topology","packDomain":"zone"},"annotations":{"team":"search"},"services":{"A":{}}}`
		bare = `{"topologyConstraint":{"topologyProfile":"my-topology","packDomain":"zone"},"services":{"A":{}}}`
	)
	cases := map[string]struct {
		reason   string
		spec     string
		recorded bool
		want     map[string]string
	}{
		"Recorded": {
			reason: "The name of the topology stands beside the user's own annotations.", spec: spec, recorded: true,
			want: map[string]string{"team": "search", "nvidia.com/topology-profile": "my-topology"},
		},
		"Alone":       {reason: "The name of the topology stands alone where the user has no annotations.", spec: bare, recorded: true, want: map[string]string{"nvidia.com/topology-profile": "my-topology"}},
		"NotRecorded": {reason: "Without the name of the topology the annotations are the user's.", spec: spec, want: map[string]string{"team": "search"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := compose(t, tc.spec, steptest.OnGrove(t, steptest.Components("etcd", "A"), func(p *graphplan.Plan) {
				p.Topology = &graphplan.Topology{Name: "my-topology", Dialect: graphplan.DialectPackDomain, RecordName: tc.recorded}
			}))
			if diff := cmp.Diff(tc.want, set.Annotations); diff != "" {
				t.Errorf("%s\nannotations: -want, +got:\n%s", tc.reason, diff)
			}
			for _, clique := range set.Spec.Template.Cliques {
				if _, ok := clique.Annotations["nvidia.com/topology-profile"]; ok {
					t.Errorf("%s\nclique %s is marked, which would restart its pods", tc.reason, clique.Name)
				}
			}
		})
	}
}

// TestOverrides shows constraints in Grove's own form, in each place that may have one: they are written as they are.
func TestOverrides(t *testing.T) {
	const spec = `{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"spec":{"template":{"topologyConstraint":{"pack":{"required":"zone"}}}}}},"services":{
		"Frontend":{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":{"required":"block"},"later":[1]}}}},
		"Worker":{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":{"required":"rack"},"later":[1]}}},"multinode":{"nodeCount":2,
			"leader":{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":{"required":"host"},"later":[1]}}}},
			"worker":{"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":{"required":"numa"},"later":[1]}}}}}}}}`
	rsp := run(t, steptest.Request(spec, steptest.OnGrove(t, steptest.Components("etcd", "Frontend", "Worker"))))
	template := tree.At(rsp.GetDesired().GetResources()["podcliqueset"].GetResource(), "spec", "template")
	got := map[string]any{"": tree.At(template, "topologyConstraint").AsMap()}
	for _, list := range []string{"cliques", "podCliqueScalingGroups"} {
		for _, element := range template.GetFields()[list].GetListValue().GetValues() {
			got[tree.Text(element.GetStructValue(), "name")] = tree.At(element.GetStructValue(), "topologyConstraint").AsMap()
		}
	}
	later := func(domain string) any {
		return map[string]any{"pack": map[string]any{"required": domain}, "later": []any{1.0}}
	}
	want := map[string]any{
		"": map[string]any{"pack": map[string]any{"required": "zone"}}, "frontend": later("block"), "worker": later("rack"),
		"worker-ldr": later("host"), "worker-wkr": later("numa"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Each constraint is in its place as the user wrote it, fields of a later Grove included.\n-want, +got:\n%s", diff)
	}
}
