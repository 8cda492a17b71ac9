package v1alpha1

// Ingress holds defaults for exposing frontends.
type Ingress struct {
	// ClassName is the name of the default IngressClass. If set, every frontend without an ingress block gets an Ingress whose
	// host begins with the name of the graph.
	ClassName string `json:"className,omitempty"`

	// HostSuffix is added to the host, after a dot, if an ingress block has no hostSuffix and its host contains no dots.
	// Defaults to local.
	HostSuffix string `json:"hostSuffix,omitempty"`

	// ClusterDomain is the DNS domain of the cluster. Frontends cannot be exposed at hosts in this domain, or at short names that pods
	// complete with it: requests to other Services would be routed to the graph. By default, the domain is cluster.local, and names of
	// Services in other domains cannot be used either.
	ClusterDomain string `json:"clusterDomain,omitempty"`

	// TLSSecretName is the name of the Secret with the certificate and the key of Ingresses.
	TLSSecretName string `json:"tlsSecretName,omitempty"`

	// VirtualServiceGateway is the default Istio gateway of ingress blocks with useVirtualService, as gateway or
	// namespace/gateway. If it is set and className is not, every frontend without an ingress block gets a VirtualService. It cannot be
	// mesh, which stands for all sidecars of the mesh.
	VirtualServiceGateway string `json:"virtualServiceGateway,omitempty"`

	// Gateway of the Gateway API. If set, a frontend to which no IngressClass applies gets an HTTPRoute instead of an Ingress.
	// This includes frontends without an ingress block, unless they get a VirtualService.
	Gateway *Gateway `json:"gateway,omitempty"`

	// AllowedAnnotations are the annotations that the ingress block of a graph may set on its Ingress, VirtualService or
	// HTTPRoute, by their full names, such as nginx.ingress.kubernetes.io/proxy-body-size. Defaults to none, because many
	// controllers read configuration from annotations, including snippets and addresses of other servers. Annotations that are
	// not in the list are not set, and condition Accepted of the graph names them.
	//
	// +kubebuilder:validation:MaxItems=100
	AllowedAnnotations []string `json:"allowedAnnotations,omitempty"`
}
