package v1alpha1

// ScalingAdapter holds the detection of DynamoGraphDeploymentScalingAdapter.
type ScalingAdapter struct {
	// Mode is Auto (the default: detected by its kind, which requires Crossplane v2.2 or later, and Disabled otherwise), Enabled
	// or Disabled.
	Mode Mode `json:"mode,omitempty"`
}
