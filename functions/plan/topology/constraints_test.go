package topology_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

func inNoDomain(s *v1alpha1.Service) { s.TopologyConstraint = nil }

// changedIn a graph are the fields of constraints that cannot change. Their messages are added to the words of the table.
func changedIn(words *plantest.Words, name string, f *subject.Facts) []string {
	var fields []string
	changes := topology.Unchanged(f, topology.Decision{})
	words.Add(name, changes.Texts(f.Graph)...)
	for _, m := range changes {
		fields = append(fields, m.Field)
	}
	return fields
}

// TestConstraintsUnchanged changes one constraint at a time of a graph that runs on Grove.
func TestConstraintsUnchanged(t *testing.T) {
	observed := plantest.MultinodeSet(plantest.Constraint("zone", ""), plantest.Constraint("rack", ""))
	oldDialect := plantest.MultinodeSet(plantest.OlderConstraint("", "zone"), plantest.OlderConstraint("", "rack"))
	cases := map[string]struct {
		reason   string
		observed *grovev1alpha1.PodCliqueSet
		change   plantest.GraphChange
		want     []string
	}{
		"Unchanged":  {reason: "A graph that did not change is fine.", observed: observed, change: plantest.MultinodeGraph},
		"OldDialect": {reason: "A graph that did not change is fine, even if an older Grove wrote its constraints.", observed: oldDialect, change: plantest.MultinodeGraph},
		"GraphsDomain": {
			reason: "The domain that the graph is packed into cannot change.", observed: observed, change: plantest.InTopology("my-topology", "block"),
			want: []string{"spec.topologyConstraint.packDomain"},
		},
		"ServicesDomain": {
			reason: "The domain that a service is packed into cannot change.", observed: observed, change: plantest.Changed("Worker", plantest.InDomain("host")),
			want: []string{"spec.components[Worker].topologyConstraint.packDomain"},
		},
		"NewConstraint": {
			reason: "A constraint cannot be added to a service.", observed: observed, change: plantest.Changed("Frontend", plantest.InDomain("rack")),
			want: []string{"spec.components[Frontend].topologyConstraint.packDomain"},
		},
		"NoConstraint": {
			reason: "A constraint cannot be removed from a service.", observed: oldDialect, change: plantest.Changed("Worker", inNoDomain),
			want: []string{"spec.components[Worker].topologyConstraint.packDomain"},
		},
		"Profile": {
			reason: "The topology that the constraints name cannot change.", observed: observed, change: plantest.InTopology("another", "zone"),
			want: []string{"spec.topologyConstraint.clusterTopologyName"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.MultinodeGraph, tc.change), plantest.WithObserved("podcliqueset", tc.observed)))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nUnchanged(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}

// TestOverridesUnchanged shows that constraints in Grove's own form are as fixed as others.
func TestOverridesUnchanged(t *testing.T) {
	type fields = map[string]any
	later := plantest.Struct(plantest.Constraint("zone", "")).AsMap()
	later["later"] = 1
	override := func(value fields) *v1alpha1.ProviderOverride {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return &v1alpha1.ProviderOverride{APIVersion: grovev1alpha1.APIVersion, Value: runtime.RawExtension{Raw: raw}}
	}
	cases := map[string]struct {
		reason        string
		graph, worker any
		want          []string
	}{
		"Unchanged": {reason: "A graph that did not change is fine.", graph: plantest.Constraint("zone", ""), worker: plantest.Constraint("rack", "")},
		"Later":     {reason: "Fields that this version does not know are left to Grove.", graph: later, worker: plantest.Constraint("rack", "")},
		"Changed": {
			reason: "Grove refuses another constraint.", graph: plantest.Constraint("zone", ""), worker: plantest.Constraint("block", ""),
			want: []string{"spec.components[Worker].providerOverride.value"},
		},
		"Removed": {
			reason: "Grove refuses to remove a constraint.", graph: plantest.Constraint("zone", ""),
			want: []string{"spec.providerOverride"},
		},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.MultinodeGraph, plantest.Changed("Worker", inNoDomain))
			xr.Spec.TopologyConstraint = nil
			xr.Spec.ProviderOverride = override(fields{"spec": fields{"template": fields{"topologyConstraint": tc.graph}}})
			if tc.worker != nil {
				plantest.Changed("Worker", func(s *v1alpha1.Service) { s.ProviderOverride = override(fields{"topologyConstraint": tc.worker}) })(xr)
			}
			f := plantest.Facts(t, plantest.Request(xr, plantest.WithObserved("podcliqueset", plantest.MultinodeSet(plantest.Constraint("zone", ""), plantest.Constraint("rack", "")))))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nUnchanged(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}
