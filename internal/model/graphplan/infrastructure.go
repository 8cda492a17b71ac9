package graphplan

// Infrastructure is passed to every pod in environment variables. Variables of empty fields are not set.
type Infrastructure struct {
	NATSAddress        string `json:"natsAddress,omitempty"`
	EtcdAddress        string `json:"etcdAddress,omitempty"`
	ModelExpressURL    string `json:"modelExpressURL,omitempty"`
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`

	// Paths of certificates in the pods, and the name that TCP clients expect in those of servers.
	NATSTLSCAPath         string `json:"natsTLSCAPath,omitempty"`
	NATSTLSClientCertPath string `json:"natsTLSClientCertPath,omitempty"`
	NATSTLSClientKeyPath  string `json:"natsTLSClientKeyPath,omitempty"`
	TCPTLSCertPath        string `json:"tcpTLSCertPath,omitempty"`
	TCPTLSKeyPath         string `json:"tcpTLSKeyPath,omitempty"`
	TCPTLSCAPath          string `json:"tcpTLSCAPath,omitempty"`
	TCPTLSClientCertPath  string `json:"tcpTLSClientCertPath,omitempty"`
	TCPTLSClientKeyPath   string `json:"tcpTLSClientKeyPath,omitempty"`
	TCPTLSClientCAPath    string `json:"tcpTLSClientCAPath,omitempty"`
	TCPTLSServerName      string `json:"tcpTLSServerName,omitempty"`
}

// MeshTLS is how proxies of a service mesh connect to a Service.
type MeshTLS struct {
	Mode               string `json:"mode"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify,omitempty"`
}

// IngressDefaults of frontends.
type IngressDefaults struct {
	ClassName     string `json:"className,omitempty"`
	HostSuffix    string `json:"hostSuffix,omitempty"`
	TLSSecretName string `json:"tlsSecretName,omitempty"`

	// VirtualServiceGateway is the Istio gateway of VirtualServices.
	VirtualServiceGateway string `json:"virtualServiceGateway,omitempty"`

	// Gateway of HTTPRoutes.
	Gateway Gateway `json:"gateway,omitzero"`

	// AllowedAnnotations are the annotations of a user that are allowed.
	AllowedAnnotations []string `json:"allowedAnnotations,omitempty"`
}

// Gateway is a Gateway of the Gateway API, or one listener of it.
type Gateway struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	SectionName string `json:"sectionName,omitempty"`
}

// RegistrySecret is the pull secret of a registry.
type RegistrySecret struct {
	// Registry is the host, with its port if it has one, as in the normalized name of an image.
	Registry   string `json:"registry"`
	SecretName string `json:"secretName"`
}
