package foundation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	istiov1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/istio/v1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDestinationRule(t *testing.T) {
	plan := func(tls *graphplan.MeshTLS, serves ...string) string {
		return steptest.OnGrove(t, steptest.Services("etcd", "Pick"), func(p *graphplan.Plan) { p.EndpointPickerTLS, p.Serves = tls, serves })
	}
	rule := func(tls istiov1.ClientTLSSettings) map[string]any {
		return map[string]any{"epp-destinationrule": &istiov1.DestinationRule{
			TypeMeta: metav1.TypeMeta{APIVersion: "networking.istio.io/v1", Kind: "DestinationRule"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-pick", Namespace: "inference", Labels: map[string]string{
				"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-component": "Pick", "nvidia.com/dynamo-component-type": "epp",
			}},
			Spec: istiov1.DestinationRuleSpec{Host: "llama-pick", TrafficPolicy: istiov1.TrafficPolicy{TLS: tls}},
		}}
	}
	const picker, components = `{"services":{"Pick":{"componentType":"epp"}}}`, `{"components":[{"name":"Pick","type":"epp"}]}`
	compareParts(t, "epp-destinationrule", map[string]partCase{
		"Simple": {
			reason: "The gateway of the mesh accepts the certificate that the picker has signed itself.",
			req:    steptest.Request(picker, plan(&graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}, "DestinationRule")),
			want:   rule(istiov1.ClientTLSSettings{Mode: "SIMPLE", InsecureSkipVerify: new(true)}),
		},
		"Components": {
			reason: "A picker that is a component has the same rule.",
			req:    steptest.Request(components, plan(&graphplan.MeshTLS{Mode: "ISTIO_MUTUAL"}, "DestinationRule")),
			want:   rule(istiov1.ClientTLSSettings{Mode: "ISTIO_MUTUAL"}),
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(picker, plan(&graphplan.MeshTLS{Mode: "SIMPLE"}, "VirtualService")),
			want:   map[string]any{},
		},
		"NoMesh": {
			reason: "The platform does not have a mesh.",
			req:    steptest.Request(picker, plan(nil)),
			want:   map[string]any{},
		},
	})
}
