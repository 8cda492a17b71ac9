package names

import (
	"strconv"
	"strings"
)

// MNNVLClaim is the name of the claim of a pod for a channel of an NVLink domain. Grove uses the same name for its own claims, and adds
// none to a pod that has one: a second claim would keep the pod pending forever.
const MNNVLClaim = "mnnvl-claim"

// KeyComputeDomain of the NVLink domain of the whole graph.
const KeyComputeDomain = Resource("computedomain-0")

// KeyReplicaComputeDomain of the NVLink domain of replica i of a multinode component.
func KeyReplicaComputeDomain(component string, i int32) Resource {
	return Resource("computedomain-" + replica(component, i))
}

// IsComputeDomain reports whether a key is that of an NVLink domain.
func IsComputeDomain(key string) bool { return strings.HasPrefix(key, "computedomain-") }

// ReplicaOfComputeDomain is the replica, and its lower-cased component, of the NVLink domain of a key. It returns false for the domain of a
// whole graph, and for keys of other objects.
func ReplicaOfComputeDomain(key string) (component string, i int32, ok bool) {
	return replicaOf(key, "computedomain-")
}

// ReplicaOfLeaderWorkerSet is the replica, and its lower-cased component, of the LeaderWorkerSet of a key. It returns false for keys of other
// objects.
func ReplicaOfLeaderWorkerSet(key string) (component string, i int32, ok bool) {
	return replicaOf(key, "leaderworkerset-")
}

// KeyUsage of the Usage that protects an NVLink domain used by one workload: the PodCliqueSet, or the LeaderWorkerSet of the domain.
func KeyUsage(domain Resource) Resource { return "usage-" + domain }

// KeyDeploymentUsage of the Usage that protects the graph's NVLink domain used by the Deployment of a component.
func KeyDeploymentUsage(component string) Resource {
	return KeyUsage(KeyComputeDomain) + Resource("-"+Lower(component))
}

// KeyLeaderWorkerSetUsage of the Usage that protects the graph's NVLink domain used by replica i of a multinode component. It never conflicts
// with the key for a Deployment: a component with the name of a replica of another component is refused, because their Services would have the
// same name.
func KeyLeaderWorkerSetUsage(component string, i int32) Resource {
	return KeyUsage(KeyComputeDomain) + Resource("-"+replica(component, i))
}

// IsUsage reports whether a key is that of a Usage that protects an NVLink domain.
func IsUsage(key string) bool { return strings.HasPrefix(key, "usage-computedomain-") }

// ComputeDomain is the name of the NVLink domain of the whole graph, of its claim template, and, on Grove, of the Usage that protects it.
// The domain of one replica has the name of its LeaderWorkerSet.
func (g Graph) ComputeDomain() string { return g.name + "-0" }

// DeploymentUsage protects the graph's NVLink domain while the Deployment of a component exists.
func (g Graph) DeploymentUsage(component string) string {
	return g.ComputeDomain() + "-" + Lower(component)
}

// LeaderWorkerSetUsage protects the graph's NVLink domain while replica i of a multinode component exists.
func (g Graph) LeaderWorkerSetUsage(component string, i int32) string {
	return g.ComputeDomain() + "-" + replica(component, i)
}

func replica(component string, i int32) string {
	return Lower(component) + "-" + strconv.FormatInt(int64(i), 10)
}

func replicaOf(key, prefix string) (component string, i int32, ok bool) {
	name, ok := strings.CutPrefix(key, prefix)
	dash := strings.LastIndex(name, "-")
	if !ok || dash < 1 {
		return "", 0, false
	}
	index, err := strconv.ParseUint(name[dash+1:], 10, 31)
	// Keys never contain numbers such as 01.
	if err != nil || name != replica(name[:dash], int32(index)) {
		return "", 0, false
	}
	return name[:dash], int32(index), true
}
