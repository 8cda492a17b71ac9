package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestFrontendSidecar shows the whole container beside a worker.
func TestFrontendSidecar(t *testing.T) {
	const probes = `
		"livenessProbe":{"httpGet":{"path":"/live","port":"http"},"initialDelaySeconds":15,"periodSeconds":10,"timeoutSeconds":1,"failureThreshold":3},
		"readinessProbe":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":3,"failureThreshold":3}`
	const ports = `"ports":[{"name":"http","containerPort":8000,"protocol":"TCP"}]`
	const kubernetes = `{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},{"name":"DYN_HTTP_PORT","value":"8000"}`
	cases := map[string]struct {
		reason      string
		annotations string
		sidecar     string
		want        string
	}{
		"Defaults": {
			reason:      "The sidecar is a frontend of the worker's own Dynamo namespace, told of the platform's servers.",
			annotations: `{}`,
			sidecar:     `{"image":"f"}`,
			want: `{"name":"sidecar-frontend","image":"f","command":["python3"],"args":["-m","dynamo.frontend"],"resources":{},` + ports + `,` + probes + `,
				"env":[{"name":"DYNAMO_PORT","value":"8000"},{"name":"DYN_COMPONENT","value":"frontend"},` + kubernetes + `,
					{"name":"DYN_NAMESPACE","value":"inference-llama"},{"name":"DYN_NAMESPACE_PREFIX","value":"inference-llama"},
					` + identity + `,{"name":"NATS_SERVER","value":"nats://n"},` + downward + `]}`,
		},
		"UsersSettings": {
			reason:      "Args replace the frontend's, variables win, and a Secret is read; in container mode it is told its own name.",
			annotations: `{"nvidia.com/dynamo-kube-discovery-mode":"container"}`,
			sidecar:     `{"image":"f","args":["-m","mine"],"envFromSecret":"token","envs":[{"name":"DYNAMO_PORT","value":"1"}]}`,
			want: `{"name":"sidecar-frontend","image":"f","command":["python3"],"args":["-m","mine"],"resources":{},` + ports + `,` + probes + `,
				"envFrom":[{"secretRef":{"name":"token"}}],
				"env":[{"name":"CONTAINER_NAME","value":"sidecar-frontend"},{"name":"DYNAMO_PORT","value":"1"},{"name":"DYN_COMPONENT","value":"frontend"},
					` + kubernetes + `,{"name":"DYN_KUBE_DISCOVERY_MODE","value":"container"},
					{"name":"DYN_NAMESPACE","value":"inference-llama"},{"name":"DYN_NAMESPACE_PREFIX","value":"inference-llama"},
					` + identity + `,{"name":"NATS_SERVER","value":"nats://n"},` + downward + `]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(decode(t, `{"services":{"S":{"componentType":"worker","frontendSidecar":`+tc.sidecar+`}}}`, tc.annotations),
				graphplan.Service{Discovery: graphplan.Kubernetes})
			b.Plan.Infrastructure.NATSAddress = "nats://n"
			containers := b.Build("S", backend.RoleMain, nil).Spec.Containers
			if diff := cmp.Diff(parse(t, tc.want), tree(t, containers[len(containers)-1])); diff != "" {
				t.Errorf("%s\nsidecar: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
