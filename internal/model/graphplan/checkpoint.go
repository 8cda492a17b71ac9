package graphplan

// Checkpoint is the stored state of a warm process.
type Checkpoint struct {
	// Name of the PodSnapshot to which the component refers. Empty if it refers to none, and the graph creates one for each pod template.
	Name string `json:"name"`

	// Creates says that the graph has the state of the pods of the component stored, of each pod template once.
	Creates bool `json:"creates,omitempty"`

	// Stored are the states that the graph has had stored, from which pods with the same template are restored.
	Stored []StoredTemplate `json:"stored,omitempty"`

	// ID under which the state is stored, and the version of what is stored, up to v0.1.0-alpha.1 of the snapshot operator. Empty if they are
	// not known.
	ID              string `json:"id,omitempty"`
	ArtifactVersion string `json:"artifactVersion,omitempty"`

	// Captured is the container whose state is stored, since v0.1.0 of the snapshot operator. Empty if an earlier version restores the pods.
	Captured string `json:"captured,omitempty"`

	// Ready says that the state has been stored.
	Ready bool `json:"ready,omitempty"`

	// Restores says that pods that are built now are restored from the checkpoint. Otherwise they start cold.
	Restores bool `json:"restores,omitempty"`
}

// StoredTemplate is the stored state of pods with a template.
type StoredTemplate struct {
	// Template is the hash of the template as it was before anything was stored.
	Template string `json:"template"`

	// PodSnapshot is the name of the state.
	PodSnapshot string `json:"podSnapshot"`
}

// Restore is how pods are restored from checkpoints.
type Restore struct {
	// SeccompProfile of the pods, a path on the node. Empty if they keep their own.
	SeccompProfile string `json:"seccompProfile,omitempty"`

	// ClaimName of the storage that pods mount, and the path. Empty if they do not mount it.
	ClaimName string `json:"claimName,omitempty"`
	BasePath  string `json:"basePath,omitempty"`
}
