package gang

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// TestPlacement shows how the sets of a service are packed, and what they are marked with.
func TestPlacement(t *testing.T) {
	topology := func(placement string) string {
		return `,"topology":{"name":"gb200","dialect":"","kaiTopology":"kai","placements":{"Worker":` + placement + `}}`
	}
	type packing struct {
		// Annotations of the set.
		Annotations map[string]string
		// Network of its PodGroup, JSON. Empty: it has none.
		Network string
	}
	// marked are annotations, as key=value, beside the profile.
	marked := func(more ...string) map[string]string {
		all := map[string]string{"nvidia.com/topology-profile": "gb200"}
		for _, annotation := range more {
			key, value, _ := strings.Cut(annotation, "=")
			all[key] = value
		}
		return all
	}
	cases := map[string]struct {
		reason    string
		gang      string
		spec      string
		placement string
		want      packing
	}{
		"TierName": {
			reason: "Volcano reads the PodGroup; the set is only marked.", gang: steptest.ByPodGroup,
			placement: `{"domain":"rack","network":{"mode":"hard","highestTierName":"example.org/rack"}}`,
			want:      packing{Annotations: marked("nvidia.com/topology-pack-domain=rack"), Network: `{"mode":"hard","highestTierName":"example.org/rack"}`},
		},
		"Tier": {
			reason: "A number never stands beside a name.", gang: steptest.ByPodGroup,
			placement: `{"domain":"rack","network":{"mode":"hard","highestTierAllowed":1}}`,
			want:      packing{Annotations: marked("nvidia.com/topology-pack-domain=rack"), Network: `{"mode":"hard","highestTierAllowed":1}`},
		},
		"TierZero": {
			reason: "Zero is a number.", gang: steptest.ByPodGroup,
			placement: `{"domain":"host","network":{"mode":"hard","highestTierAllowed":0}}`,
			want:      packing{Annotations: marked("nvidia.com/topology-pack-domain=host"), Network: `{"mode":"hard","highestTierAllowed":0}`},
		},
		"Soft": {
			reason: "Volcano reads a preferred domain in the PodGroup, too; the set is only marked.", gang: steptest.ByPodGroup,
			placement: `{"preferredDomain":"rack","network":{"mode":"soft","highestTierAllowed":1}}`,
			want:      packing{Annotations: marked("nvidia.com/topology-preferred-domain=rack"), Network: `{"mode":"soft","highestTierAllowed":1}`},
		},
		"NotMarked": {
			reason: "Sets that were made before there were marks stay without.", gang: steptest.ByPodGroup,
			placement: `{"network":{"mode":"hard","highestTierAllowed":1}}`,
			want:      packing{Annotations: map[string]string{}, Network: `{"mode":"hard","highestTierAllowed":1}`},
		},
		"NotPacked": {
			reason: "A service that is not packed has neither a network topology nor a mark.", gang: steptest.ByPodGroup, placement: `{}`,
			want: packing{Annotations: map[string]string{}},
		},
		"UsersOwnScheduler": {
			reason: "A service whose pods are not the gang scheduler's has neither a network topology nor a mark.", gang: steptest.ByPodGroup, spec: `,"extraPodSpec":{"schedulerName":"mine"}`,
			placement: `{"domain":"rack","network":{"mode":"hard","highestTierAllowed":1}}`,
			want:      packing{Annotations: map[string]string{}},
		},
		"KAI": {
			reason: "KAI reads the set, and knows both domains.", gang: steptest.ByKAI,
			placement: `{"domain":"zone","preferredDomain":"rack","requiredLabel":"example.org/zone","preferredLabel":"example.org/rack"}`,
			want:      packing{Annotations: marked("nvidia.com/topology-pack-domain=zone", "nvidia.com/topology-preferred-domain=rack", "kai.scheduler/topology=kai", "kai.scheduler/topology-required-placement=example.org/zone", "kai.scheduler/topology-preferred-placement=example.org/rack")},
		},
		"KAIPreferred": {
			reason: "KAI is told of no required domain where there is none.", gang: steptest.ByKAI,
			placement: `{"preferredDomain":"rack","preferredLabel":"example.org/rack"}`,
			want:      packing{Annotations: marked("nvidia.com/topology-preferred-domain=rack", "kai.scheduler/topology=kai", "kai.scheduler/topology-preferred-placement=example.org/rack")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := steptest.TwoNodes(tc.spec)
			plan := steptest.PlanOnLWS(tc.gang, topology(tc.placement), "Worker")
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
