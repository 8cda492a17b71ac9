package foundation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	istiov1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/istio/v1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// destinationRule determines how the gateway of a service mesh calls the Endpoint Picker, which serves TLS itself. The host is the short name
// of the Service. Istio completes it, so it is also correct in clusters with a domain other than cluster.local.
func (f *foundation) destinationRule() []composed {
	tls := f.plan.EndpointPickerTLS
	if tls == nil || !f.serves(graphplan.KindDestinationRule) {
		return nil
	}
	settings := istiov1.ClientTLSSettings{Mode: tls.Mode}
	if tls.InsecureSkipVerify {
		settings.InsecureSkipVerify = &tls.InsecureSkipVerify
	}
	for _, name := range f.graph.ServiceNames() {
		if f.graph.Component(name).Type != v1beta1.ComponentEPP {
			continue
		}
		return []composed{{names.KeyEPPDestinationRule, &istiov1.DestinationRule{
			TypeMeta:   metav1.TypeMeta{APIVersion: istiov1.APIVersion, Kind: istiov1.KindDestinationRule},
			ObjectMeta: f.objectMeta(f.graph.Names().Service(name), f.eppLabels(name)),
			Spec: istiov1.DestinationRuleSpec{
				Host:          f.graph.Names().Service(name),
				TrafficPolicy: istiov1.TrafficPolicy{TLS: settings},
			},
		}}}
	}
	return nil
}
