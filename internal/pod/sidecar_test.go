package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestFrontendSidecar shows the whole container beside a worker.
func TestFrontendSidecar(t *testing.T) {
	ports := fields{"ports": []any{namedPort("http", 8000)}}
	cases := map[string]struct {
		reason      string
		annotations string
		spec        string
		want        fields
	}{
		"Defaults": {
			reason:      "The sidecar is a frontend of the worker's own Dynamo namespace, told of the platform's servers.",
			annotations: `{}`,
			spec:        `{"services":{"S":{"componentType":"worker","frontendSidecar":{"image":"f"}}}}`,
			want: with(fields{
				"name":      "sidecar-frontend",
				"image":     "f",
				"command":   []any{"python3"},
				"args":      []any{"-m", "dynamo.frontend"},
				"resources": fields{},
				"env": environment(
					env("DYNAMO_PORT", "8000"), env("DYN_COMPONENT", "frontend"), env("DYN_DISCOVERY_BACKEND", "kubernetes"),
					env("DYN_HTTP_PORT", "8000"), env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"), env("NATS_SERVER", "tls://n"), env("NATS_TLS_CA_CERT_PATH", "/ca"),
				),
			}, ports, probesOfFrontend()),
		},
		"UsersSettings": {
			reason:      "Args replace the frontend's, variables win, and a Secret is read; in container mode it is told its own name.",
			annotations: `{"nvidia.com/dynamo-kube-discovery-mode":"container"}`,
			spec:        `{"services":{"S":{"componentType":"worker","frontendSidecar":{"image":"f","args":["-m","mine"],"envFromSecret":"token","envs":[{"name":"DYNAMO_PORT","value":"1"}]}}}}`,
			want: with(fields{
				"name":      "sidecar-frontend",
				"image":     "f",
				"command":   []any{"python3"},
				"args":      []any{"-m", "mine"},
				"resources": fields{},
				"envFrom":   []any{fields{"secretRef": fields{"name": "token"}}},
				"env": environment(
					env("CONTAINER_NAME", "sidecar-frontend"), env("DYNAMO_PORT", "1"), env("DYN_COMPONENT", "frontend"), env("DYN_DISCOVERY_BACKEND", "kubernetes"),
					env("DYN_HTTP_PORT", "8000"), env("DYN_KUBE_DISCOVERY_MODE", "container"), env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"),
					env("NATS_SERVER", "tls://n"), env("NATS_TLS_CA_CERT_PATH", "/ca"),
				),
			}, ports, probesOfFrontend()),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, tc.spec, tc.annotations),
				graphplan.Component{Discovery: graphplan.Kubernetes})
			b.Plan.Infrastructure.NATSAddress, b.Plan.Infrastructure.NATSTLSCAPath = "tls://n", "/ca"
			containers := b.Build("S", backend.RoleMain, nil).Spec.Containers
			if diff := cmp.Diff(tree(t, tc.want), tree(t, containers[len(containers)-1])); diff != "" {
				t.Errorf("%s\nsidecar: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
