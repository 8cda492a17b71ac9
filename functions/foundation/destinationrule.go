package foundation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// destinationRule determines how the gateway of a service mesh calls the Endpoint Picker, which serves TLS itself. The host is the short name
// of the Service. Istio completes it, so it is also correct in clusters with a domain other than cluster.local.
func (f *foundation) destinationRule() []composed {
	tls := f.plan.EndpointPickerTLS
	if tls == nil || !f.serves(networking.KindDestinationRule) {
		return nil
	}
	settings := networking.ClientTLSSettings{Mode: tls.Mode}
	if tls.InsecureSkipVerify {
		settings.InsecureSkipVerify = &tls.InsecureSkipVerify
	}
	for _, name := range f.graph.ComponentNames() {
		if f.graph.Component(name).Type != v1beta1.ComponentEPP {
			continue
		}
		return []composed{{names.KeyEPPDestinationRule, &networking.DestinationRule{
			TypeMeta:   metav1.TypeMeta{APIVersion: networking.IstioAPIVersion, Kind: networking.KindDestinationRule},
			ObjectMeta: f.objectMeta(f.graph.Names().Service(name), f.eppLabels(name)),
			Spec: networking.DestinationRuleSpec{
				Host:          f.graph.Names().Service(name),
				TrafficPolicy: networking.TrafficPolicy{TLS: settings},
			},
		}}}
	}
	return nil
}
