package v1alpha1

import "cmp"

// KAI holds detection and settings of the KAI scheduler.
type KAI struct {
	// Mode is Auto (the default: detected by its API group), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Queue of graphs without annotation nvidia.com/kai-scheduler-queue. Defaults to dynamo. Running graphs keep their queue.
	Queue string `json:"queue,omitempty"`
}

// QueueOrDefault is the queue of graphs that name none.
func (k *KAI) QueueOrDefault() string { return cmp.Or(k.Queue, "dynamo") }
