package v1alpha1

// Infrastructure holds addresses that are passed to every pod in environment variables. Variables of empty fields are not set.
type Infrastructure struct {
	// NATSAddress is the value of NATS_SERVER, such as nats://nats.dynamo-system:4222.
	NATSAddress string `json:"natsAddress,omitempty"`

	// EtcdAddress is the value of ETCD_ENDPOINTS.
	EtcdAddress string `json:"etcdAddress,omitempty"`

	// ModelExpressURL is the value of MODEL_EXPRESS_URL.
	ModelExpressURL string `json:"modelExpressURL,omitempty"`

	// PrometheusEndpoint is the value of PROMETHEUS_ENDPOINT.
	PrometheusEndpoint string `json:"prometheusEndpoint,omitempty"`
}
