package graphplan

// LostObject is an object in the namespace of the graph.
type LostObject struct {
	// Key under which the object was composed.
	Key string `json:"key"`

	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`

	// Adopted says that the object was not composed for the graph, which takes it over from another controller.
	Adopted bool `json:"adopted,omitempty"`
}

// Child is the PodClique of a single-node component, or the PodCliqueScalingGroup of a multinode component. Grove creates it from the
// PodCliqueSet, and it determines the number of replicas.
type Child struct {
	// Kind is PodClique or PodCliqueScalingGroup.
	Kind string `json:"kind"`
	Name string `json:"name"`

	// Generation of the child, and the last one that Grove has processed. nil if it has processed none.
	Generation         int64  `json:"generation"`
	ObservedGeneration *int64 `json:"observedGeneration,omitempty"`

	// SpecReplicas are requested; the others are counted.
	SpecReplicas      int32 `json:"specReplicas"`
	Replicas          int32 `json:"replicas"`
	UpdatedReplicas   int32 `json:"updatedReplicas"`
	ReadyReplicas     int32 `json:"readyReplicas"`
	AvailableReplicas int32 `json:"availableReplicas"`
	ScheduledReplicas int32 `json:"scheduledReplicas"`

	// ScheduleGatedReplicas are pods of a PodClique that are not handed to the scheduler yet.
	ScheduleGatedReplicas int32 `json:"scheduleGatedReplicas,omitempty"`

	// Unscheduled is how Grove says that pods are waiting to be scheduled. Empty if they are not, or it does not say so.
	Unscheduled string `json:"unscheduled,omitempty"`

	// Problem other than that which Grove reports for the child. Empty if there is none.
	Problem string `json:"problem,omitempty"`

	// Update is the current rolling update of the child. nil if there is none.
	Update *ChildUpdate `json:"update,omitempty"`
}

// ChildUpdate is a rolling update of a child.
type ChildUpdate struct {
	// Selected is how many pods of a PodClique the update has replaced in turn so far, including the current one. The update continues when
	// as many pods of the new template are ready.
	Selected int32 `json:"selected,omitempty"`

	// Written is when Grove last wrote the status of the child, in the format of RFC 3339. Empty if it is not known.
	Written string `json:"written,omitempty"`
}
