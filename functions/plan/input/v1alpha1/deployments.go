package v1alpha1

// Deployments is the policy for Deployments, which run components whose replicas each fit on one node where Grove is not used.
type Deployments struct {
	// MinReadySeconds is how long a new pod has to be ready before a rollout removes an old pod. Defaults to 0. Grove and LeaderWorkerSet have no
	// such setting. No pod changes with this field.
	//
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`
}
