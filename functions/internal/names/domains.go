package names

import (
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
)

// MNNVLClaim is what a pod calls its claim of a channel of an NVLink domain. Grove calls its own so, and adds none to a pod
// that has one of this name: a second claim would keep the pod pending forever.
const MNNVLClaim = "mnnvl-claim"

// KeyComputeDomain of the NVLink domain of the whole graph.
const KeyComputeDomain = resource.Name("computedomain-0")

// KeyReplicaComputeDomain of the NVLink domain of replica i of a multinode service.
func KeyReplicaComputeDomain(service string, i int32) resource.Name {
	return resource.Name("computedomain-" + replica(service, i))
}

// IsComputeDomain reports whether a key is that of an NVLink domain.
func IsComputeDomain(key string) bool { return strings.HasPrefix(key, "computedomain-") }

// ReplicaOfComputeDomain is the replica, and its service lower-cased, that a key's NVLink domain belongs to; false for the
// domain of a whole graph, and for the key of anything else.
func ReplicaOfComputeDomain(key string) (service string, i int32, ok bool) {
	return replicaOf(key, "computedomain-")
}

// ReplicaOfLeaderWorkerSet is the replica, and its service lower-cased, that a key's LeaderWorkerSet is; false for the key
// of anything else.
func ReplicaOfLeaderWorkerSet(key string) (service string, i int32, ok bool) {
	return replicaOf(key, "leaderworkerset-")
}

// KeyUsage of the protection of an NVLink domain that one workload uses: the PodCliqueSet, or the LeaderWorkerSet that the
// domain is for.
func KeyUsage(domain resource.Name) resource.Name { return "usage-" + domain }

// KeyDeploymentUsage of the protection of the graph's NVLink domain that the Deployment of a service uses.
func KeyDeploymentUsage(service string) resource.Name {
	return KeyUsage(KeyComputeDomain) + resource.Name("-"+Lower(service))
}

// KeyLeaderWorkerSetUsage of the protection of the graph's NVLink domain that replica i of a multinode service uses. It
// never meets the key of a Deployment's: a service that is called like a replica of another one is refused, as the two
// would have Services of one name.
func KeyLeaderWorkerSetUsage(service string, i int32) resource.Name {
	return KeyUsage(KeyComputeDomain) + resource.Name("-"+replica(service, i))
}

// IsUsage reports whether a key is that of the protection of an NVLink domain.
func IsUsage(key string) bool { return strings.HasPrefix(key, "usage-computedomain-") }

// ComputeDomain is the NVLink domain of the whole graph, the template of the claims of its channels, and, on Grove, its
// protection. The domain of one replica has the name of its LeaderWorkerSet.
func (g Graph) ComputeDomain() string { return g.name + "-0" }

// DeploymentUsage protects the graph's NVLink domain while the Deployment of a service is there.
func (g Graph) DeploymentUsage(service string) string {
	return g.ComputeDomain() + "-" + Lower(service)
}

// LeaderWorkerSetUsage protects the graph's NVLink domain while replica i of a multinode service is there.
func (g Graph) LeaderWorkerSetUsage(service string, i int32) string {
	return g.ComputeDomain() + "-" + replica(service, i)
}

func replica(service string, i int32) string {
	return Lower(service) + "-" + strconv.FormatInt(int64(i), 10)
}

func replicaOf(key, prefix string) (service string, i int32, ok bool) {
	name, ok := strings.CutPrefix(key, prefix)
	dash := strings.LastIndex(name, "-")
	if !ok || dash < 1 {
		return "", 0, false
	}
	index, err := strconv.ParseUint(name[dash+1:], 10, 31)
	// 01 is not how a key spells 1.
	if err != nil || name != replica(name[:dash], int32(index)) {
		return "", 0, false
	}
	return name[:dash], int32(index), true
}
