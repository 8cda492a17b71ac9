package v1alpha1

// Kueue holds detection and settings of Kueue, which lets pods of graphs wait for quota.
type Kueue struct {
	// Mode is Auto (the default: detected by its API group if a graph gets a queue), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue is the LocalQueue of graphs without label kueue.x-k8s.io/queue-name. By default, they have no queue, and Kueue does not hold their
	// pods. Running graphs stay in their queue, or without a queue.
	Queue string `json:"queue,omitempty"`

	// LongNames allows LeaderWorkerSets in queues with names of more than 39 characters. The pods of such LeaderWorkerSets need feature gate
	// WorkloadIdentifierAnnotations of Kueue, which is on by default since v0.18. Defaults to false.
	LongNames bool `json:"longNames,omitempty"`
}
