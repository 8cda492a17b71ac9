package v1alpha1

// PodSecurityMode is what the security context of pods is by default.
//
// +kubebuilder:validation:Enum=Default;None;Custom
type PodSecurityMode string

// The modes.
const (
	// PodSecurityDefault is fsGroup 1000, the group of the user in images of Dynamo.
	PodSecurityDefault PodSecurityMode = "Default"
	// PodSecurityNone sets nothing, so that the cluster can assign users and groups, as OpenShift does.
	PodSecurityNone PodSecurityMode = "None"
	// PodSecurityCustom sets the other fields, and nothing else.
	PodSecurityCustom PodSecurityMode = "Custom"
)

// PodSecurityContext of pods for which the user sets no security context. Changes do not affect running pods.
type PodSecurityContext struct {
	// Mode is Default (fsGroup 1000), None (nothing is set, as OpenShift requires) or Custom (the other fields). Defaults to Default. The other
	// fields have no effect in the first two modes.
	Mode PodSecurityMode `json:"mode,omitempty"`

	// FSGroup owns the volumes of pods.
	//
	// +kubebuilder:validation:Minimum=0
	FSGroup *int64 `json:"fsGroup,omitempty"`

	// RunAsUser is the user of all containers.
	//
	// +kubebuilder:validation:Minimum=0
	RunAsUser *int64 `json:"runAsUser,omitempty"`

	// RunAsGroup is the group of all containers.
	//
	// +kubebuilder:validation:Minimum=0
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`

	// RunAsNonRoot refuses images that run as root.
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`

	// SupplementalGroups of all containers.
	//
	// +kubebuilder:validation:MaxItems=100
	SupplementalGroups []int64 `json:"supplementalGroups,omitempty"`

	// SeccompProfile is the type of the profile: RuntimeDefault or Unconfined.
	SeccompProfile SeccompProfileType `json:"seccompProfile,omitempty"`
}

// SeccompProfileType is a seccomp profile that needs no file.
//
// +kubebuilder:validation:Enum=RuntimeDefault;Unconfined
type SeccompProfileType string

// The types.
const (
	SeccompRuntimeDefault SeccompProfileType = "RuntimeDefault"
	SeccompUnconfined     SeccompProfileType = "Unconfined"
)
