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

// KeyService of the Service of a component.
func KeyService(component string) Resource { return Resource("service-" + Lower(component)) }

// KeyRayService of the headless Service by which nodes join the engine of a component.
func KeyRayService(component string) Resource {
	return Resource("rayservice-" + Lower(component))
}

// KeyIngress of the Ingress of a component.
func KeyIngress(component string) Resource { return Resource("ingress-" + Lower(component)) }

// KeyVirtualService of the Istio VirtualService of a component.
func KeyVirtualService(component string) Resource {
	return Resource("virtualservice-" + Lower(component))
}

// KeyHTTPRoute of the HTTPRoute of a component.
func KeyHTTPRoute(component string) Resource { return Resource("httproute-" + Lower(component)) }

// KeyClaimTemplate of the template of the claims through which the containers of a component's pod share its GPUs.
func KeyClaimTemplate(component string) Resource {
	return Resource("claimtemplate-" + Lower(component))
}

// KeyModelService of the headless Service of a model.
func KeyModelService(model string) Resource {
	return Resource("service-model-" + ModelHash(model))
}

// KeyPVC of a PersistentVolumeClaim that the graph creates.
func KeyPVC(name string) Resource { return Resource("pvc-" + name) }

// PVCOf is the claim that a key belongs to; false for the key of anything else.
func PVCOf(key string) (name string, ok bool) { return strings.CutPrefix(key, "pvc-") }

// KeyDeployment of the Deployment of a component.
func KeyDeployment(component string) Resource {
	return Resource("deployment-" + Lower(component))
}

// KeyLeaderWorkerSet of replica i of a multinode component.
func KeyLeaderWorkerSet(component string, i int32) Resource {
	return Resource("leaderworkerset-" + Lower(component) + "-" + strconv.FormatInt(int64(i), 10))
}

// KeyPodGroup of the gang of replica i of a multinode component.
func KeyPodGroup(component string, i int32) Resource {
	return Resource("podgroup-" + Lower(component) + "-" + strconv.FormatInt(int64(i), 10))
}

// KeySchedulingGroup of the gang of replica i of a multinode component, if it is one of Kubernetes itself. The generation is that of its name.
func KeySchedulingGroup(component string, i int32, generation string) Resource {
	key := "schedulinggroup-" + Lower(component) + "-" + strconv.FormatInt(int64(i), 10)
	if generation != "" {
		key += "." + generation
	}
	return Resource(key)
}

// PodGroupOf is the component, lower-cased, whose gang a key belongs to; false for the key of anything else.
func PodGroupOf(key string) (component string, ok bool) {
	gang, ok := strings.CutPrefix(key, "podgroup-")
	if !ok {
		gang, ok = strings.CutPrefix(key, "schedulinggroup-")
	}
	if i := strings.LastIndex(gang, "-"); ok && i >= 0 {
		return gang[:i], true
	}
	return "", false
}

// WorkloadOf is the component, lower-cased, whose Deployment or LeaderWorkerSet a key belongs to; false for the key of
// anything else.
func WorkloadOf(key string) (component string, multinode, ok bool) {
	if component, ok := strings.CutPrefix(key, "deployment-"); ok {
		return component, false, true
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

// KeySnapshotJob of the job that stores the state of a component's pods with a template, of which hash is a hash.
func KeySnapshotJob(component, hash string) Resource {
	return Resource(snapshotJobPrefix + Lower(component) + "-" + hash)
}

// IsSnapshotJobOf reports whether a key is that of a job that stores the state of a component's pods.
func IsSnapshotJobOf(key, component string) bool {
	hash, ok := strings.CutPrefix(key, snapshotJobPrefix+Lower(component)+"-")
	return ok && !strings.Contains(hash, "-")
}

const snapshotJobPrefix = "snapshotjob-"

// SnapshotJob is the name of the job that stores the state of pods with a template, of which hash is a hash.
func SnapshotJob(hash string) string { return "checkpoint-" + hash }

// KeyReplicas of the helper that scales a live component.
func KeyReplicas(component string) Resource { return Resource("replicas-" + Lower(component)) }

// KeyAutoscaler of the autoscaler of a component.
func KeyAutoscaler(component string) Resource {
	return Resource("autoscaler-" + Lower(component))
}

// KeyScalingAdapter of the scaling adapter of a component.
func KeyScalingAdapter(component string) Resource {
	return Resource("scalingadapter-" + Lower(component))
}

// KeyScaleTogether of the scaling adapter of components that are scaled together.
const KeyScaleTogether = Resource("scalingadapter")

// revisionPrefix of the keys of revisions.
const revisionPrefix = "revision-"

// KeyRevision of the revision of a graph whose content has a hash.
func KeyRevision(hash string) Resource { return Resource(revisionPrefix + hash) }

// IsRevisionKey reports whether a key is one of a revision.
func IsRevisionKey(key string) bool { return strings.HasPrefix(key, revisionPrefix) }

// Lower is the form in which the name of a component stands in names of objects.
func Lower(component string) string { return strings.ToLower(component) }

// ModelHash identifies a model in names and labels: the first 8 hex digits of the SHA-256 of its name.
func ModelHash(model string) string { return hash(model) }

// hashLength is how many characters a hash has.
const hashLength = 8

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:hashLength/2])
}
