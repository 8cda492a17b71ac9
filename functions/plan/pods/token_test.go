package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestTokenWarnings(t *testing.T) {
	const (
		at     = "spec.services[S].extraPodSpec.automountServiceAccountToken: leaves the pods without a token for the Kubernetes API, "
		remedy = "; remove it, or mount a projected token at /var/run/secrets/kubernetes.io/serviceaccount"
	)
	cases := map[string]struct {
		reason, body, discovery string
		want                    []string
	}{
		"Discovered": {
			reason: "Workers are discovered through the Kubernetes API.", discovery: graphplan.Kubernetes,
			body: `{"componentType":"worker","extraPodSpec":{"automountServiceAccountToken":false}}`,
			want: []string{at + "through which they are discovered and discover others" + remedy + ", or set annotation nvidia.com/dynamo-discovery-backend to etcd"},
		},
		"Default": {reason: "Pods have a token by default.", discovery: graphplan.Kubernetes, body: `{"componentType":"worker"}`},
		"Given":   {reason: "The user may say so.", discovery: graphplan.Kubernetes, body: `{"componentType":"worker","extraPodSpec":{"automountServiceAccountToken":true}}`},
		"Mounted": {
			reason: "The user may mount another token.", discovery: graphplan.Kubernetes,
			body: `{"componentType":"worker","extraPodSpec":{"automountServiceAccountToken":false,"mainContainer":{"volumeMounts":[{"name":"t","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}}}`,
		},
		"Etcd": {reason: "Discovery through etcd needs no token.", discovery: "etcd", body: `{"componentType":"worker","extraPodSpec":{"automountServiceAccountToken":false}}`},
		"Planner": {
			reason: "A planner reads and scales the graph, wherever workers are discovered.", discovery: "etcd",
			body: `{"componentType":"planner","extraPodSpec":{"automountServiceAccountToken":false}}`,
			want: []string{at + "without which a service of type planner does nothing" + remedy},
		},
		"Picker": {
			reason: "An Endpoint Picker watches pods.", discovery: graphplan.Kubernetes,
			body: `{"componentType":"epp","extraPodSpec":{"automountServiceAccountToken":false}}`,
			want: []string{at + "without which a service of type epp does nothing" + remedy},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(`{"services":{"S":`+tc.body+`}}`)))
			p := &graphplan.Plan{Components: map[string]graphplan.Component{"S": {Discovery: tc.discovery}}}
			if diff := cmp.Diff(tc.want, TokenWarnings(f, p).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nTokenWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
