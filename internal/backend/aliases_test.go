package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestNameNode(t *testing.T) {
	own := []corev1.EnvVar{{Name: "A", Value: "a"}, {Name: "DYNAMO_LEADER_ADDRESS", Value: "mine"}, {Name: "DYNAMO_RANK", Value: "mine"}}
	const groveLeader = "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-0.$(GROVE_HEADLESS_SERVICE)"
	cases := map[string]struct {
		reason   string
		settings Settings
		want     []corev1.EnvVar
	}{
		"LWSLeader": {
			reason:   "The leader of a LeaderWorkerSet has rank 0.",
			settings: Settings{Hosts: LWSHosts{}, Role: RoleLeader, RuntimeVersion: "1.6.0"},
			want:     []corev1.EnvVar{own[0], {Name: "DYNAMO_LEADER_ADDRESS", Value: "$(LWS_LEADER_ADDRESS)"}, {Name: "DYNAMO_RANK", Value: "0"}},
		},
		"LWSWorker": {
			reason:   "A worker of a LeaderWorkerSet has its index as its rank.",
			settings: Settings{Hosts: LWSHosts{}, Role: RoleWorker, RuntimeVersion: "1.6.0"},
			want: []corev1.EnvVar{
				own[0],
				{Name: "DYNAMO_LEADER_ADDRESS", Value: "$(LWS_LEADER_ADDRESS)"},
				{Name: "DYNAMO_RANK", Value: "$(LWS_WORKER_INDEX)"},
			},
		},
		"GroveWorker": {
			reason:   "Only a shell can compute the rank of a pod on Grove, so the variable stays as the user has it.",
			settings: Settings{Hosts: GroveHosts{Component: "worker"}, Role: RoleWorker, RuntimeVersion: "1.6.0"},
			want:     []corev1.EnvVar{own[0], own[2], {Name: "DYNAMO_LEADER_ADDRESS", Value: groveLeader}},
		},
		"GroveLeader": {
			reason:   "A leader with a rank among workers without one would be of no use.",
			settings: Settings{Hosts: GroveHosts{Component: "worker"}, Role: RoleLeader, RuntimeVersion: "1.6.0"},
			want:     []corev1.EnvVar{own[0], own[2], {Name: "DYNAMO_LEADER_ADDRESS", Value: groveLeader}},
		},
		"OwnCliques": {
			reason:   "A node with a clique of its own has a rank that is known.",
			settings: Settings{Hosts: RankHosts{Component: "worker", Rank: 2}, Role: RoleWorker, RuntimeVersion: "1.6.0"},
			want: []corev1.EnvVar{own[0], {
				Name: "DYNAMO_LEADER_ADDRESS", Value: "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)",
			}, {Name: "DYNAMO_RANK", Value: "2"}},
		},
		"Earlier": {
			reason:   "Programs of earlier releases do not know the variables.",
			settings: Settings{Hosts: LWSHosts{}, Role: RoleWorker, RuntimeVersion: "1.5.1"},
			want:     own,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &corev1.Container{Env: own}
			nameNode(c, tc.settings)
			if diff := cmp.Diff(tc.want, c.Env); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
