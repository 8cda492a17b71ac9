package topology

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// TestTierOf counts from the host upwards.
func TestTierOf(t *testing.T) {
	levels := func(all ...grovev1alpha1.TopologyLevel) *grovev1alpha1.Topology {
		return &grovev1alpha1.Topology{Spec: grovev1alpha1.TopologySpec{Levels: all}}
	}
	zone, rack := grovev1alpha1.TopologyLevel{Domain: "zone", Key: "z"}, grovev1alpha1.TopologyLevel{Domain: "rack", Key: "r"}
	cases := map[string]struct {
		reason string
		levels *grovev1alpha1.Topology
		want   map[string]int
	}{
		"HostLast": {
			reason: "The level above the host is tier 1.",
			levels: levels(zone, rack, grovev1alpha1.TopologyLevel{Domain: "host", Key: "kubernetes.io/hostname"}),
			want:   map[string]int{"zone": 2, "rack": 1, "host": 0},
		},
		"HostByLabel": {
			reason: "The host may have another name.",
			levels: levels(rack, grovev1alpha1.TopologyLevel{Domain: "tray", Key: "kubernetes.io/hostname"}),
			want:   map[string]int{"rack": 1, "tray": 0},
		},
		"NoHost": {
			reason: "Volcano wants the host at the end of its own list, also where the topology does not have it.",
			levels: levels(zone, rack),
			want:   map[string]int{"zone": 2, "rack": 1},
		},
		"BelowHost": {
			reason: "There are no HyperNodes below the host.",
			levels: levels(rack, grovev1alpha1.TopologyLevel{Domain: "host", Key: "h"}, grovev1alpha1.TopologyLevel{Domain: "numa", Key: "n"}),
			want:   map[string]int{"rack": 1, "host": 0, "numa": 0},
		},
		"Unknown": {reason: "A domain that the topology does not have has no HyperNodes.", levels: levels(rack), want: map[string]int{"zone": 0}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string]int{}
			for domain := range tc.want {
				got[domain] = tierOf(domain, tc.levels)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ntierOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
