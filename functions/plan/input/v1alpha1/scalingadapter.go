package v1alpha1

// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
type ScalingAdapter struct {
	// Mode is Auto, Enabled or Disabled. Auto, the default, detects the kind. Before Crossplane v2.2, which cannot detect it, Auto acts as
	// Disabled.
	Mode Mode `json:"mode,omitempty"`
}
