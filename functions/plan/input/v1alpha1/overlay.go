package v1alpha1

import "cmp"

// Overlay is the data of an EnvironmentConfig: a policy, which takes precedence over the input.
type Overlay struct {
	Policy `json:",inline"`

	// Namespaces hold the policy of some namespaces, as in the input.
	Namespaces []NamespacePolicy `json:"namespaces,omitempty"`
}

// EnvironmentConfig of Crossplane with the policy of the platform.
type EnvironmentConfig struct {
	// Mode is Enabled (the default: the EnvironmentConfig is looked up, and need not exist) or Disabled.
	Mode EnvironmentConfigMode `json:"mode,omitempty"`

	// Name of the EnvironmentConfig. Defaults to dynamo.
	Name string `json:"name,omitempty"`
}

// NameOrDefault is the name of the EnvironmentConfig that is looked up, unless the mode is Disabled.
func (e *EnvironmentConfig) NameOrDefault() string { return cmp.Or(e.Name, DefaultEnvironmentConfig) }

// DefaultEnvironmentConfig is the name of the EnvironmentConfig if the input has none.
const DefaultEnvironmentConfig = "dynamo"

// EnvironmentConfigMode is whether an EnvironmentConfig is looked up.
//
// +kubebuilder:validation:Enum=Enabled;Disabled
type EnvironmentConfigMode string

// The modes of the EnvironmentConfig.
const (
	EnvironmentConfigEnabled  EnvironmentConfigMode = "Enabled"
	EnvironmentConfigDisabled EnvironmentConfigMode = "Disabled"
)

// NamespacePolicy is the policy of some namespaces. Fields that it does not set keep their value for all namespaces.
type NamespacePolicy struct {
	Policy `json:",inline"`

	// Selector of the namespaces.
	Selector NamespaceSelector `json:"selector"`
}

// NamespaceSelector selects namespaces.
type NamespaceSelector struct {
	// MatchNames are names of namespaces. An asterisk stands for any characters, such as in team-*.
	//
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	MatchNames []string `json:"matchNames"`
}
