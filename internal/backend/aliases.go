package backend

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// The variables with the place of a node in its replica, which are the same under every orchestrator.
const (
	envRank          = "DYNAMO_RANK"
	envLeaderAddress = "DYNAMO_LEADER_ADDRESS"
)

// rankInGroup is the rank that Grove v0.1.0-alpha.14 and later gives to each pod of a scaling group. Of a pair, the other node has rank 1.
const (
	rankInGroup = "$(GROVE_PCSG_POD_INDEX)"
	pair        = 2
)

// nameNode tells the nodes of a replica their rank and the address of the first one, whatever the user has under these names: programs of
// Dynamo rely on them. A rank that only a shell can compute, as on Grove, is left to the user, because a variable cannot contain it; the commands
// of roles have no other.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/multinode.mdx
func nameNode(c *corev1.Container, s Settings) {
	if !s.RuntimeVersion.Has(runtime.NodeAliases) {
		return
	}
	setEnv(c, corev1.EnvVar{Name: envLeaderAddress, Value: s.Hosts.Leader().Argument})
	rank := s.Hosts.WorkerRank().Argument
	if s.OwnCommand && rank == "" {
		rank = rankInGroup
		if s.NodeCount == pair {
			rank = "1"
		}
	}
	if s.Role == RoleLeader && rank != "" {
		rank = "0"
	}
	if rank != "" {
		setEnv(c, corev1.EnvVar{Name: envRank, Value: rank})
	}
}

// setEnv replaces an environment variable, or adds it at the end.
func setEnv(c *corev1.Container, v corev1.EnvVar) {
	c.Env = append(slices.DeleteFunc(slices.Clone(c.Env), func(e corev1.EnvVar) bool { return e.Name == v.Name }), v)
}
