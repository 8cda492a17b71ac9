package v1alpha1

// RegistrySecret is the pull secret of a registry.
type RegistrySecret struct {
	// Registry is the host of the registry, with its port, such as nvcr.io or registry.example.org:5000. Images without a host are
	// from docker.io.
	//
	// +kubebuilder:validation:MinLength=1
	Registry string `json:"registry"`

	// SecretName is the name of a Secret of type kubernetes.io/dockerconfigjson in the namespace of the graph. In a namespace
	// without this Secret, images are pulled without it.
	//
	// +kubebuilder:validation:MinLength=1
	SecretName string `json:"secretName"`
}
