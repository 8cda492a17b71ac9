package pod

import (
	"iter"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// mergeEnv merges lists of environment variables by name, lowest priority first, and sorts the result by name, so that
// the order in which a user lists variables never restarts a pod.
func mergeEnv(lists ...[]corev1.EnvVar) []corev1.EnvVar {
	merged := slices.Concat(lists...)
	slices.Reverse(merged) // Of those with the same name, the first one is kept.
	slices.SortStableFunc(merged, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return afterReferences(slices.CompactFunc(merged, func(a, b corev1.EnvVar) bool { return a.Name == b.Name }))
}

// references are the names of the variables in a value, as $(NAME). A doubled dollar sign escapes one.
func references(value string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for index := 0; ; {
			length := strings.Index(value[index:], "$(")
			if length < 0 {
				return
			}
			begin := index + length
			length = strings.IndexByte(value[begin:], ')')
			if length < 0 {
				return
			}
			index = begin + length
			escaped := begin > 0 && value[begin-1] == '$'
			if name := value[begin+len("$(") : index]; name != "" && !escaped && !yield(name) {
				return
			}
		}
	}
}

// afterReferences moves each variable after those to which its value refers, and otherwise keeps the order: the kubelet only expands
// variables that come before.
// https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func afterReferences(sorted []corev1.EnvVar) []corev1.EnvVar {
	if !slices.ContainsFunc(sorted, func(env corev1.EnvVar) bool { return strings.Contains(env.Value, "$(") }) {
		return sorted
	}
	byName := make(map[string]corev1.EnvVar, len(sorted))
	for _, env := range sorted {
		byName[env.Name] = env
	}
	ordered := make([]corev1.EnvVar, 0, len(sorted))
	seen := make(map[string]bool, len(sorted))
	var place func(env corev1.EnvVar)
	place = func(env corev1.EnvVar) {
		// Variables that refer to each other in a circle keep their order.
		if seen[env.Name] {
			return
		}
		seen[env.Name] = true
		for name := range references(env.Value) {
			if other, ok := byName[name]; ok {
				place(other)
			}
		}
		ordered = append(ordered, env)
	}
	for _, env := range sorted {
		place(env)
	}
	return ordered
}

// infrastructureEnv are the addresses of the platform's servers, and the paths of the certificates with which components talk to them and to
// each other.
func infrastructureEnv(i graphplan.Infrastructure) []corev1.EnvVar {
	var env []corev1.EnvVar
	for _, e := range []corev1.EnvVar{
		{Name: "NATS_SERVER", Value: i.NATSAddress},
		{Name: "ETCD_ENDPOINTS", Value: i.EtcdAddress},
		{Name: "MODEL_EXPRESS_URL", Value: i.ModelExpressURL},
		{Name: "PROMETHEUS_ENDPOINT", Value: i.PrometheusEndpoint},
		{Name: "NATS_TLS_CA_CERT_PATH", Value: i.NATSTLSCAPath},
		{Name: "NATS_TLS_CLIENT_CERT_PATH", Value: i.NATSTLSClientCertPath},
		{Name: "NATS_TLS_CLIENT_KEY_PATH", Value: i.NATSTLSClientKeyPath},
		{Name: "DYN_TCP_TLS_CERT_PATH", Value: i.TCPTLSCertPath},
		{Name: "DYN_TCP_TLS_KEY_PATH", Value: i.TCPTLSKeyPath},
		{Name: "DYN_TCP_TLS_CA_CERT_PATH", Value: i.TCPTLSCAPath},
		{Name: "DYN_TCP_TLS_CLIENT_CERT_PATH", Value: i.TCPTLSClientCertPath},
		{Name: "DYN_TCP_TLS_CLIENT_KEY_PATH", Value: i.TCPTLSClientKeyPath},
		{Name: "DYN_TCP_TLS_CLIENT_CA_CERT_PATH", Value: i.TCPTLSClientCAPath},
		{Name: "DYN_TCP_TLS_SERVER_NAME", Value: i.TCPTLSServerName},
	} {
		if e.Value != "" {
			env = append(env, e)
		}
	}
	return env
}

// identityEnv identifies the graph and the component of a container.
func (b *Builder) identityEnv(c component, container string) []corev1.EnvVar {
	env := []corev1.EnvVar{
		{Name: "DYN_NAMESPACE", Value: c.decision.DynamoNamespace},
		// The runtime expects the component type here, not the name of the component.
		{Name: "DYN_COMPONENT", Value: typeOf(c.spec, c.decision.RuntimeVersion.Has(runtime.PhaseTypes))},
		{Name: EnvParentName, Value: b.Graph.Name},
		{Name: EnvParentNamespace, Value: b.Graph.Namespace},
		fromField("POD_NAME", "metadata.name"),
		fromField("POD_NAMESPACE", "metadata.namespace"),
		fromField("POD_UID", "metadata.uid"),
	}
	if c.decision.Discovery == graphplan.Kubernetes {
		env = append(env, corev1.EnvVar{Name: "DYN_DISCOVERY_BACKEND", Value: graphplan.Kubernetes})
	}
	if b.annotation(c, metadata.AnnotationKubeDiscoveryMode) == DiscoverContainers {
		env = append(env,
			corev1.EnvVar{Name: "CONTAINER_NAME", Value: container},
			corev1.EnvVar{Name: "DYN_KUBE_DISCOVERY_MODE", Value: DiscoverContainers})
	}
	return env
}

// DiscoverContainers is the value of the annotation with which each container of a pod is discovered separately.
const DiscoverContainers = "container"

func fromField(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}
