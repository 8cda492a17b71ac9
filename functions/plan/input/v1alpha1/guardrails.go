package v1alpha1

// GuardRails limit what graphs may request. A field that is not set limits nothing. An empty list allows nothing. In the entries of
// lists, an asterisk stands for any characters. In the entries of imageRegistries and gateways, it stands for any characters but slashes.
type GuardRails struct {
	// MaxGPUs is the largest number of GPUs of a graph: of all replicas and nodes of its components. A component with autoscaling counts with
	// its maxReplicas. A Deployment whose rollouts add more replicas than by default counts with these replicas.
	//
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxGPUs *int64 `json:"maxGPUs,omitempty"`

	// MaxNodes is the largest number of nodes that the pods with GPUs of a graph may need: replicas times nodes of the components.
	//
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxNodes *int64 `json:"maxNodes,omitempty"`

	// MaxReplicas is the largest number of replicas of all components of a graph together.
	//
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxReplicas *int64 `json:"maxReplicas,omitempty"`

	// Queues that graphs may name in their annotations, such as team-a-*. The default of the platform is always allowed.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Queues []string `json:"queues,omitempty"`

	// ImageRegistries are the registries and repositories from which images of graphs may be, such as nvcr.io or nvcr.io/nvidia. An entry
	// includes everything below it. Images without a host are from docker.io.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	ImageRegistries []string `json:"imageRegistries,omitempty"`

	// ServiceAccounts that graphs may name for their pods. ServiceAccounts that pods get by default are always allowed.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	ServiceAccounts []string `json:"serviceAccounts,omitempty"`

	// StorageClasses that graphs may name for PersistentVolumeClaims. The default of the cluster is always allowed.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	StorageClasses []string `json:"storageClasses,omitempty"`

	// IngressHostSuffixes are the domains below which the hosts of frontends must be, such as apps.example.org.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	IngressHostSuffixes []string `json:"ingressHostSuffixes,omitempty"`

	// Gateways that graphs may name to expose frontends, as namespace/name, such as istio-system/public or team-a/*. The gateway of the
	// platform is always allowed.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Gateways []string `json:"gateways,omitempty"`

	// AllowHostPath allows volumes of type hostPath. Defaults to true.
	// +optional
	AllowHostPath *bool `json:"allowHostPath,omitempty"`

	// AllowHostNetwork allows pods in the network, PID or IPC namespace of their node. Defaults to true.
	// +optional
	AllowHostNetwork *bool `json:"allowHostNetwork,omitempty"`

	// AllowPrivileged allows privileged containers. Defaults to true.
	// +optional
	AllowPrivileged *bool `json:"allowPrivileged,omitempty"`

	// Capabilities that containers may add, such as IPC_LOCK.
	//
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Capabilities []string `json:"capabilities,omitempty"`
}
