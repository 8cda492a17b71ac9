// Package names contains the names of composed resources: the keys under which Crossplane tracks them, and the names of the objects. Both
// are public API: Crossplane deletes and recreates an object whose key changes.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Keys of resources that exist at most once in a graph.
const (
	KeyPodCliqueSet = Resource("podcliqueset")

	KeyDiscoveryServiceAccount = Resource("discovery-serviceaccount")
	KeyDiscoveryRole           = Resource("discovery-role")
	KeyDiscoveryRoleBinding    = Resource("discovery-rolebinding")

	KeyPlannerServiceAccount = Resource("planner-serviceaccount")
	KeyPlannerRole           = Resource("planner-role")
	KeyPlannerRoleBinding    = Resource("planner-rolebinding")

	KeyEPPServiceAccount  = Resource("epp-serviceaccount")
	KeyEPPRole            = Resource("epp-role")
	KeyEPPRoleBinding     = Resource("epp-rolebinding")
	KeyEPPConfigMap       = Resource("epp-configmap")
	KeyEPPInferencePool   = Resource("epp-inferencepool")
	KeyEPPDestinationRule = Resource("epp-destinationrule")

	KeyWaitForLeader = Resource("configmap-wait-for-leader")
	KeySSHSecret     = Resource("ssh-secret")
)

// IsForPods reports whether a key is that of an object of step foundation to which pods refer, or that selects pods.
func IsForPods(key string) bool {
	switch Resource(key) {
	case KeyDiscoveryServiceAccount, KeyDiscoveryRole, KeyDiscoveryRoleBinding,
		KeyPlannerServiceAccount, KeyPlannerRole, KeyPlannerRoleBinding,
		KeyEPPServiceAccount, KeyEPPRole, KeyEPPRoleBinding, KeyEPPConfigMap, KeyEPPInferencePool, KeyWaitForLeader:
		return true
	default:
		return strings.HasPrefix(key, "service-") || strings.HasPrefix(key, "claimtemplate-")
	}
}

// KeyService of the Service of a service.
func KeyService(service string) Resource { return Resource("service-" + Lower(service)) }

// KeyRayService of the headless Service by which nodes join the engine of a service.
func KeyRayService(service string) Resource {
	return Resource("rayservice-" + Lower(service))
}

// KeyIngress of the Ingress of a service.
func KeyIngress(service string) Resource { return Resource("ingress-" + Lower(service)) }

// KeyVirtualService of the Istio VirtualService of a service.
func KeyVirtualService(service string) Resource {
	return Resource("virtualservice-" + Lower(service))
}

// KeyHTTPRoute of the HTTPRoute of a service.
func KeyHTTPRoute(service string) Resource { return Resource("httproute-" + Lower(service)) }

// KeyClaimTemplate of the template of the claims through which the containers of a service's pod share its GPUs.
func KeyClaimTemplate(service string) Resource {
	return Resource("claimtemplate-" + Lower(service))
}

// KeyModelService of the headless Service of a model.
func KeyModelService(model string) Resource {
	return Resource("service-model-" + ModelHash(model))
}

// KeyPVC of a PersistentVolumeClaim that the graph creates.
func KeyPVC(name string) Resource { return Resource("pvc-" + name) }

// PVCOf is the claim that a key belongs to; false for the key of anything else.
func PVCOf(key string) (name string, ok bool) { return strings.CutPrefix(key, "pvc-") }

// KeyDeployment of the Deployment of a service.
func KeyDeployment(service string) Resource {
	return Resource("deployment-" + Lower(service))
}

// KeyLeaderWorkerSet of replica i of a multinode service.
func KeyLeaderWorkerSet(service string, i int32) Resource {
	return Resource("leaderworkerset-" + Lower(service) + "-" + strconv.FormatInt(int64(i), 10))
}

// KeyPodGroup of the gang of replica i of a multinode service.
func KeyPodGroup(service string, i int32) Resource {
	return Resource("podgroup-" + Lower(service) + "-" + strconv.FormatInt(int64(i), 10))
}

// KeySchedulingGroup of the gang of replica i of a multinode service, if it is one of Kubernetes itself. The generation is that of its name.
func KeySchedulingGroup(service string, i int32, generation string) Resource {
	key := "schedulinggroup-" + Lower(service) + "-" + strconv.FormatInt(int64(i), 10)
	if generation != "" {
		key += "." + generation
	}
	return Resource(key)
}

// PodGroupOf is the service, lower-cased, whose gang a key belongs to; false for the key of anything else.
func PodGroupOf(key string) (service string, ok bool) {
	gang, ok := strings.CutPrefix(key, "podgroup-")
	if !ok {
		gang, ok = strings.CutPrefix(key, "schedulinggroup-")
	}
	if i := strings.LastIndex(gang, "-"); ok && i >= 0 {
		return gang[:i], true
	}
	return "", false
}

// WorkloadOf is the service, lower-cased, whose Deployment or LeaderWorkerSet a key belongs to; false for the key of
// anything else.
func WorkloadOf(key string) (service string, multinode, ok bool) {
	if service, ok := strings.CutPrefix(key, "deployment-"); ok {
		return service, false, true
	}
	set, ok := strings.CutPrefix(key, "leaderworkerset-")
	if !ok {
		return "", false, false
	}
	i := strings.LastIndex(set, "-")
	if i < 0 {
		return "", false, false
	}
	return set[:i], true, true
}

// KeySnapshotJob of the job that stores the state of a service's pods with a template, of which hash is a hash.
func KeySnapshotJob(service, hash string) Resource {
	return Resource(snapshotJobPrefix + Lower(service) + "-" + hash)
}

// IsSnapshotJobOf reports whether a key is that of a job that stores the state of a service's pods.
func IsSnapshotJobOf(key, service string) bool {
	hash, ok := strings.CutPrefix(key, snapshotJobPrefix+Lower(service)+"-")
	return ok && !strings.Contains(hash, "-")
}

const snapshotJobPrefix = "snapshotjob-"

// SnapshotJob is the name of the job that stores the state of pods with a template, of which hash is a hash.
func SnapshotJob(hash string) string { return "checkpoint-" + hash }

// KeyReplicas of the helper that scales a live service.
func KeyReplicas(service string) Resource { return Resource("replicas-" + Lower(service)) }

// KeyAutoscaler of the autoscaler of a service.
func KeyAutoscaler(service string) Resource {
	return Resource("autoscaler-" + Lower(service))
}

// KeyScalingAdapter of the scaling adapter of a service.
func KeyScalingAdapter(service string) Resource {
	return Resource("scalingadapter-" + Lower(service))
}

// KeyScaleTogether of the scaling adapter of services that are scaled together.
const KeyScaleTogether = Resource("scalingadapter")

// revisionPrefix of the keys of revisions.
const revisionPrefix = "revision-"

// KeyRevision of the revision of a graph whose content has a hash.
func KeyRevision(hash string) Resource { return Resource(revisionPrefix + hash) }

// IsRevisionKey reports whether a key is one of a revision.
func IsRevisionKey(key string) bool { return strings.HasPrefix(key, revisionPrefix) }

// Lower is the form in which the name of a service stands in names of objects.
func Lower(service string) string { return strings.ToLower(service) }

// ModelHash identifies a model in names and labels: the first 8 hex digits of the SHA-256 of its name.
func ModelHash(model string) string { return hash(model) }

// hashLength is how many characters a hash has.
const hashLength = 8

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:hashLength/2])
}
