package gang

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestPlacement shows how the sets of a component are packed, and what they are marked with.
func TestPlacement(t *testing.T) {
	type packing struct {
		// Annotations of the set.
		Annotations map[string]string
		// Network of its PodGroup, JSON. Empty: it has none.
		Network string
	}
	// marks are annotations, as key=value, beside the profile.
	marks := func(more ...string) map[string]string {
		all := map[string]string{"nvidia.com/topology-profile": "gb200"}
		for _, annotation := range more {
			key, value, _ := strings.Cut(annotation, "=")
			all[key] = value
		}
		return all
	}
	cases := map[string]struct {
		reason    string
		gang      graphplan.Gang
		changes   []steptest.ComponentChange
		placement graphplan.Placement
		want      packing
	}{
		"TierName": {
			reason: "Volcano reads the PodGroup; the set is only marked.", gang: steptest.ByPodGroup(),
			placement: graphplan.Placement{Domain: "rack", Network: &graphplan.NetworkTopology{Mode: "hard", HighestTierName: "example.org/rack"}},
			want:      packing{Annotations: marks("nvidia.com/topology-pack-domain=rack"), Network: `{"mode":"hard","highestTierName":"example.org/rack"}`},
		},
		"Tier": {
			reason: "A number never stands beside a name.", gang: steptest.ByPodGroup(),
			placement: graphplan.Placement{Domain: "rack", Network: &graphplan.NetworkTopology{Mode: "hard", HighestTierAllowed: new(1)}},
			want:      packing{Annotations: marks("nvidia.com/topology-pack-domain=rack"), Network: `{"mode":"hard","highestTierAllowed":1}`},
		},
		"TierZero": {
			reason: "Zero is a number.", gang: steptest.ByPodGroup(),
			placement: graphplan.Placement{Domain: "host", Network: &graphplan.NetworkTopology{Mode: "hard", HighestTierAllowed: new(0)}},
			want:      packing{Annotations: marks("nvidia.com/topology-pack-domain=host"), Network: `{"mode":"hard","highestTierAllowed":0}`},
		},
		"Soft": {
			reason: "Volcano reads a preferred domain in the PodGroup, too; the set is only marked.", gang: steptest.ByPodGroup(),
			placement: graphplan.Placement{PreferredDomain: "rack", Network: &graphplan.NetworkTopology{Mode: "soft", HighestTierAllowed: new(1)}},
			want:      packing{Annotations: marks("nvidia.com/topology-preferred-domain=rack"), Network: `{"mode":"soft","highestTierAllowed":1}`},
		},
		"NotMarked": {
			reason: "A set is not marked with a placement whose domains are not recorded any more.", gang: steptest.ByPodGroup(),
			placement: graphplan.Placement{Network: &graphplan.NetworkTopology{Mode: "hard", HighestTierAllowed: new(1)}},
			want:      packing{Annotations: map[string]string{}, Network: `{"mode":"hard","highestTierAllowed":1}`},
		},
		"NotPacked": {
			reason: "A service that is not packed has neither a network topology nor a mark.", gang: steptest.ByPodGroup(),
			want: packing{Annotations: map[string]string{}},
		},
		"UsersOwnScheduler": {
			reason: "A service whose pods are not the gang scheduler's has neither a network topology nor a mark.", gang: steptest.ByPodGroup(), changes: []steptest.ComponentChange{steptest.WithScheduler("mine")},
			placement: graphplan.Placement{Domain: "rack", Network: &graphplan.NetworkTopology{Mode: "hard", HighestTierAllowed: new(1)}},
			want:      packing{Annotations: map[string]string{}},
		},
		"KAI": {
			reason: "KAI reads the set, and knows both domains.", gang: steptest.ByKAI(),
			placement: graphplan.Placement{Domain: "zone", PreferredDomain: "rack", RequiredLabel: "example.org/zone", PreferredLabel: "example.org/rack"},
			want:      packing{Annotations: marks("nvidia.com/topology-pack-domain=zone", "nvidia.com/topology-preferred-domain=rack", "kai.scheduler/topology=kai", "kai.scheduler/topology-required-placement=example.org/zone", "kai.scheduler/topology-preferred-placement=example.org/rack")},
		},
		"KAIPreferred": {
			reason: "KAI is told of no required domain where there is none.", gang: steptest.ByKAI(),
			placement: graphplan.Placement{PreferredDomain: "rack", PreferredLabel: "example.org/rack"},
			want:      packing{Annotations: marks("nvidia.com/topology-preferred-domain=rack", "kai.scheduler/topology=kai", "kai.scheduler/topology-preferred-placement=example.org/rack")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := steptest.TwoNodes(t, tc.changes...)
			plan := steptest.OnLeaderWorkerSets(t, tc.gang, steptest.Components("etcd", "Worker"), func(p *graphplan.Plan) {
				p.Topology = &graphplan.Topology{Name: "gb200", KAITopology: "kai", Placements: map[string]graphplan.Placement{"Worker": tc.placement}}
			})
			built := build(t, spec, plan, 0)
			set := built.LeaderWorkerSet
			got := packing{Annotations: map[string]string{}}
			maps.Copy(got.Annotations, set.Annotations)
			if group := built.PodGroup; group != nil && group.Spec.NetworkTopology != nil {
				encoded, err := json.Marshal(group.Spec.NetworkTopology)
				if err != nil {
					t.Fatal(err)
				}
				got.Network = string(encoded)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
			pods, err := json.Marshal(set.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(pods), "topology") {
				t.Errorf("%s\nthe pods are told of the topology, and a mark on them would restart them: %s", tc.reason, pods)
			}
		})
	}
}
