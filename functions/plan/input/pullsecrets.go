package input

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// PullSecrets of registries, in the form of the plan.
func PullSecrets(in *v1alpha1.Input) []graphplan.RegistrySecret {
	var secrets []graphplan.RegistrySecret
	for _, secret := range in.ImagePullSecrets {
		secrets = append(secrets, graphplan.RegistrySecret{Registry: hostOf(secret.Registry), SecretName: secret.SecretName})
	}
	return secrets
}

func validatePullSecrets(path *field.Path, secrets []v1alpha1.RegistrySecret) field.ErrorList {
	var errs field.ErrorList
	for i, secret := range secrets {
		fieldPath := path.Index(i)
		switch {
		case secret.Registry == "":
			errs = append(errs, field.Required(fieldPath.Child("registry"), "specify the host of the registry, such as nvcr.io"))
		case hostOf(secret.Registry) == "":
			errs = append(errs, field.Invalid(fieldPath.Child("registry"), secret.Registry, "must be a host with a dot or a port, such as nvcr.io or registry.example.org:5000, without a scheme or path"))
		}
		if secret.SecretName == "" {
			errs = append(errs, field.Required(fieldPath.Child("secretName"), "specify the name of the Secret"))
		}
		errs = append(errs, objectName(fieldPath.Child("secretName"), secret.SecretName)...)
	}
	return errs
}

// hostOf a registry is its name in the normalized name of an image. It is empty if it is not a host.
func hostOf(registry string) string {
	const image = "/library/image"
	switch host := pod.RegistryOf(registry + image); {
	case host == registry, host == "docker.io" && registry == "index.docker.io":
		return host
	default:
		return ""
	}
}
