package v1alpha1

// Checkpoints holds the detection of the snapshot operator, and how pods are restored from checkpoints. Running pods do not change with it.
type Checkpoints struct {
	// Mode is Auto (the default: detected by kind PodSnapshot if a graph refers to a checkpoint, which requires Crossplane v2.2 or
	// later, and Disabled otherwise), Enabled or Disabled.
	Mode Mode `json:"mode,omitempty"`

	// Contract is what the agent of the snapshot operator requires of restored pods: Auto (the default: detected by kind SnapshotJob, which
	// v0.1.0 has; where it cannot be, v0.1.0 unless storage is set), v0.1.0 or v0.1.0-alpha.1.
	Contract SnapshotContract `json:"contract,omitempty"`

	// SeccompProfile of restored pods, a path on the nodes. Defaults to profiles/block-iouring.json, which the chart of the snapshot
	// operator installs. Set it to "" in a cluster where pods may not have profiles of their nodes.
	//
	// +optional
	SeccompProfile *string `json:"seccompProfile,omitempty"`

	// Storage of checkpoints that restored pods mount. Defaults to none: the agent of the snapshot operator mounts it for them, except
	// in v0.1.0-alpha.1.
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
