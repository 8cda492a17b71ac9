package graphplan

import (
	corev1 "k8s.io/api/core/v1"
)

// Claims are the GPUs in claims that exist, and in those that pods get from templates, by ClaimOf. One without an entry is not known.
type Claims map[string]int64

// Kinds of what a pod names for its claims.
const (
	KindClaim         = "ResourceClaim"
	KindClaimTemplate = "ResourceClaimTemplate"
)

// ClaimOf a pod is what it names for a claim, such as ResourceClaim/a. exists says that it is a claim, which all pods that name it share. It is empty if
// it names nothing.
func ClaimOf(c *corev1.PodResourceClaim) (key string, exists bool) {
	switch {
	case c.ResourceClaimName != nil:
		return KindClaim + "/" + *c.ResourceClaimName, true
	case c.ResourceClaimTemplateName != nil:
		return KindClaimTemplate + "/" + *c.ResourceClaimTemplateName, false
	default:
		return "", false
	}
}
