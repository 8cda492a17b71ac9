package pod

import (
	"slices"
	"strings"

	imagereference "github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// addPullSecrets adds the platform's secrets for the registries of the pod's images after those of the user.
func (b *Builder) addPullSecrets(spec *corev1.PodSpec, c component) {
	if len(b.Plan.ImagePullSecrets) == 0 || b.annotation(c, metadata.AnnotationNoPullSecrets) == "true" {
		return
	}
	registries := map[string]bool{}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			registries[RegistryOf(containers[i].Image)] = true
		}
	}
	var added []corev1.LocalObjectReference
	for _, secret := range b.Plan.ImagePullSecrets {
		if registries[secret.Registry] {
			added = append(added, corev1.LocalObjectReference{Name: secret.SecretName})
		}
	}
	slices.SortFunc(added, func(a, b corev1.LocalObjectReference) int { return strings.Compare(a.Name, b.Name) })
	for _, secret := range added {
		if !slices.Contains(spec.ImagePullSecrets, secret) {
			spec.ImagePullSecrets = append(spec.ImagePullSecrets, secret)
		}
	}
}

// RegistryOf an image is the host from which the kubelet pulls it. Empty if the image has no valid name.
func RegistryOf(image string) string {
	named, err := imagereference.ParseNormalizedNamed(image)
	if err != nil {
		return ""
	}
	return imagereference.Domain(named)
}

// RepositoryOf an image is its name with the registry, and without tag and digest. Empty if the image has no valid name.
func RepositoryOf(image string) string {
	named, err := imagereference.ParseNormalizedNamed(image)
	if err != nil {
		return ""
	}
	return named.Name()
}
