package v1alpha1

// Runtime is the policy for the release of Dynamo that images have. Pods are built for the release in their image.
type Runtime struct {
	// Version of components without runtimeVersionOverride whose image tag contains no version, such as 1.4.0. By default,
	// a release is assumed for such images, with a warning. Changes do not affect running pods.
	//
	// +kubebuilder:validation:Pattern=`^(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})\.(0|[1-9][0-9]{0,3})$`
	Version string `json:"version,omitempty"`

	// Force the version on all components, regardless of their images. Defaults to false.
	Force bool `json:"force,omitempty"`
}
