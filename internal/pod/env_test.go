package pod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestMergeEnv(t *testing.T) {
	cases := map[string]struct {
		reason string
		lists  [][]corev1.EnvVar
		want   []corev1.EnvVar
	}{
		"Sorted": {
			reason: "The order in which a user lists variables must not restart a pod.",
			lists:  [][]corev1.EnvVar{{{Name: "B"}, {Name: "a"}, {Name: "A"}}},
			want:   []corev1.EnvVar{{Name: "A"}, {Name: "B"}, {Name: "a"}},
		},
		"LaterListsWin": {
			reason: "A list overrides those before it, by name.",
			lists:  [][]corev1.EnvVar{{{Name: "A", Value: "1"}, {Name: "B", Value: "1"}}, {{Name: "A", Value: "2"}}},
			want:   []corev1.EnvVar{{Name: "A", Value: "2"}, {Name: "B", Value: "1"}},
		},
		"SourceReplacesValue": {
			reason: "An entry is replaced as a whole: one with a value and a source would be invalid.",
			lists:  [][]corev1.EnvVar{{{Name: "A", Value: "1"}}, {fromField("A", "metadata.name")}},
			want:   []corev1.EnvVar{fromField("A", "metadata.name")},
		},
		"DuplicatesInOneList": {
			reason: "Of two entries of one name the last counts, as in a container; Grove refuses both.",
			lists:  [][]corev1.EnvVar{{{Name: "A", Value: "1"}, {Name: "A", Value: "2"}}},
			want:   []corev1.EnvVar{{Name: "A", Value: "2"}},
		},
		"References": {
			reason: "The kubelet expands only what stands before, so a variable follows those that it refers to; an escaped reference is none.",
			lists: [][]corev1.EnvVar{{
				{Name: "A", Value: "http://$(C):$(B)/$$(Z)"},
				{Name: "B", Value: "80"},
				{Name: "C", Value: "$(D).svc"},
				{Name: "D", Value: "host"},
				{Name: "Z", Value: "$(UNKNOWN)"},
			}},
			want: []corev1.EnvVar{
				{Name: "D", Value: "host"},
				{Name: "C", Value: "$(D).svc"},
				{Name: "B", Value: "80"},
				{Name: "A", Value: "http://$(C):$(B)/$$(Z)"},
				{Name: "Z", Value: "$(UNKNOWN)"},
			},
		},
		"ReferencesInACircle": {
			reason: "Nothing can be right for references in a circle, but no order may hang or change.",
			lists:  [][]corev1.EnvVar{{{Name: "A", Value: "$(B)"}, {Name: "B", Value: "$(A)$(B)"}}},
			want:   []corev1.EnvVar{{Name: "B", Value: "$(A)$(B)"}, {Name: "A", Value: "$(B)"}},
		},
		"Nothing": {
			reason: "No lists make no variables.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mergeEnv(tc.lists...)); diff != "" {
				t.Errorf("%s\nmergeEnv(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	cases := map[string]struct {
		reason, value string
		want          []string
	}{
		"None":        {reason: "Plain text, a shell's variable and a lone dollar sign refer to nothing.", value: "a $B ${C} $", want: nil},
		"Several":     {reason: "References are found in order, also where they touch.", value: "$(A)$(B)-$(A)", want: []string{"A", "B", "A"}},
		"Escaped":     {reason: "A doubled dollar sign escapes a reference.", value: "$$(A) $(B) $$$(C)", want: []string{"B"}},
		"Empty":       {reason: "A reference without a name is none.", value: "$()$(A)", want: []string{"A"}},
		"Unfinished":  {reason: "A reference without an end is none.", value: "$(A) $(B", want: []string{"A"}},
		"Parenthesis": {reason: "A name reaches to the first closing parenthesis.", value: "$($(A)) $((B))", want: []string{"$(A", "(B"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, slices.Collect(references(tc.value))); diff != "" {
				t.Errorf("%s\nreferences(%q): -want, +got:\n%s", tc.reason, tc.value, diff)
			}
		})
	}
}

// TestEnvPriority sets one variable more in each place, from the lowest priority to the highest.
func TestEnvPriority(t *testing.T) {
	const spec = `{
		"envs":[{"name":"FROM_MAIN","value":"graph"},{"name":"FROM_SERVICE","value":"graph"},{"name":"FROM_GRAPH","value":"graph"},
			{"name":"DYN_SYSTEM_PORT","value":"graph"},{"name":"NATS_SERVER","value":"graph"},{"name":"DYN_TCP_TLS_CERT_PATH","value":"graph"}],
		"services":{"S":{"componentType":"worker",
			"envs":[{"name":"FROM_SERVICE","value":"service"},{"name":"FROM_MAIN","value":"service"}],
			"extraPodSpec":{"mainContainer":{"env":[{"name":"FROM_MAIN","value":"main"}]}}}}}`
	b := planned(decode(t, spec, `{}`), graphplan.Component{Discovery: graphplan.Kubernetes})
	b.Plan.Infrastructure = graphplan.Infrastructure{
		NATSAddress: "platform", EtcdAddress: "platform", ModelExpressURL: "platform", PrometheusEndpoint: "platform",
		TCPTLSCertPath: "platform", TCPTLSKeyPath: "platform",
	}
	env := main(b.Build("S", backend.RoleMain, nil)).Env

	want := map[string]string{
		"ETCD_ENDPOINTS":           "platform",
		"MODEL_EXPRESS_URL":        "platform",
		"PROMETHEUS_ENDPOINT":      "platform",
		"NATS_SERVER":              "graph",
		"DYN_TCP_TLS_CERT_PATH":    "graph",
		"DYN_TCP_TLS_KEY_PATH":     "platform",
		"DYN_SYSTEM_PORT":          "graph",
		"FROM_GRAPH":               "graph",
		"FROM_MAIN":                "main",
		"FROM_SERVICE":             "service",
		"DYN_HEALTH_CHECK_ENABLED": "false",
	}
	got := values(env)
	for name, value := range want {
		if got[name] != value {
			t.Errorf("platform < component type < graph < service < mainContainer: want %s=%s, got %s", name, value, got[name])
		}
	}
	if !slices.IsSorted(envNames(env)) {
		t.Errorf("want the variables sorted by name, got %v", envNames(env))
	}
}

func TestInfrastructureEnv(t *testing.T) {
	cases := map[string]struct {
		reason string
		given  graphplan.Infrastructure
		want   []corev1.EnvVar
	}{
		"Address": {
			reason: "What the platform does not name is not set.",
			given:  graphplan.Infrastructure{EtcdAddress: "http://etcd"},
			want:   []corev1.EnvVar{{Name: "ETCD_ENDPOINTS", Value: "http://etcd"}},
		},
		"TLS": {
			reason: "Each path has the variable that the runtime reads, after the addresses.",
			given: graphplan.Infrastructure{
				NATSAddress: "tls://n", NATSTLSCAPath: "/1", NATSTLSClientCertPath: "/2", NATSTLSClientKeyPath: "/3",
				TCPTLSCertPath: "/4", TCPTLSKeyPath: "/5", TCPTLSCAPath: "/6", TCPTLSClientCertPath: "/7", TCPTLSClientKeyPath: "/8", TCPTLSClientCAPath: "/9",
				TCPTLSServerName: "worker.example.org",
			},
			want: []corev1.EnvVar{
				{Name: "NATS_SERVER", Value: "tls://n"},
				{Name: "NATS_TLS_CA_CERT_PATH", Value: "/1"},
				{Name: "NATS_TLS_CLIENT_CERT_PATH", Value: "/2"},
				{Name: "NATS_TLS_CLIENT_KEY_PATH", Value: "/3"},
				{Name: "DYN_TCP_TLS_CERT_PATH", Value: "/4"},
				{Name: "DYN_TCP_TLS_KEY_PATH", Value: "/5"},
				{Name: "DYN_TCP_TLS_CA_CERT_PATH", Value: "/6"},
				{Name: "DYN_TCP_TLS_CLIENT_CERT_PATH", Value: "/7"},
				{Name: "DYN_TCP_TLS_CLIENT_KEY_PATH", Value: "/8"},
				{Name: "DYN_TCP_TLS_CLIENT_CA_CERT_PATH", Value: "/9"},
				{Name: "DYN_TCP_TLS_SERVER_NAME", Value: "worker.example.org"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, infrastructureEnv(tc.given)); diff != "" {
				t.Errorf("%s\ninfrastructureEnv(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDiscoveryEnv(t *testing.T) {
	cases := map[string]struct {
		reason      string
		discovery   string
		annotations string
		want        map[string]string
	}{
		"Etcd": {
			reason:      "The runtime takes etcd when nothing is named.",
			discovery:   "etcd",
			annotations: `{}`,
			want:        map[string]string{},
		},
		"ContainerMode": {
			reason:      "Where each container is discovered by itself, it is told its name.",
			discovery:   graphplan.Kubernetes,
			annotations: `{"nvidia.com/dynamo-kube-discovery-mode":"container"}`,
			want:        map[string]string{"DYN_DISCOVERY_BACKEND": "kubernetes", "DYN_KUBE_DISCOVERY_MODE": "container", "CONTAINER_NAME": "main"},
		},
		"PodMode": {
			reason:      "Pod mode is the runtime's default.",
			discovery:   graphplan.Kubernetes,
			annotations: `{"nvidia.com/dynamo-kube-discovery-mode":"pod"}`,
			want:        map[string]string{"DYN_DISCOVERY_BACKEND": "kubernetes"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, `{"services":{"S":{}}}`, tc.annotations), graphplan.Component{Discovery: tc.discovery})
			env := values(main(b.Build("S", backend.RoleMain, nil)).Env)
			got := map[string]string{}
			for _, name := range []string{"DYN_DISCOVERY_BACKEND", "DYN_KUBE_DISCOVERY_MODE", "CONTAINER_NAME"} {
				if value, ok := env[name]; ok {
					got[name] = value
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nenv: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEnvFromSecret(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"BehindTheUsers": {
			reason: "The Secret comes after what the main container reads already.",
			body:   `{"envFromSecret":"token","extraPodSpec":{"mainContainer":{"envFrom":[{"configMapRef":{"name":"c"}}]}}}`,
			want:   `[{"configMapRef":{"name":"c"}},{"secretRef":{"name":"token"}}]`,
		},
		"Empty": {
			reason: "An empty name is none.",
			body:   `{"envFromSecret":""}`,
			want:   `null`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(parse(t, tc.want), tree(t, main(templateOf(t, tc.body)).EnvFrom)); diff != "" {
				t.Errorf("%s\nenvFrom: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
