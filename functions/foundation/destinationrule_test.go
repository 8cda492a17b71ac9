package foundation

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDestinationRule(t *testing.T) {
	plan := func(tls *graphplan.MeshTLS, serves ...string) string {
		return steptest.OnGrove(t, steptest.Components("etcd", "Pick"), func(p *graphplan.Plan) { p.EndpointPickerTLS, p.Serves = tls, serves })
	}
	rule := func(tls networking.ClientTLSSettings) map[string]any {
		return map[string]any{"epp-destinationrule": &networking.DestinationRule{
			TypeMeta: metav1.TypeMeta{APIVersion: "networking.istio.io/v1", Kind: "DestinationRule"},
			ObjectMeta: metav1.ObjectMeta{Name: "llama-pick", Namespace: "inference", Labels: map[string]string{
				"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-component": "Pick", "nvidia.com/dynamo-component-type": "epp",
			}},
			Spec: networking.DestinationRuleSpec{Host: "llama-pick", TrafficPolicy: networking.TrafficPolicy{TLS: tls}},
		}}
	}
	const picker, components = `{"services":{"Pick":{"componentType":"epp"}}}`, `{"components":[{"name":"Pick","type":"epp"}]}`
	compareParts(t, "epp-destinationrule", map[string]partCase{
		"Simple": {
			reason: "The gateway of the mesh accepts the certificate that the picker has signed itself.",
			req:    steptest.Request(picker, plan(&graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}, "DestinationRule")),
			want:   rule(networking.ClientTLSSettings{Mode: "SIMPLE", InsecureSkipVerify: new(true)}),
		},
		"Components": {
			reason: "A picker that is a component has the same rule.",
			req:    steptest.Request(components, plan(&graphplan.MeshTLS{Mode: "ISTIO_MUTUAL"}, "DestinationRule")),
			want:   rule(networking.ClientTLSSettings{Mode: "ISTIO_MUTUAL"}),
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
