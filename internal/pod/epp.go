package pod

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// Settings of the Endpoint Picker of the Gateway API Inference Extension.
const (
	// EPPConfigKey of the ConfigMap with the configuration of the picker.
	EPPConfigKey = "epp-config-dynamo.yaml"

	eppConfigAPIVersion = "inference.networking.x-k8s.io/v1alpha1"
	eppConfigKind       = "EndpointPickerConfig"

	eppConfigFolder  = "/etc/epp"
	eppConfigVolume  = "epp-config"
	eppCacheVolume   = "hf-cache"
	eppCacheFolder   = "/home/nonroot/.cache"
	nativeEPPHome    = "/home/dynamo"
	eppHealthService = "inference-extension"
	// eppGrace gives the picker time to drain streams.
	eppGrace = 130
)

// EPPConfig is the configuration of an Endpoint Picker that is in its graph, as JSON with sorted keys. It is empty if there is none.
func EPPConfig(c *graph.Component) string {
	if !c.HasEPPConfig() {
		return ""
	}
	config := *c.EPPConfig.Config
	config.APIVersion = cmp.Or(config.APIVersion, eppConfigAPIVersion)
	config.Kind = cmp.Or(config.Kind, eppConfigKind)
	// It was decoded from JSON, so it can be encoded.
	encoded, _ := json.Marshal(config) //nolint:errchkjson // See above.
	var fields map[string]any
	_ = json.Unmarshal(encoded, &fields)
	sorted, _ := json.Marshal(fields) //nolint:errchkjson // See above.
	return string(sorted)
}

// eppAnnotations of the pods of an Endpoint Picker, so that an edit of its configuration replaces them: it reads the file only when it starts.
func eppAnnotations(c component) map[string]string {
	config := EPPConfig(c.spec)
	if config == "" {
		return nil
	}
	return map[string]string{metadata.AnnotationEPPConfigHash: shortHash([]byte(config))}
}

// IsConfiguredEPP reports whether the main container of a pod that was built for an Endpoint Picker mounts a configuration.
func IsConfiguredEPP(spec *corev1.PodSpec) bool {
	main := MainOfPod(spec)
	return main != nil && slices.ContainsFunc(main.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == eppConfigVolume })
}

func (b *Builder) endpointPicker(d *defaults, c component) {
	health := c.listens(backend.PickerHealth, port(portEPPHealthName, PortEPPHealth))
	probe := corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: health.ContainerPort, Service: new(eppHealthService)}}
	d.serviceAccountName = b.Graph.Names().EPP()
	container := &d.container
	// The entry point of the image runs the picker.
	container.Command = nil
	container.Ports = []corev1.ContainerPort{
		c.listens(backend.Picks, port(PortEPPName, PortEPP)),
		health,
		c.listens(backend.PickerMetrics, port(portEPPMetricName, portEPPMetrics)),
	}
	container.LivenessProbe = timing{delay: 5, period: 10}.probe(probe)
	container.ReadinessProbe = timing{delay: 5, period: 10}.probe(probe)
	container.StartupProbe = timing{period: 10, failures: 180}.probe(probe)
	container.Env = []corev1.EnvVar{
		{Name: "USE_STREAMING", Value: "true"},
		{Name: "RUST_LOG", Value: eppLogLevel(c.decision.RuntimeVersion)},
		{Name: "DYN_ENFORCE_DISAGG", Value: "false"},
		{Name: envPrefix, Value: c.decision.DynamoNamespace},
	}
	if c.spec.IsNativeEPP() {
		nativeEPP(d, c)
	} else {
		b.configuredEPP(d, c)
	}
}

// nativeEPP is what the picker of the frontend image has. It learns the model from the workers that it discovers.
func nativeEPP(d *defaults, c component) {
	d.volumes = []corev1.Volume{eppCache()}
	d.container.VolumeMounts = []corev1.VolumeMount{{Name: eppCacheVolume, MountPath: path.Join(nativeEPPHome, ".cache")}}
	d.container.Env = append(d.container.Env, corev1.EnvVar{Name: "HOME", Value: nativeEPPHome})
	if c.decision.RuntimeVersion.Has(runtime.EPPReplicas) {
		d.container.Env = append(d.container.Env, corev1.EnvVar{Name: "DYN_ROUTER_REPLICA_SYNC", Value: "true"})
	}
	addStrictPrefix(&d.container, c.decision.RuntimeVersion)
}

// configuredEPP is what a picker with a configuration has.
func (b *Builder) configuredEPP(d *defaults, c component) {
	d.volumes = []corev1.Volume{{Name: eppConfigVolume, VolumeSource: corev1.VolumeSource{ConfigMap: b.eppConfig(c)}}, eppCache()}
	dashes := "-"
	if c.decision.RuntimeVersion.Has(runtime.EPPLongFlags) {
		dashes = "--"
	}
	d.container.VolumeMounts = []corev1.VolumeMount{
		{Name: eppConfigVolume, MountPath: eppConfigFolder, ReadOnly: true},
		{Name: eppCacheVolume, MountPath: eppCacheFolder},
	}
	d.container.Args = []string{
		dashes + "pool-name", b.Graph.Names().InferencePool(),
		dashes + "pool-namespace", b.Graph.Namespace,
		dashes + "pool-group", networking.InferenceGroup,
		"-v", "4",
		"--zap-encoder", "json",
		dashes + "grpc-port", strconv.Itoa(PortEPP),
		dashes + "grpc-health-port", strconv.Itoa(PortEPPHealth),
		dashes + "config-file", eppConfigFolder + "/" + EPPConfigKey,
	}
}

// eppCache is where the picker keeps what it downloads of a model.
func eppCache() corev1.Volume {
	return corev1.Volume{Name: eppCacheVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// eppLogLevel of the picker in a release.
func eppLogLevel(v runtime.Version) string {
	if v.Has(runtime.EPPInfoLog) {
		return "info"
	}
	return "debug,dynamo_llm::kv_router=trace"
}

// eppConfig is the ConfigMap with the configuration of the picker: that of the user, otherwise that of the graph.
func (b *Builder) eppConfig(c component) *corev1.ConfigMapVolumeSource {
	source := &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: b.Graph.Names().EPPConfigMap()},
		Items:                []corev1.KeyToPath{{Key: EPPConfigKey, Path: EPPConfigKey}},
	}
	if c.spec.EPPConfig != nil && c.spec.EPPConfig.ConfigMapRef != nil {
		ref := c.spec.EPPConfig.ConfigMapRef
		source.Name = ref.Name
		source.Items[0].Key = ref.Key
		source.Optional = ref.Optional
	}
	return source
}
