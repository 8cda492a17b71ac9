package input

import (
	"cmp"

	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// EndpointPickerTLS of a graph with an Endpoint Picker, in the form of the plan.
func EndpointPickerTLS(in *inputv1alpha1.Input, g *graph.Graph) *graphplan.MeshTLS {
	tls := in.Istio.EndpointPickers
	if tls == nil || !g.HasComponent(v1beta1.ComponentEPP) {
		return nil
	}
	mode := cmp.Or(tls.TLSMode, inputv1alpha1.IstioTLSSimple)
	return &graphplan.MeshTLS{
		Mode: string(mode),
		// Only a connection by TLS has a certificate of the server to verify, and Istio verifies its own.
		InsecureSkipVerify: mode == inputv1alpha1.IstioTLSSimple && ptr.Deref(tls.InsecureSkipVerify, true),
	}
}
