package v1alpha1

// Kueue holds detection and settings of Kueue, which lets pods of graphs wait for quota.
type Kueue struct {
	// Mode is Auto (the default: detected by its API group if a graph gets a queue), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue is the LocalQueue of graphs without label kueue.x-k8s.io/queue-name. Defaults to none: Kueue does not hold their pods. Running
	// graphs keep their queue, or none.
	Queue string `json:"queue,omitempty"`

	// LongNames allows LeaderWorkerSets in queues with names of more than 39 characters. Pods of these need feature gate
	// WorkloadIdentifierAnnotations of Kueue, which is on by default since v0.18. Defaults to false.
	LongNames bool `json:"longNames,omitempty"`
}
