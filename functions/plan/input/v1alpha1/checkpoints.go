package v1alpha1

// Checkpoints holds the detection of the snapshot operator, and how pods are restored from checkpoints. Changes do not affect running pods.
type Checkpoints struct {
	// Mode is Auto, Enabled or Disabled. Auto, the default, detects kind PodSnapshot if a graph refers to a checkpoint. Before Crossplane
	// v2.2, which cannot detect the kind, Auto acts as Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Contract is what the agent of the snapshot operator requires of restored pods: Auto, v0.1.0 or v0.1.0-alpha.1. Auto, the default, detects
	// v0.1.0 by kind SnapshotJob. If the kind cannot be detected, Auto is v0.1.0, or v0.1.0-alpha.1 if storage is set.
	Contract SnapshotContract `json:"contract,omitempty"`

	// SeccompProfile of restored pods, a path on the nodes. Defaults to profiles/block-iouring.json, which the chart of the snapshot
	// operator installs. Set it to "" in a cluster where pods may not have profiles of their nodes.
	//
	// +optional
	SeccompProfile *string `json:"seccompProfile,omitempty"`

	// Storage of checkpoints that restored pods mount, for v0.1.0-alpha.1. By default, pods mount none: the agents of later versions of the
	// snapshot operator mount the storage.
	//
	// +optional
	Storage *CheckpointStorage `json:"storage,omitempty"`
}

// SnapshotContract is the first release of the snapshot operator that requires the same of restored pods.
//
// +kubebuilder:validation:Enum=Auto;v0.1.0;v0.1.0-alpha.1
type SnapshotContract string

// Contracts of the snapshot operator.
const (
	SnapshotAuto    SnapshotContract = "Auto"
	SnapshotV0      SnapshotContract = "v0.1.0"
	SnapshotV0Alpha SnapshotContract = "v0.1.0-alpha.1"
)

// CheckpointStorage is a PersistentVolumeClaim with checkpoints.
type CheckpointStorage struct {
	// ClaimName is the name of the PersistentVolumeClaim in the namespace of each graph that restores pods.
	//
	// +kubebuilder:validation:MinLength=1
	ClaimName string `json:"claimName"`

	// BasePath is where pods mount it, such as /checkpoints: storage.pvc.basePath of the chart of the snapshot operator.
	//
	// +kubebuilder:validation:Pattern=`^/`
	BasePath string `json:"basePath"`
}
