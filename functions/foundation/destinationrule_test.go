package foundation

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func TestDestinationRule(t *testing.T) {
	plan := func(tls *graphplan.MeshTLS, serves ...string) string {
		return steptest.OnGrove(t, steptest.Services("etcd", "Pick"), func(p *graphplan.Plan) { p.EndpointPickerTLS, p.Serves = tls, serves })
	}
	rule := func(tls string) map[string]string {
		return map[string]string{"epp-destinationrule": `{"apiVersion":"networking.istio.io/v1","kind":"DestinationRule",
			"metadata":{"name":"llama-pick","namespace":"inference","labels":{"nvidia.com/dynamo-graph-deployment-name":"llama",
				"nvidia.com/dynamo-component":"Pick","nvidia.com/dynamo-component-type":"epp"}},
			"spec":{"host":"llama-pick","trafficPolicy":{"tls":` + tls + `}}}`}
	}
	const picker, components = `{"services":{"Pick":{"componentType":"epp"}}}`, `{"components":[{"name":"Pick","type":"epp"}]}`
	compareParts(t, "epp-destinationrule", map[string]partCase{
		"Simple": {
			reason: "The gateway of the mesh accepts the certificate that the picker has signed itself.",
			req:    steptest.Request(picker, plan(&graphplan.MeshTLS{Mode: "SIMPLE", InsecureSkipVerify: true}, "DestinationRule")),
			want:   rule(`{"mode":"SIMPLE","insecureSkipVerify":true}`),
		},
		"Components": {
			reason: "A picker that is a component has the same rule.",
			req:    steptest.Request(components, plan(&graphplan.MeshTLS{Mode: "ISTIO_MUTUAL"}, "DestinationRule")),
			want:   rule(`{"mode":"ISTIO_MUTUAL"}`),
		},
		"NotServed": {
			reason: "What the cluster does not serve cannot be applied.",
			req:    steptest.Request(picker, plan(&graphplan.MeshTLS{Mode: "SIMPLE"}, "VirtualService")),
			want:   map[string]string{},
		},
		"NoMesh": {
			reason: "The platform does not have a mesh.",
			req:    steptest.Request(picker, plan(nil)),
			want:   map[string]string{},
		},
	})
}
