package v1alpha1

// Infrastructure holds addresses of servers and paths of certificates that are passed to every pod in environment variables. A field
// that is not set sets no variable. The podTemplates of graphs mount the files at the paths.
type Infrastructure struct {
	// NATSAddress is the value of NATS_SERVER, such as nats://nats.dynamo-system:4222.
	NATSAddress string `json:"natsAddress,omitempty"`

	// EtcdAddress is the value of ETCD_ENDPOINTS.
	EtcdAddress string `json:"etcdAddress,omitempty"`

	// ModelExpressURL is the value of MODEL_EXPRESS_URL.
	ModelExpressURL string `json:"modelExpressURL,omitempty"`

	// PrometheusEndpoint is the value of PROMETHEUS_ENDPOINT.
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`

	// NATSTLSCAPath is the value of NATS_TLS_CA_CERT_PATH, with which clients verify the NATS server. natsAddress then begins with tls://.
	NATSTLSCAPath string `json:"natsTLSCAPath,omitempty"`

	// NATSTLSClientCertPath is the value of NATS_TLS_CLIENT_CERT_PATH, the certificate of clients of the NATS server.
	NATSTLSClientCertPath string `json:"natsTLSClientCertPath,omitempty"`

	// NATSTLSClientKeyPath is the value of NATS_TLS_CLIENT_KEY_PATH, the key of this certificate.
	NATSTLSClientKeyPath string `json:"natsTLSClientKeyPath,omitempty"`

	// TCPTLSCertPath is the value of DYN_TCP_TLS_CERT_PATH, the certificate of TCP servers between components.
	TCPTLSCertPath string `json:"tcpTLSCertPath,omitempty"`

	// TCPTLSKeyPath is the value of DYN_TCP_TLS_KEY_PATH, the key of this certificate.
	TCPTLSKeyPath string `json:"tcpTLSKeyPath,omitempty"`

	// TCPTLSCAPath is the value of DYN_TCP_TLS_CA_CERT_PATH, with which TCP clients verify servers.
	TCPTLSCAPath string `json:"tcpTLSCAPath,omitempty"`

	// TCPTLSClientCertPath is the value of DYN_TCP_TLS_CLIENT_CERT_PATH, the certificate of TCP clients.
	TCPTLSClientCertPath string `json:"tcpTLSClientCertPath,omitempty"`

	// TCPTLSClientKeyPath is the value of DYN_TCP_TLS_CLIENT_KEY_PATH, the key of this certificate.
	TCPTLSClientKeyPath string `json:"tcpTLSClientKeyPath,omitempty"`

	// TCPTLSClientCAPath is the value of DYN_TCP_TLS_CLIENT_CA_CERT_PATH, with which TCP servers demand and verify certificates of clients.
	TCPTLSClientCAPath string `json:"tcpTLSClientCAPath,omitempty"`

	// TCPTLSServerName is the value of DYN_TCP_TLS_SERVER_NAME, the name that TCP clients expect in the certificates of servers, which they
	// reach by IP address.
	TCPTLSServerName string `json:"tcpTLSServerName,omitempty"`
}
